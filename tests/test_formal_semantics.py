"""The instructions of formal/x86_64/Machine.v, decoded from bytes, against the processor."""

from __future__ import annotations

from pathlib import Path

import pytest
from formal_checker import CODE, STACK, ask, bytes_from, run_question, state_of
from x86_64_forms import FORMS
from x86_64_runs import REGISTERS, entries, instructions, on_processor, thunk

from fieldc.machine.processor import is_x86_64, missing

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")

MORE_FORMS = {
    "and rax, rcx": "",
    "and rax, -8": "",
    "and rcx, 0x12345": "",
    "or rax, rcx": "",
    "or rax, rcx; adc rdx, rax": "",
    "push rdx; or rcx, [rsp]; adc rax, rcx; pop rsi": "",
    "neg r15; adc rax, r15": "",
    "not r15; adc rax, r15": "",
    "xor rax, rcx": "",
    "xor rcx, rcx; adc rax, rcx": "",
    "xor rdx, rsi; adox rax, rcx": "adx",
    "xor eax, esi": "",
    "test rax, rcx; adc rax, rcx": "",
    "adcx rax, rcx; adox rdx, rcx; adc rsi, rax": "adx",
    "imul rcx, rdx, 0x12345678": "",
    "lea rax, [rcx + r15]; lea r15, [r15 + rcx]": "",
    "mulx r15, rdx, r15": "bmi2",
    "push r15; push rax; pop rdx; pop rcx": "",
    "sub rsp, 16; add rsp, 16": "",
    "and rax, 0x12345; sub rax, 0x23456; sbb rax, 0x12345": "",
    "add rax, 0x12345; adc rax, 0x12345": "",
    "sub rsp, 8; mov [rsp], rcx; add rax, [rsp]; pop rdx": "",
    "push rdx; mulx rcx, rax, [rsp]; pop rsi": "bmi2",
    "push rdx; mul qword ptr [rsp]; pop rsi": "",
    "push rdx; imul rax, [rsp]; pop rsi": "",
    "push rdx; add rcx, rax; cmovb rcx, [rsp]; pop rsi": "",
    "mov r15, rsp; mov [r15 - 128], rcx; mov rax, [rsp - 128]; xor r15d, r15d": "",
    "lea rax, [rip + 5]; lea rcx, [rip - 2]; sub rax, rcx; xor ecx, ecx": "",
    "mov rcx, rcx; mov rax, [rip - 10]": "",
    "endbr64; adc rax, rcx": "",
    "mov ecx, 0; setb cl": "",
    "setb al; xor ecx, ecx; add al, 255; sbb rcx, rcx; and ecx, 1": "",
    "add rax, rdx; setb dl; add dl, 255; adc rcx, rsi": "",
    "add r15b, 200; setb sil; add sil, 100": "",
    "and eax, 1; and r15d, 0x7f; and rcx, -2": "",
    "and eax, 0x87654321": "",
    "and ecx, -2; and r15d, -128; adc rcx, r15": "",
    "and eax, -1": "",
    "and r15d, 0x12345678; sbb rax, rax": "",
    "and esi, 0xfedcba98": "",
    "push rdx; add [rsp], rax; adc rcx, rsi; pop rdx": "",
    "push rdx; push rcx; adc [rsp + 8], rax; adc [rsp], rsi; pop rcx; pop rdx; adc rax, rax": "",
    "mov ecx, 7; mov r15d, 0x87654321": "",
    "mov ecx, 1; bzhi rax, rdx, rcx": "bmi2",
    "mov r15d, 63; bzhi rax, r15, r15": "bmi2",
    "bzhi rcx, rax, rdx; adc rsi, rcx": "bmi2",
    "push rdx; mov ecx, 0; bzhi rcx, [rsp], rcx; adox rcx, rax; pop rsi": "bmi2",
    "mov dl, 61; bzhi rax, rsi, rdx; adc rcx, rax": "bmi2",
    "mov r15b, 200; mov sil, 7; sub r15, rsi": "",
    "mov ecx, 0x12345; mov cl, 255; adc rax, rcx": "",
    "mov dl, 1; add dl, 255; adc rcx, rsi": "",
}
"""Forms that only the model has, or that the prover's symbols do not allow."""
UNKNOWN = ("nop", "setb", "setae")
"""Instructions that the model lacks, or has in some forms only: those of MORE_FORMS."""
UNKNOWN_FORMS = (
    "setb ah",
    "add ch, 255",
    "setb byte ptr [rsp]",
    "add byte ptr [rsp], 255",
    "add cl, dl",
    "adc cl, 255",
    "setae cl",
    "and eax, ecx",
    "and dword ptr [rsp], 1",
    "add eax, 1",
    "or eax, ecx",
    "or rax, 1",
    "neg eax",
    "neg qword ptr [rsp]",
    "not eax",
    "not qword ptr [rsp]",
    "push -2; pop rcx",
    "mov ah, 1",
    "mov al, cl",
    "mov byte ptr [rsp], 1",
    "mov eax, ecx",
    "lock add qword ptr [rsp], 0",
    "sub qword ptr [rsp - 8], rax",
    "add dword ptr [rsp - 8], eax",
    "add qword ptr [rsp - 8], 1",
    "mov rax, fs:[0]",
    "lea rax, [rcx + 2*rcx]",
    "lea rax, [rcx + rdx + 1]",
    "rep movsb",
    "ret 8",
    "jmp rax",
    "call rax",
    "call [rsp]",
    "push [rsp]",
    "add rax, gs:[rcx]",
    "mov rax, [rcx + rdx]",
)
NO_INSTRUCTIONS = (
    "66",
    "f30f",
    "f30f 1efb",
    "f30f 1f00",
    "4848 01c8",
    "f348 01c8",
    "f066 480f38f6c1",
    "c4e2 7bf6c1",
    "c4e2 70f5c1",
    "c4e2 f4f5c1",
    "c4e2 f1f5c1",
    "c4e2 fff6c1",
    "66 e8 00000000",
    "48 e8 00000000",
    "f2 e8 00000000",
    "66 c3",
)
"""Wrong prefixes, and mulx of 32 bits or of a wider vector."""


def is_known(text: str) -> bool:
    words = {word for part in text.split(";") for word in part.split()}
    narrow = {"ecx,", "ecx", "esi,", "cl", "cl,", "al,", "r15b,", "eax,"}
    only_xor = all(p.split()[0] == "xor" for p in text.split(";") if narrow & {*p.split()})
    return not words & {*UNKNOWN} and only_xor and not any(f"push {d}" in text for d in "-1")


ALL = {**{text: needs for text, needs in FORMS.items() if is_known(text)}, **MORE_FORMS}


@pytest.mark.parametrize("text", ALL)
def test_the_model_does_what_the_processor_does(text: str, certifier: Path) -> None:
    if lacking := missing(filter(None, [ALL[text]])):
        pytest.skip(f"this processor lacks {', '.join(lacking)}")
    code = thunk(text)[2]
    steps = len(list(instructions(code)))
    questions, found = [], []
    for number, state in enumerate(entries()):
        carry, overflow = number & 1, number >> 1 & 1
        found.append(on_processor(text, {**state, "cf": carry, "of": overflow}))
        memory = bytes_from(CODE, code)
        registers = {**state, "rsp": STACK}
        questions.append(run_question(registers, (carry, overflow), memory, steps))
    for answer, real in zip(ask(certifier, questions), found, strict=True):
        said = state_of(answer)
        assert said is not None, text
        assert {r: said.registers[r] for r in REGISTERS} == {r: real[r] for r in REGISTERS}
        assert said.carry in (None, real["cf"]), text
        assert said.overflow in (None, real["of"]), text
        assert said.rip == CODE + len(code) - 1
        assert said.registers["rsp"] == STACK


@pytest.mark.parametrize("text", UNKNOWN_FORMS)
def test_what_the_model_lacks_is_undefined(text: str, certifier: Path) -> None:
    question = run_question({"rsp": STACK}, (0, 0), bytes_from(CODE, thunk(text)[2]), 1)
    assert ask(certifier, [question]) == ["undefined"]


@pytest.mark.parametrize("code", NO_INSTRUCTIONS)
def test_other_prefixes_and_ends_are_no_instructions(code: str, certifier: Path) -> None:
    question = run_question({"rsp": STACK}, (0, 0), bytes_from(CODE, bytes.fromhex(code)), 1)
    assert ask(certifier, [question]) == ["undefined"]
