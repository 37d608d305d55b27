"""Decode instructions from bytes, with capstone, and their operands in one form for all readers.

What an instruction does is up to the reader: the count, the scan for constant time and the prover
each have their own tables of meanings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import capstone

from fieldc.binary.architecture import Architecture
from fieldc.binary.operands import OPERANDS_OF, DecodedOperand
from fieldc.binary.zicond import conditional_zero

LONGEST = 15
"""Bytes of the longest instruction."""
_BIG = capstone.CS_MODE_BIG_ENDIAN
_MODES = {
    Architecture.X86_64: (capstone.CS_ARCH_X86, capstone.CS_MODE_64),
    Architecture.AARCH64: (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
    Architecture.RISCV64: (
        capstone.CS_ARCH_RISCV,
        capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC,
    ),
    Architecture.MIPS64: (capstone.CS_ARCH_MIPS, capstone.CS_MODE_MIPS64 | _BIG),
    Architecture.MIPS64EL: (capstone.CS_ARCH_MIPS, capstone.CS_MODE_MIPS64),
    Architecture.MIPSEL: (capstone.CS_ARCH_MIPS, capstone.CS_MODE_MIPS32),
    Architecture.ARM: (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM),
}


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """One instruction, its operands in the order in which a disassembler writes them."""

    address: int
    size: int
    mnemonic: str
    op_str: str
    operands: tuple[DecodedOperand, ...]
    raw: Any = None
    """Capstone's record, for what only one reader asks; None where capstone knows no such code."""

    @property
    def text(self) -> str:
        """As a disassembler writes it."""
        return f"{self.mnemonic} {self.op_str}".strip()

    def size_of(self, index: int) -> int:
        """Return the bytes of an operand, 0 for a number."""
        operand = self.operands[index]
        return 0 if isinstance(operand, int) else operand.size


@cache
def decoder(architecture: Architecture) -> capstone.Cs:
    """Return capstone's decoder of an architecture, which gives details."""
    engine = capstone.Cs(*_MODES[architecture])
    engine.detail = True
    return engine


def instructions(
    code: bytes, architecture: Architecture, address: int
) -> Iterator[MachineInstruction]:
    """Yield the instructions that follow each other, up to the first bytes that are none."""
    engine, operands_of = decoder(architecture), OPERANDS_OF[architecture]
    place, end = address, address + len(code)
    while place < end:
        rest = code[place - address :]
        for raw in engine.disasm(rest, place):
            place += raw.size
            operands = operands_of(raw)
            yield MachineInstruction(raw.address, raw.size, raw.mnemonic, raw.op_str, operands, raw)
        other = _beyond_capstone(code[place - address :], architecture, place)
        if other is None:
            return
        yield other
        place += other.size


def instruction(code: bytes, architecture: Architecture, address: int) -> MachineInstruction | None:
    """Return the instruction that bytes begin with, or None where they begin with none."""
    for raw in decoder(architecture).disasm(code[:LONGEST], address, 1):
        operands = OPERANDS_OF[architecture](raw)
        return MachineInstruction(raw.address, raw.size, raw.mnemonic, raw.op_str, operands, raw)
    return _beyond_capstone(code, architecture, address)


def mnemonics(code: bytes, architecture: Architecture) -> list[str]:
    """Return the names alone, up to the first bytes that are no instruction: a quick look."""
    return [name for _, _, name, _ in decoder(architecture).disasm_lite(code, 0)]


def _beyond_capstone(
    code: bytes, architecture: Architecture, address: int
) -> MachineInstruction | None:
    found = conditional_zero(code) if architecture is Architecture.RISCV64 else None
    if found is None:
        return None
    name, registers = found
    text = ", ".join(register.name for register in registers)
    return MachineInstruction(address, 4, name, text, registers)
