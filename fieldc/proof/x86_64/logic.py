"""Instructions on bits: and, or, xor, not, test and the low bits of a word."""

from __future__ import annotations

from functools import partial

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import complement, flipped, low_bits, masked, united
from fieldc.proof.values import AnyOf, LowByte, Value
from fieldc.proof.x86_64.arithmetic import folded
from fieldc.proof.x86_64.conditions import sets_signs, signs_of
from fieldc.proof.x86_64.control import aligns_stack
from fieldc.proof.x86_64.narrow import and_half
from fieldc.proof.x86_64.processor import (
    CLEAR,
    LOW_BYTES,
    LOW_HALVES,
    REGISTERS,
    Meaning,
    SymbolicX86,
    same_register,
)
from fieldc.proof.x86_64.shifts import bit_of


def _and(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A mask and a word: the word if the mask's flag is set, else 0; or a word's low bits."""
    if i.operands[0].size != 8:
        if not folded(cpu, i):
            and_half(cpu, i)
        return
    if aligns_stack(cpu, i):
        return
    value = masked(cpu, cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1)))
    cpu.write(i, 0, value)
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)
    sets_signs(cpu, value)


def _or(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """Words of which it is only asked whether they are all 0.

    Foreign code may ask for more where they have no bit in common, or where one flag decides both.
    """
    if folded(cpu, i):
        return
    a, b = cpu.read(i, 0), cpu.read(i, 1)
    value = a
    if not cpu.memory.is_foreign:
        value = _any_of(cpu, a, b)
    elif not (isinstance(a, dict) and a == b):
        try:
            value = united(cpu, cpu.word(a), cpu.word(b))
        except ProofError:
            value = _any_of(cpu, a, b)
    cpu.write(i, 0, value)
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)
    sets_signs(cpu, value)


def _any_of(cpu: SymbolicX86, *values: Value) -> AnyOf:
    words = (v.words if isinstance(v, AnyOf) else (cpu.word(v),) for v in values)
    return AnyOf(tuple(word for part in words for word in part))


def _bzhi(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """bzhi by a constant: the low bits; the processor takes 8 bits of the constant."""
    system = cpu.memory.system
    word, index = cpu.word(cpu.read(i, 1)), cpu.read(i, 2)
    if isinstance(index, LowByte) and index.value is not None:
        index = index.value
    if not isinstance(index, dict) or index.keys() - {()}:
        raise ProofError(f"{cpu.where}: keeps as many bits as data say")
    bits = int(index.get((), 0)) & 0xFF
    keeps_all = bits >= system.word_bits
    if bits and not keeps_all:
        word = low_bits(cpu, word, bits)
    cpu.write(i, 0, word if bits else {})
    cpu.carry = {(): 1} if keeps_all else dict(CLEAR)
    cpu.overflow = dict(CLEAR)
    sets_signs(cpu, word if bits else {})


def _not(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """2^64 - 1 - word; no flag changes."""
    cpu.write(i, 0, complement(cpu, cpu.word(cpu.read(i, 0))))


def _xor(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """xor r, r: zero; or a word and a mask: the word or its complement. The flags are clear."""
    if same_register(i):
        name: str = i.reg_name(i.operands[0].reg)
        name = LOW_HALVES.get(name, name)
        if name not in REGISTERS:
            raise ProofError(f"{cpu.where}: register {name} is not a general one")
        cpu.registers[name] = {}
        sets_signs(cpu, {})
    elif not folded(cpu, i):
        cpu.needs_no_certificate()
        value = flipped(cpu, cpu.word(cpu.read(i, 0)), cpu.word(cpu.read(i, 1)))
        cpu.write(i, 0, value)
        sets_signs(cpu, value)
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)


def _test(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """test: carry and overflow clear, whatever is compared; whether the words' `and` is 0."""
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)
    if any(operand.type != x86.X86_OP_REG for operand in i.operands):
        cpu.needs_no_certificate()
    if i.operands[0].type != x86.X86_OP_REG:
        raise ProofError(f"{cpu.where}: `test` of memory is not on the list")
    if folded(cpu, i):
        return
    if same_register(i) and i.operands[0].size == 8:
        sets_signs(cpu, cpu.registers.get(i.reg_name(i.operands[0].reg), LowByte(None)))
    elif i.operands[1].type == x86.X86_OP_IMM:
        _test_low_bits(cpu, i)


def _test_low_bits(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """The low bits of a word, or all of the part of it that is named: then its top bit too."""
    whole, bits = cpu.registers.get(_whole(i, 0), LowByte(None)), 8 * i.operands[0].size
    ones = i.operands[1].imm % (1 << bits)
    if not isinstance(whole, dict) or not ones or ones & ones + 1:
        return
    zero, sign = signs_of(cpu, low_bits(cpu, whole, ones.bit_length()))
    if ones >> bits - 1:
        sign = partial(bit_of, cpu, whole, bits - 1)
    cpu.signs = zero, sign


def _whole(i: capstone.CsInsn, index: int) -> str:
    name: str = i.reg_name(i.operands[index].reg)
    return LOW_HALVES.get(name) or LOW_BYTES.get(name) or name


MEANINGS: dict[str, Meaning] = {
    "and": _and,
    "or": _or,
    "xor": _xor,
    "not": _not,
    "test": _test,
    "bzhi": _bzhi,
}
"""What works on bits."""
