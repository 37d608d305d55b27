"""The operands of an instruction: registers by the names of all of them, memory, numbers.

Only here is capstone asked what an operand is. The prover alone reads capstone's operands itself:
its meanings refuse each form that they do not name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from capstone import CS_OP_IMM, CS_OP_MEM, CS_OP_REG, CsInsn

from fieldc.binary.architecture import Architecture


@dataclass(frozen=True, slots=True)
class DecodedRegister:
    """A register by the name of all of it (`rax` for `al`), and the bytes of it that are meant.

    `size` is 0 where the decoder does not tell.
    """

    name: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class DecodedMemory:
    """`size` bytes at segment + base + scale*index + displacement; names may be empty.

    `size` is 0 where only the instruction's name tells it.
    """

    base: str
    index: str = ""
    scale: int = 1
    displacement: int = 0
    size: int = 0
    segment: str = ""


DecodedOperand = DecodedRegister | DecodedMemory | int
"""A kind that no reader asks for, such as the name of a barrier, is the number 0."""

_X86_64 = {
    **{f"{h}{x}{t}": f"r{x}{t}" for x in "abcd" for h, t in (("r", "x"), ("e", "x"), ("", "x"))},
    **{f"{x}{t}": f"r{x}x" for x in "abcd" for t in "lh"},
    **{f"{h}{n}": f"r{n}" for n in ("si", "di", "bp", "sp") for h in ("r", "e", "")},
    **{f"{n}l": f"r{n}" for n in ("si", "di", "bp", "sp")},
    **{f"r{n}{t}": f"r{n}" for n in range(8, 16) for t in ("", "d", "w", "b")},
    **{f"{h}mm{n}": f"zmm{n}" for n in range(32) for h in "xyz"},
}
"""Whole registers by the names of their parts."""
_AARCH64 = {"fp": ("x29", 8), "lr": ("x30", 8), "sp": ("sp", 8), "wsp": ("sp", 4)}
_AARCH64_SIZES = {"x": 8, "w": 4, "q": 16, "v": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_RISCV_JUMP = re.compile(r"(c\.)?(j|jal|b(eq|ne|lt|gt|le|ge)u?z?)")
_RISCV_ACCESS = re.compile(r"(c\.)?f?[ls][bhwd]u?(sp)?")


def _x86_64(instruction: CsInsn) -> tuple[DecodedOperand, ...]:
    found: list[DecodedOperand] = []
    for one in instruction.operands:
        if one.type == CS_OP_REG:
            found.append(DecodedRegister(x86_64_name(instruction, one.reg), one.size))
        elif one.type == CS_OP_IMM:
            found.append(one.imm)
        elif one.type == CS_OP_MEM:
            place = one.mem
            base, index, segment = (
                x86_64_name(instruction, number) if number else ""
                for number in (place.base, place.index, place.segment)
            )
            found.append(DecodedMemory(base, index, place.scale, place.disp, one.size, segment))
        else:
            found.append(0)
    return tuple(found)


_NAMES: dict[int, str] = {}
"""Whole registers by capstone's numbers: asking it each time takes a tenth of a count's time."""


def x86_64_name(instruction: CsInsn, number: int) -> str:
    """Return the name of the whole register that has a number."""
    if number not in _NAMES:
        name = str(instruction.reg_name(number) or "")
        _NAMES[number] = _X86_64.get(name, name)
    return _NAMES[number]


@cache
def _aarch64_register(name: str) -> DecodedRegister:
    if name in _AARCH64:
        return DecodedRegister(*_AARCH64[name])
    size = _AARCH64_SIZES.get(name[:1], 16)
    if re.fullmatch(r"w(\d+|zr)", name):
        return DecodedRegister("x" + name[1:], size)
    vector = re.fullmatch(r"[qdshbv](\d+)(\.\w+)?", name)
    return DecodedRegister(f"v{vector[1]}" if vector else name, size)


def _aarch64(instruction: CsInsn) -> tuple[DecodedOperand, ...]:
    found: list[DecodedOperand] = []
    for one in instruction.operands:
        if one.type == CS_OP_REG:
            found.append(_aarch64_register(str(instruction.reg_name(one.reg))))
        elif one.type == CS_OP_MEM:
            base, index = (
                _aarch64_register(str(instruction.reg_name(number))).name if number else ""
                for number in (one.mem.base, one.mem.index)
            )
            scale = 1 << one.shift.value if index else 1
            found.append(DecodedMemory(base, index, scale, one.mem.disp))
        else:
            found.append(one.imm if one.type == CS_OP_IMM else 0)
    return tuple(found)


def _plain(instruction: CsInsn) -> tuple[DecodedOperand, ...]:
    """Operands of the architectures whose registers have no parts with names."""
    found: list[DecodedOperand] = []
    for one in instruction.operands:
        if one.type == CS_OP_REG:
            found.append(DecodedRegister(str(instruction.reg_name(one.reg))))
        elif one.type == CS_OP_MEM:
            index = getattr(one.mem, "index", 0)
            base, added = (
                str(instruction.reg_name(number)) if number else ""
                for number in (one.mem.base, index)
            )
            found.append(DecodedMemory(base, added, displacement=one.mem.disp))
        else:
            found.append(one.imm if one.type == CS_OP_IMM else 0)
    return tuple(found)


def _riscv64(instruction: CsInsn) -> tuple[DecodedOperand, ...]:
    """As `_plain`, but memory and targets of compressed instructions as of others.

    Capstone gives the place of a compressed access as a number and a register, and the distance
    of a jump instead of its target.
    """
    found, name = _plain(instruction), instruction.mnemonic
    match found:
        case (register, int(displacement), DecodedRegister(base)) if _RISCV_ACCESS.fullmatch(name):
            return register, DecodedMemory(base, displacement=displacement)
        case (*first, int(distance)) if _RISCV_JUMP.fullmatch(name):
            return *first, instruction.address + distance
    return found


OPERANDS_OF: dict[Architecture, Callable[[CsInsn], tuple[DecodedOperand, ...]]] = {
    Architecture.X86_64: _x86_64,
    Architecture.AARCH64: _aarch64,
    Architecture.RISCV64: _riscv64,
    Architecture.MIPS64: _plain,
    Architecture.MIPS64EL: _plain,
    Architecture.MIPSEL: _plain,
    Architecture.ARM: _plain,
}
"""How the operands of an instruction are read from capstone's record."""
