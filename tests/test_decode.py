"""The decoder that the count and the scan for constant time share."""

from __future__ import annotations

import pytest

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import instruction, instructions, mnemonics
from fieldc.binary.functions import ScannedCode
from fieldc.binary.operands import DecodedMemory, DecodedOperand, DecodedRegister
from fieldc.counting.decode import decode_one, understood
from fieldc.proof.constant_time.scan import FindingKind, scan_function

X86, ARM, RISCV = Architecture.X86_64, Architecture.AARCH64, Architecture.RISCV64


@pytest.mark.parametrize(
    ("architecture", "code", "operands"),
    [
        (X86, "88e0", (DecodedRegister("rax", 1), DecodedRegister("rax", 1))),  # mov al, ah
        (X86, "83c005", (DecodedRegister("rax", 4), 5)),
        (X86, "488b04d508000000", (DecodedRegister("rax", 8), DecodedMemory("", "rdx", 8, 8, 8))),
        (X86, "64488b00", (DecodedRegister("rax", 8), DecodedMemory("rax", size=8, segment="fs"))),
        (X86, "c5fd6f00", (DecodedRegister("zmm0", 32), DecodedMemory("rax", size=32))),
        (ARM, "e0031f2a", (DecodedRegister("x0", 4), DecodedRegister("xzr", 4))),  # mov w0, wzr
        (ARM, "207862f8", (DecodedRegister("x0", 8), DecodedMemory("x1", "x2", 8))),
        (
            ARM,
            "fd7bbfa9",
            (
                *(DecodedRegister(f"x{i}", 8) for i in (29, 30)),
                DecodedMemory("sp", displacement=-16),
            ),
        ),
        (RISCV, "0865", (DecodedRegister("a0"), DecodedMemory("a0", displacement=8))),  # c.ld
        (RISCV, "0365850a", (DecodedRegister("a0"), DecodedMemory("a0", displacement=168))),
        (RISCV, "6f00a000", (0x10A,)),
        (RISCV, "1dc1", (DecodedRegister("a0"), 0x126)),  # c.beqz
        (RISCV, "3355b50e", tuple(DecodedRegister(name) for name in ("a0", "a0", "a1"))),
    ],
)
def test_operands_have_one_form(
    architecture: Architecture, code: str, operands: tuple[DecodedOperand, ...]
) -> None:
    found = instruction(bytes.fromhex(code), architecture, 0x100)
    assert found is not None and found.operands == operands
    assert (found.address, found.size) == (0x100, len(code) // 2)


def test_instructions_follow_each_other_up_to_bytes_that_are_none() -> None:
    zicond = "3355b50e"  # czero.eqz, which capstone does not know
    code = bytes.fromhex(f"0100{zicond}0100") + b"\xff" * 4
    found = [one.text for one in instructions(code, RISCV, 0)]
    assert found == ["c.nop", "czero.eqz a0, a0, a1", "c.nop"]
    assert mnemonics(bytes.fromhex("904890c3"), X86) == ["nop", "nop", "ret"]
    assert instruction(b"\x06", X86, 0) is None


def test_the_count_has_the_same_operands() -> None:
    (access,) = decode_one(bytes.fromhex("0865"), "riscv64", 0).accesses
    assert (access.base, access.offset, access.width) == ("a0", 8, 64)
    assert decode_one(bytes.fromhex("1dc1"), "riscv64", 0x100).target == 0x126


@pytest.mark.parametrize(
    ("architecture", "code"),
    [
        (RISCV, "83b50500 e7804500"),  # ld a1, 0(a1); jalr ra, 4(a1)
        (RISCV, "83b50500 67804500"),  # jalr zero, 4(a1)
        (X86, "488b36 ff26"),  # mov rsi, [rsi]; jmp [rsi]
        (ARM, "210040f9 20003fd6"),  # ldr x1, [x1]; blr x1
    ],
)
def test_a_jump_to_a_register_has_no_fixed_target(architecture: Architecture, code: str) -> None:
    data = bytes.fromhex(code)
    found = scan_function(ScannedCode("f", architecture, False, 0, data, {}, {}, {0: "f"}))
    assert FindingKind.INDIRECT in {one.kind for one in found}


@pytest.mark.parametrize(
    ("architecture", "code"),
    [
        ("x86_64", "eb02"),  # jmp
        ("x86_64", "7402"),  # jz
        ("x86_64", "e802000000"),  # call
        ("x86_64", "488b0502000000"),  # mov rax, [rip + 2]
        ("x86_64", "4801d8"),  # add rax, rbx
        ("aarch64", "40000058"),  # ldr x0, a literal
        ("aarch64", "40000010"),  # adr
        ("aarch64", "40000054"),  # b.eq
        ("riscv64", "6f00a000"),  # j
    ],
)
def test_what_was_decoded_before_is_the_same_at_another_address(
    architecture: str, code: str
) -> None:
    places = (0x100, 0x1000, 0x100)
    found = [decode_one(bytes.fromhex(code), architecture, place) for place in places]
    alone = [understood(bytes.fromhex(code), architecture, place) for place in places]
    assert found == alone
