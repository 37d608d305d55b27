"""AArch64 instructions that shift by constants, or take fields of bits."""

from __future__ import annotations

import capstone
from capstone import arm64_const as arm

from fieldc.proof import bits
from fieldc.proof.aarch64.memory import whole
from fieldc.proof.aarch64.processor import Meaning, SymbolicArm64
from fieldc.proof.algebra.equations import Polynomial, add_to, variable


def _count(cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> int:
    """A constant number of bits of a 64-bit register."""
    whole(cpu, i)
    if i.operands[index].type != arm.ARM64_OP_IMM:
        raise cpu.refuse("shifts by what is no constant")
    return int(i.operands[index].imm)


def _lsl(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.left(cpu.word(i, 1), _count(cpu, i, 2)))


def _lsr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.right(cpu.word(i, 1), _count(cpu, i, 2)))


def _asr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """A mask of the top bit."""
    last = cpu.memory.system.word_bits - 1
    if _count(cpu, i, 2) != last:
        raise cpu.refuse("this shift is not on the list")
    _spread(cpu, i, cpu.right(cpu.word(i, 1), last))


def _sbfx(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """A mask of one bit."""
    if _count(cpu, i, 3) != 1:
        raise cpu.refuse("this field is not on the list")
    _spread(cpu, i, cpu.low_bits(cpu.right(cpu.word(i, 1), _count(cpu, i, 2)), 1))


def _spread(cpu: SymbolicArm64, i: capstone.CsInsn, bit: Polynomial) -> None:
    if not cpu.words.are_bits(bit):
        raise cpu.refuse("spreads a bit that is not a variable of its own")
    cpu.write(i, 0, {m: c * (cpu.memory.system.radix - 1) for m, c in bit.items()})


def _ubfx(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    start, count = _count(cpu, i, 2), _count(cpu, i, 3)
    cpu.write(i, 0, cpu.low_bits(cpu.right(cpu.word(i, 1), start), count))


def _extr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """(high:low >> count) mod 2^w: two fields that do not meet."""
    count = _count(cpu, i, 3)
    if not count:
        cpu.write(i, 0, cpu.word(i, 2))
        return
    width = cpu.memory.system.word_bits
    if cpu.memory.is_foreign:
        high, low = (cpu.words.word(cpu.word(i, k), cpu.where) for k in (1, 2))
        cpu.write(i, 0, bits.shifted(cpu, high, low, width - count))
        return
    right = dict(cpu.words.word(cpu.left(cpu.word(i, 1), width - count), cpu.where))
    add_to(right, cpu.words.word(cpu.right(cpu.word(i, 2), count), cpu.where))
    cpu.write(i, 0, variable(cpu.memory.system.define_word(right, cpu.where)))


MEANINGS: dict[str, Meaning] = {
    "lsl": _lsl,
    "lsr": _lsr,
    "asr": _asr,
    "sbfx": _sbfx,
    "ubfx": _ubfx,
    "extr": _extr,
}
"""What moves bits."""
