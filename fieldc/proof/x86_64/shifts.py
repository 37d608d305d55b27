"""Shifts and rotations by constants."""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.equations import Polynomial, add_to
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import (
    bit,
    chosen,
    halved,
    low_bits,
    shifted,
    top_bits,
    two_values,
    word_of,
)
from fieldc.proof.x86_64.arithmetic import folded
from fieldc.proof.x86_64.conditions import sets_signs
from fieldc.proof.x86_64.processor import LOW_HALVES, Meaning, SymbolicX86


def shld(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shld by a constant; the processor masks a count to 6 bits, and by 0 it does nothing."""
    k = _count(cpu, i, 2)
    high, low = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    _gives(cpu, i, shifted(cpu, high, low, k))


def shrd(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shrd by a constant k: what shld by w - k makes of the two words the other way round."""
    k = _count(cpu, i, 2)
    low, high = cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1))
    _gives(cpu, i, shifted(cpu, high, low, cpu.memory.system.word_bits - k))


def shl(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shl by a constant: as shld with zeros. By 1, the carry is the top bit."""
    if folded(cpu, i):
        return
    k, word = _count(cpu, i, 1), cpu.word(cpu.read(i, 0))
    _gives(cpu, i, shifted(cpu, word, {}, k))
    cpu.carry = top_bits(cpu, word, 1) if k == 1 else None


def shr(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """shr by a constant: the top bits. By 1, the carry is the lowest bit."""
    if folded(cpu, i):
        return
    k = _count(cpu, i, 1)
    if i.operands[0].size == 4:
        _right_half(cpu, i, k)
        return
    word = cpu.word(cpu.read(i, 0))
    system = cpu.memory.system
    exact = halved(system, word, k) if cpu.memory.is_foreign else None
    if exact is not None:
        _gives(cpu, i, {(system.define_word(exact, cpu.where, (system.radix - 1) >> k),): 1})
        return
    top = top_bits(cpu, word, system.word_bits - k)
    _gives(cpu, i, {(system.define_word(top, cpu.where),): 1})
    if k == 1:
        cpu.carry = dict(word)
        add_to(cpu.carry, top, -2)


def sar(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sar by w - 1: all ones if the top bit is set; other counts of words with two values."""
    if folded(cpu, i):
        return
    system = cpu.memory.system
    if i.operands[0].size != 8 or _count(cpu, i, 1) != system.word_bits - 1:
        raise ProofError(f"{cpu.where}: a signed shift of a word by less than all its bits")
    sign = top_bits(cpu, cpu.word(cpu.read(i, 0)), 1)
    _gives(cpu, i, chosen(cpu, sign, {(): system.radix - 1}, {}))


def _right_half(cpu: SymbolicX86, i: capstone.CsInsn, k: int) -> None:
    """shr of a 32-bit register of which more is not set."""
    name = LOW_HALVES.get(i.reg_name(i.operands[0].reg), "")
    word = cpu.word(cpu.registers[name]) if name else {}
    if not name or cpu.memory.system.largest(word) >> 32:
        raise ProofError(f"{cpu.where}: shifts half a word that may be more than 32 bits")
    top = top_bits(cpu, word, cpu.memory.system.word_bits - k)
    cpu.registers[name] = {(cpu.memory.system.define_word(top, cpu.where),): 1} if top else {}
    cpu.carry = cpu.overflow = None
    sets_signs(cpu, cpu.registers[name])


def _gives(cpu: SymbolicX86, i: capstone.CsInsn, word: Polynomial) -> None:
    cpu.write(i, 0, word)
    cpu.carry = cpu.overflow = None
    sets_signs(cpu, word)


def _count(cpu: SymbolicX86, i: capstone.CsInsn, operand: int) -> int:
    """How far a shift goes, less than the bits of what it shifts."""
    count, most = i.operands[operand], 8 * i.operands[0].size - 1
    if count.type != x86.X86_OP_IMM or not 0 < count.imm <= most:
        raise ProofError(f"{cpu.where}: shifts by what is no constant from 1 to {most}")
    return int(count.imm)


def _shift_by_register(left: bool) -> Meaning:
    """shlx and shrx by a constant in a register, whose low 6 bits count; no flag changes."""

    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        word, by = cpu.word(cpu.read(i, 1)), cpu.word(cpu.read(i, 2))
        values = two_values(cpu.memory.system, by)
        if values is None or values.flag is not None:
            raise ProofError(f"{cpu.where}: shifts by what data say")
        system = cpu.memory.system
        k = values.when_set % system.word_bits
        if k and left:
            word = shifted(cpu, word, {}, k)
        elif k:
            top = top_bits(cpu, word, system.word_bits - k)
            word = {(system.define_word(top, cpu.where),): 1}
        cpu.write(i, 0, word)

    return meaning


def rorx(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """rorx by a constant; no flag changes."""
    k, word = _count(cpu, i, 2), cpu.word(cpu.read(i, 1))
    cpu.write(i, 0, shifted(cpu, word, word, cpu.memory.system.word_bits - k))


def bit_of(cpu: SymbolicX86, word: Polynomial, place: int) -> Polynomial:
    """One bit of a word, as a flag."""
    system = cpu.memory.system
    if (values := two_values(system, word)) is not None:
        return bit(values.mapped(lambda value: value >> place & 1))
    if place == system.word_bits - 1:
        return top_bits(cpu, word, 1)
    right = top_bits(cpu, word, system.word_bits - place) if place else dict(word)
    return low_bits(cpu, right, 1) if right else {}


def bt(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """bt by a constant: the carry is that bit; the zero flag stays, the others are undefined."""
    operand, count = i.operands
    if operand.type != x86.X86_OP_REG or count.type != x86.X86_OP_IMM:
        raise ProofError(f"{cpu.where}: `bt` of memory, or by a register")
    name = i.reg_name(operand.reg)
    name, bits = LOW_HALVES.get(name, name), 8 * operand.size
    if name not in cpu.registers:
        raise ProofError(f"{cpu.where}: {name} is no whole register and no low half")
    word = cpu.word(cpu.registers[name])
    cpu.carry = bit_of(cpu, word, count.imm % bits)
    cpu.overflow = None


def _with_bit(cpu: SymbolicX86, i: capstone.CsInsn, value: int) -> None:
    """btr or bts by a constant: the carry is that bit, which then has a value."""
    operand, count = i.operands
    if operand.size != 8 or operand.type != x86.X86_OP_REG or count.type != x86.X86_OP_IMM:
        raise ProofError(f"{cpu.where}: `{i.mnemonic}` of memory or a half, or by a register")
    system = cpu.memory.system
    word, place = cpu.word(cpu.read(i, 0)), count.imm % system.word_bits
    flag = bit_of(cpu, word, place)
    kept = system.radix - 1 - (1 << place)
    if (values := two_values(system, word)) is not None:
        cpu.write(i, 0, word_of(cpu, values.mapped(lambda v: v & kept | value << place)))
    elif place == system.word_bits - 1 and not value:
        cpu.write(i, 0, low_bits(cpu, word, place))
    else:
        left = dict(word)
        add_to(left, flag, -(1 << place))
        add_to(left, {(): value << place} if value else {})
        high = None if not value else system.radix - 1
        cpu.write(i, 0, {(system.define_word(left, cpu.where, high),): 1})
    cpu.carry, cpu.overflow = flag, None


def btr(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """btr by a constant: the carry is that bit, which is cleared."""
    _with_bit(cpu, i, 0)


def bts(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """bts by a constant: the carry is that bit, which is set."""
    _with_bit(cpu, i, 1)


MEANINGS: dict[str, Meaning] = {
    "shld": shld,
    "shrd": shrd,
    "shl": shl,
    "shr": shr,
    "sar": sar,
    "shlx": _shift_by_register(True),
    "shrx": _shift_by_register(False),
    "rorx": rorx,
    "bt": bt,
    "btr": btr,
    "bts": bts,
}
"""What shifts, and the bit of a word."""
