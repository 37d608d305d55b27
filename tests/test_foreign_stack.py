"""Routines that align their stack, or are called by Go; tables with words before them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldc.artifacts.foreign import contract_in_file, prove_foreign
from fieldc.binary.read import open_images
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.statements import contract_from
from fieldc.proof.prove import prove

P = (1 << 62) - 57
CODE = """
    .intel_syntax noprefix
    .globl f
f:
{}
    ret
"""
COPY = 'claim = "z = x"\narguments = ["z", "x"]\n'
ALIGNS = """
    mov rax, rsp
    lea r10, [rsp - 80]
    and r10, -1024
    mov r11, rsp
    sub r11, r10
    and r11, -4096
    lea rsp, [r10 + r11]
    mov r11, [rsp]
    mov rcx, [rsi]
    mov [rsp + 8], rcx
    mov [rsp + 64], rax
    mov rdx, [rsp + {place}]
    mov [rdi], rdx
    mov rax, [rsp + 64]
    mov rsp, rax
"""
SEES = """
    mov rcx, rsp
    mov r10, rsp
    and r10, -64
    sub rcx, r10
    mov rax, [rsi]
    sub rcx, 8
    mov [rdi], rax
    {}
"""
SIGN = """
    mov rax, [rsi]
    {sum} rax, [rdx]
    mov r8, rax
    sub r8, [rcx{at}]
    cmov{condition} r8, rax
    mov [rdi], r8
"""
OVERWRITES = """
    sub rsp, 48
    mov rcx, rsp
    and rcx, -{alignment}
    mov qword ptr [rcx + {place}], 5
    add rsp, 48
"""
"""At place 48 the number 5 lies over the return address where rsp - 48 is aligned."""
TAKES = {
    "sysv": "",
    "go-abi0": "mov rdi, [rsp + 8]\nmov rsi, [rsp + 16]",
    "go-abiinternal": "mov rdi, rax\nmov rsi, rbx",
}
ON_STACK = {
    "sysv": ("rsp + 8", ("z", *"-----", "x"), "argument 7, x, on the stack; only the first 6"),
    "win64": ("rsp + 40", ("z", *"---", "x"), "argument 5, x, on the stack; only the first 4"),
    "go-abiinternal": ("rsp + 8", ("z", *"--------", "x"), "argument 10, x, on the stack;"),
    "go-abi0": ("rsp + 24", ("z", "x", "-"), "argument 3, -, of which the contract says nothing"),
}
"""Where an argument lies of which nothing is known, the arguments, and what is said."""
IN_PLACE = """
    mov r14, fs:[-8]
    cmp rsp, [r14 + 16]
    jbe f
    mov rax, [rsp + 8]
    mov rcx, [rax]
    add rcx, [rax]
    mov rdx, rcx
    movabs r8, 0x3fffffffffffffc7
    sub rcx, r8
    cmovc rcx, rdx
    mov [rax], rcx
"""


def failure(folder: Path, text: str, contract: str) -> str:
    """Why a routine is not proved; empty where it is."""
    path = folder / "f.o"
    path.write_bytes(assemble(CODE.format(text)))
    (image,) = open_images(path).values()
    return prove_foreign(image, "f", contract_in_file(contract, 1), P).failure


def test_a_stack_may_be_aligned(tmp_path: Path) -> None:
    assert failure(tmp_path, ALIGNS.format(place=8), COPY) == ""
    unwritten = failure(tmp_path, ALIGNS.format(place=16), COPY)
    assert "stores an address or an unknown value" in unwritten


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("", ""),
        ("mov [rdi], rcx", "depends on where the stack lies"),
        ("mov [rdi], r10", "address"),
    ],
)
def test_no_result_depends_on_where_the_stack_lies(tmp_path: Path, last: str, reason: str) -> None:
    found = failure(tmp_path, SEES.format(last), COPY)
    assert reason in found
    assert bool(reason) == bool(found)


def test_the_sign_of_a_difference_is_its_borrow(tmp_path: Path) -> None:
    said = 'claim = "z = x + y"\narguments = ["z", "x", "y", "p"]\n'
    right = {"sum": "add", "at": "", "condition": "s"}
    assert failure(tmp_path, SIGN.format(**right), said) == ""
    assert failure(tmp_path, SIGN.format(**{**right, "condition": "ns"}), said) != ""
    too_large = said + 'below = {x = "2*p", y = "2*p"}\n'
    assert failure(tmp_path, SIGN.format(**right), too_large) != ""


def test_words_before_a_table(tmp_path: Path) -> None:
    said = 'claim = "z = x + y"\narguments = ["z", "x", "y", "q"]\ntables = {q = "p + 2**64*n0"}\n'
    said += "sizes = {q = 2}\n"
    text = SIGN.format(sum="add", at=" - 8", condition="s")
    assert failure(tmp_path, text, f"{said}before = {{q = 1}}\n") == ""
    assert "reads q at -8" in failure(tmp_path, text, said)
    assert "before: q is no table" in failure(tmp_path, text, f"{said}before = {{q = 2}}\n")


def test_a_routine_of_go_on_an_operand_in_place(tmp_path: Path) -> None:
    said = 'claim = "z = 2*x"\narguments = ["z"]\nin_place = "x"\n'
    assert failure(tmp_path, IN_PLACE, f'{said}convention = "go-abi0"\n') == ""
    assert "prefix" in failure(tmp_path, IN_PLACE, said)
    wrong = said.replace('"x"', '"z"')
    assert "in_place: z is an argument" in failure(tmp_path, IN_PLACE, wrong)


@pytest.mark.parametrize("convention", TAKES)
@pytest.mark.parametrize("alignment", [16, 32, 64])
def test_go_keeps_its_stack_at_multiples_of_8(
    convention: str, alignment: int, tmp_path: Path
) -> None:
    """Others keep it at 8 modulo 16 at a call, so that no aligned address is 48 bytes below."""
    said = f'{COPY}convention = "{convention}"\n'
    text = TAKES[convention] + "\nmov rax, [rsi]\nmov [rdi], rax\n" + OVERWRITES
    found = failure(tmp_path, text.format(alignment=alignment, place=48), said)
    assert found == "" if convention == "sysv" else "writes stack that is not its own" in found
    assert failure(tmp_path, text.format(alignment=16, place=40), said) == ""


@pytest.mark.parametrize("convention", ON_STACK)
def test_an_argument_on_the_stack_is_named(convention: str, tmp_path: Path) -> None:
    """Not the routine is wrong that reads it: it is the contract that is not known to reach it."""
    place, names, why = ON_STACK[convention]
    said = f'claim = "z = x"\narguments = {[*names]}\nconvention = "{convention}"\n'
    assert why in failure(tmp_path, f"mov rax, [{place}]\nmov rax, [rax]", said)
    assert "that it never wrote" in failure(tmp_path, "mov rax, [rsp + 160]", said)


COPY_AARCH64 = (0xF9400029, 0xF9000009)
"""ldr x9, [x1]; str x9, [x0]"""
PACIASP, AUTIASP, RET, LOAD = 0xD503233F, 0xD50323BF, 0xD65F03C0, 0xF94003E9
"""LOAD is ldr x9, [sp]."""


def test_what_aarch64_assumes_of_its_caller() -> None:
    def assumed(*words: int, arguments: str = '["z", "x"]') -> tuple[str, ...]:
        code = b"".join(word.to_bytes(4, "little") for word in (*words, RET))
        said = contract_in_file(f'claim = "z = x"\narguments = {arguments}\n', 1)
        contract = contract_from(said.statement, P)
        return prove(code, contract, "aapcs64", architecture="aarch64", constants={}).assumed

    assert assumed(*COPY_AARCH64) == ()
    bl = "the return address on entry is one that bl made"
    assert assumed(PACIASP, *COPY_AARCH64, AUTIASP) == (bl,)
    names = ["z", "x", *"-------"]
    with pytest.raises(ProofError, match="reads argument 9, -, on the stack; only the first 8"):
        assumed(LOAD, *COPY_AARCH64, arguments=str(names))
