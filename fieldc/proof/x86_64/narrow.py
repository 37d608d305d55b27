"""Bytes and 32-bit halves of registers, as LLVM uses them for flags and small numbers."""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.equations import Polynomial, add_to
from fieldc.proof.identity import ProofError
from fieldc.proof.memory import LowByte
from fieldc.proof.x86_64.bits import masked
from fieldc.proof.x86_64.processor import CLEAR, LOW_BYTES, LOW_HALVES, Meaning, SymbolicX86


def _half(cpu: SymbolicX86, i: capstone.CsInsn, index: int) -> Polynomial:
    """A 32-bit register whose upper half is known to be 0, or a constant."""
    operand = i.operands[index]
    if operand.type == x86.X86_OP_IMM:
        value = operand.imm % (1 << 32)
        return {(): value} if value else {}
    name = i.reg_name(operand.reg) if operand.type == x86.X86_OP_REG else "memory"
    word = cpu.word(cpu.registers[LOW_HALVES[name]]) if name in LOW_HALVES else None
    if word is None or cpu.memory.system.largest(word) >> 32:
        raise ProofError(f"{cpu.where}: {name} may be more than 32 bits")
    return word


def _low_byte(cpu: SymbolicX86, i: capstone.CsInsn) -> str:
    """The register whose low byte is the first operand."""
    operand = i.operands[0]
    name = i.reg_name(operand.reg) if operand.type == x86.X86_OP_REG else "memory"
    if name not in LOW_BYTES:
        raise ProofError(f"{cpu.where}: {name} is not the low byte of a general register")
    return LOW_BYTES[name]


def add_half(cpu: SymbolicX86, i: capstone.CsInsn, carry: Polynomial) -> None:
    """add and adc of 32 bits, where the ranges exclude a carry."""
    system = cpu.memory.system
    right = dict(_half(cpu, i, 0))
    add_to(right, _half(cpu, i, 1))
    add_to(right, carry)
    if system.largest(right) >> 32:
        raise ProofError(f"{cpu.where}: a sum of 32 bits that may be more than 32 bits")
    name = LOW_HALVES[i.reg_name(i.operands[0].reg)]
    cpu.registers[name] = {(system.define_word(right, cpu.where),): 1}
    cpu.carry, cpu.overflow = dict(CLEAR), None


def and_half(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """`and` of 32 bits with a constant: as of 64 bits, with a constant of 32."""
    first, second = i.operands
    name = i.reg_name(first.reg) if first.type == x86.X86_OP_REG else "memory"
    if second.type != x86.X86_OP_IMM or name not in LOW_HALVES:
        raise ProofError(f"{cpu.where}: `and` of 32 bits of two words")
    whole = LOW_HALVES[name]
    ones = second.imm % (1 << 32)
    cpu.registers[whole] = masked(cpu, cpu.word(cpu.registers[whole]), {(): ones} if ones else {})
    cpu.carry = cpu.overflow = dict(CLEAR)


def mov_byte(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A constant into the low byte of a register; the rest stays."""
    name = _low_byte(cpu, i)
    if i.operands[1].type != x86.X86_OP_IMM:
        raise ProofError(f"{cpu.where}: moves a byte that is no constant")
    old, byte = cpu.registers[name], i.operands[1].imm & 0xFF
    if isinstance(old, dict) and old.keys() <= {()}:
        value = int(old.get((), 0)) & ~0xFF | byte
        cpu.registers[name] = {(): value} if value else {}
    else:
        cpu.registers[name] = LowByte({(): byte} if byte else {})


def add_byte(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """add r, 255 to a byte that is a flag, as LLVM restores a carry: the carry is the flag."""
    name = _low_byte(cpu, i)
    old = cpu.registers[name]
    if isinstance(old, dict) and cpu.memory.system.largest(old) <= 1:
        old = LowByte(old)
    adds_ones = i.operands[1].type == x86.X86_OP_IMM and i.operands[1].imm & 0xFF == 0xFF
    if not isinstance(old, LowByte) or old.value is None or not adds_ones:
        raise ProofError(f"{cpu.where}: adds to a byte, and not 255 to a flag")
    if cpu.memory.system.largest(old.value) > 1:
        raise ProofError(f"{cpu.where}: adds 255 to a byte that is no flag")
    cpu.registers[name] = LowByte(None)
    cpu.carry, cpu.overflow = old.value, None


def set_byte(when_set: bool) -> Meaning:
    """setb and setae: a word where the rest of the register is 0, else a byte."""

    def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        name, flag = _low_byte(cpu, i), cpu.flag(cpu.carry)
        old = cpu.registers[name]
        if not when_set:
            flag = {m: -c for m, c in flag.items()}
            add_to(flag, {(): 1})
        if isinstance(old, dict) and cpu.memory.system.largest(old) <= 0xFF:
            cpu.registers[name] = {(cpu.memory.system.define_word(flag, cpu.where),): 1}
        else:
            cpu.registers[name] = LowByte(flag)

    return meaning
