"""The proof of code that does divsteps: what holds, and mutants that must be refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from test_studied import ON_X86_64
from x86_64_runs import REGISTERS, entries, instructions, on_processor, thunk

from fieldc.algorithms import divstep_matrix
from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.divsteps import DivstepClaim, DivstepState, Packing
from fieldc.proof.divsteps.prove import ProvedDivsteps, prove_divsteps
from fieldc.proof.divsteps.words import RADIX, WordCode
from fieldc.proof.divsteps.x86_64 import WordMeanings, WordX86
from fieldc.proof.memory import KernelMemory
from fieldc.targets.x86_64.conventions import WIN64
from fieldc.targets.x86_64.divsteps import compile_divsteps
from fieldc.targets.x86_64.print import GNU, INTEL

CLAIM = DivstepClaim(59)
STEP = slice(35, 49)
"""The lines of the second step in the kernel's code."""


def proved(
    text: str, claim: DivstepClaim = CLAIM, packing: Packing | None = None, **how: str
) -> ProvedDivsteps:
    function = function_of(assemble(text), "k")
    return prove_divsteps(function.code, claim, packing, start=function.start, **how)


def kernel(monkeypatch: pytest.MonkeyPatch | None = None, **changed: Any) -> str:
    """The kernel's text where constants of the algorithm, or its step, are others."""
    if monkeypatch is not None:
        for name, value in changed.items():
            monkeypatch.setattr(divstep_matrix, name, value)
    return compile_divsteps("k").text(INTEL)


@ON_X86_64
def test_the_kernel_is_proved_for_both_conventions() -> None:
    found = proved(kernel())
    assert found.stack <= 48 and "cmove" in found.instructions
    proved(compile_divsteps("k", WIN64).text(GNU), convention="win64")


@ON_X86_64
@pytest.mark.parametrize("blocks", [(1,), (20,), (7, 3), (19, 20, 20), (20, 20, 20)])
def test_other_numbers_of_steps_are_proved(
    blocks: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    proved(kernel(monkeypatch, STEPS=blocks), DivstepClaim(sum(blocks)), Packing(blocks))


def refuse(
    text: str, says: str, claim: DivstepClaim = CLAIM, packing: Packing | None = None
) -> None:
    with pytest.raises(ProofError, match=says):
        proved(text, claim, packing)


# Mutants that runs on numbers see


@ON_X86_64
@pytest.mark.parametrize("line", range(STEP.stop - STEP.start))
def test_a_step_without_one_of_its_instructions_is_refused(line: int) -> None:
    lines = kernel().splitlines()
    step = lines[STEP]
    assert [text.split()[0] for text in step[-3:]] == ["test", "cmovne", "sar"]
    del lines[STEP.start + line]
    refuse("\n".join(lines), "function: word|step|reads a flag|address|never wrote")


MUTANTS: dict[str, tuple[str, str]] = {
    "the condition of a sum": ("cmove r", "cmovne r"),
    "the condition of a swap": ("cmovne", "cmove"),
    "the bit that is asked for": ("test r8d, 1", "test r8d, 2"),
    "the place of the sign": ("shr r11, 63", "shr r11, 62"),
    "the word whose sign is found": ("shr r11, 63", "shr r10, 63"),
    "a swapped operand": ("cmovne rsi, r8", "cmovne r8, rsi"),
    "the count of steps": ("[r11 + -1]", "[r11 + -2]"),
    "a logical shift": ("sar r8, 1", "shr r8, 1"),
    "a shift by too many": ("sar r8, 1", "sar r8, 2"),
}


@ON_X86_64
@pytest.mark.parametrize(("old", "new"), MUTANTS.values(), ids=list(MUTANTS))
def test_a_wrong_step_is_refused(old: str, new: str) -> None:
    lines = kernel().splitlines()
    at = next(k for k in range(STEP.start, len(lines)) if old in lines[k])
    lines[at] = lines[at].replace(old, new)
    refuse("\n".join(lines), "function: word . of z is wrong for zeta = ")


@ON_X86_64
def test_a_step_too_few_or_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(kernel(), "is wrong for", DivstepClaim(58))
    refuse(kernel(), "59 steps of 60|is wrong for", DivstepClaim(60))
    refuse(kernel(), "no word holds", packing=Packing((20, 20, 19)))
    fewer = kernel(monkeypatch, STEPS=(19, 20, 19))
    refuse(fewer, "is wrong for")
    refuse(fewer, "is wrong for", packing=Packing((19, 20, 19)))


@ON_X86_64
def test_a_jump_that_data_decide_is_refused() -> None:
    lines = kernel().splitlines()
    lines.insert(STEP.stop - 3, "    jz here\nhere:")
    refuse("\n".join(lines), "je .* is not on the list")


# Mutants that runs on numbers do not see


@ON_X86_64
def test_what_is_right_for_all_but_few_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """zeta may overflow; u or v may not fit their fields; too few low bits are kept."""
    refuse(kernel(), "step 2, delta > 0, g even: zeta is not", replace(CLAIM, most=1 << 63))
    changed = {"LOW": 21, "MIDDLE": 21}
    text = kernel(monkeypatch, **changed)
    refuse(text, "drops bits|word 1 of z", packing=Packing(low=21, middle=21))
    changed = {"LOW": 20, "MIDDLE": 23}
    text = kernel(monkeypatch, **changed)
    refuse(text, "is not what the rule says|is wrong", packing=Packing(low=20, middle=23))
    text = kernel(monkeypatch, STEPS=(20, 20, 21), LOW=20, MIDDLE=22)
    refuse(text, "step|is wrong", DivstepClaim(61), Packing((20, 20, 21)))


@ON_X86_64
def test_a_rule_for_another_delta_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in all runs, whose zeta is small: it swaps where -1000 < zeta < 0 only."""

    def divstep(m: Any, zeta: Any, f: Any, g: Any, _: Any) -> Any:
        counted, turned, minus = zeta - 1, -2 - zeta, -f
        total = m.choose(m.is_at_least_0(zeta), f, minus) + g
        swaps = m.is_below_0_and_odd(zeta, g)
        far = m.is_at_least_0(zeta + 1000)
        turned, kept = m.choose(far, turned, counted), m.choose(far, g, f)
        return (
            m.choose(swaps, turned, counted),
            m.choose(swaps, kept, f),
            m.choose(m.is_odd(g), total, g) >> 1,
        )

    text = kernel(monkeypatch, divstep=divstep)
    refuse(text, "step 1, delta > 0, g odd: zeta: .* is not decided")


# The claim and the meanings


def test_a_state_is_what_its_matrix_says() -> None:
    state = DivstepState(-1, (1 << 80) + 7, 12345).after(59)
    for (a, b), value in zip(state.matrix, (state.f, state.g), strict=True):
        assert a * ((1 << 80) + 7) + b * 12345 == value << 59


FORMS = (
    *("add rax, rcx", "add rax, -3", "sub rax, rcx", "sub rcx, 5", "neg rax", "imul rax, rcx"),
    *("imul rcx, rax, -7", "and rax, rcx", "xor eax, eax", "mov rax, -5", "lea rax, [rcx - 1]"),
    *("lea rax, [rcx + rdx + 9]", "shl rax, 44", "shr rax, 63", "sar rax, 1", "sar rcx, 44"),
    *("push rax; pop rcx", "movabs rax, 0x8123456789abcdef"),
)
ASKS = (
    *("cmp rax, rcx", "cmp rax, 0", "test rax, rcx", "test eax, 1", "test al, 4", "neg rcx"),
    *("add rcx, rdx", "sub rcx, rdx", "and rcx, rdx"),
)
SHIFTED = ("sar rcx, 3", "shl rcx, 1", "shr rcx, 63")
ALL = [
    *FORMS,
    *(f"{a}; cmov{c} rsi, rdx" for a in ASKS for c in ("e", "ne", "s", "ns", "b", "ae")),
    *(f"{a}; cmov{c} rsi, rdx" for a in SHIFTED for c in ("e", "ne", "s", "ns")),
]


@ON_X86_64
@pytest.mark.parametrize("text", ALL)
def test_meanings_are_the_processors(text: str) -> None:
    code = WordCode()
    cpu = WordX86(KernelMemory(System(64), {}, b"", 1), "sysv")
    for register in REGISTERS:
        cpu.registers[register] = {(code.operand(),): 1}
    meanings = WordMeanings(code)
    for instruction in instructions(thunk(text)[2]):
        cpu.step(instruction, meanings.table())
    places = [meanings.place(cpu, cpu.registers[register]) for register in REGISTERS]
    for state in entries():
        found = on_processor(text, {**state, "cf": 0, "of": 0})
        words = code.run({k: state[r] for k, r in enumerate(REGISTERS)})
        assert [words[k] for k in places] == [found[r] for r in REGISTERS], (text, state)


@ON_X86_64
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bswap rax", "not on the list"),
        ("shl rax, 1; cmovb rsi, rdx", "undefined"),
        ("shl eax, 1", "4 bytes"),
        ("test ax, 1", "prefix"),
        ("test ah, 1", "`test`"),
        ("xor rax, rcx", "`xor`"),
        ("lea rax, [rcx + 2*rdx]", "`lea`"),
        ("imul rcx", "not on the list"),
    ],
)
def test_other_forms_are_refused(text: str, says: str) -> None:
    cpu = WordX86(KernelMemory(System(64), {}, b"", 1), "sysv")
    code = WordCode()
    for register in REGISTERS:
        cpu.registers[register] = {(code.operand(),): 1}
    meanings = WordMeanings(code)
    with pytest.raises(ProofError, match=re.escape(says)):
        for instruction in instructions(thunk(text)[2]):
            cpu.step(instruction, meanings.table())


def test_words_on_numbers_are_modulo_the_radix() -> None:
    code = WordCode()
    a = code.operand()
    places = [code.make(name, a, a) for name in ("add", "mul")]
    found = code.run({a: RADIX - 1})
    assert [found[k] for k in places] == [RADIX - 2, 1]
