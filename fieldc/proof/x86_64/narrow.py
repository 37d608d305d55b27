"""Bytes and 32-bit halves of registers, as LLVM uses them for flags and small numbers."""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.equations import Polynomial, add_to
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.bits import chosen, low_bits, masked
from fieldc.proof.values import LowByte
from fieldc.proof.x86_64.processor import CLEAR, LOW_BYTES, LOW_HALVES, SymbolicX86


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
    """`and` of 32 bits: as of 64 bits, with the low half of the second operand."""
    first, second = i.operands
    name = i.reg_name(first.reg) if first.type == x86.X86_OP_REG else "memory"
    if name not in LOW_HALVES or second.type == x86.X86_OP_MEM:
        raise ProofError(f"{cpu.where}: `and` of 32 bits in memory")
    if second.type != x86.X86_OP_IMM:
        cpu.needs_no_certificate()
    whole = LOW_HALVES[name]
    ones = _half(cpu, i, 1)
    cpu.registers[whole] = masked(cpu, cpu.word(cpu.registers[whole]), ones)
    cpu.carry, cpu.overflow = dict(CLEAR), dict(CLEAR)


def mask_of_half(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """sbb of a 32-bit register and itself: 32 ones if the carry is set; the carry stays."""
    cpu.needs_no_certificate()
    name = LOW_HALVES.get(i.reg_name(i.operands[0].reg), "")
    if not name:
        raise ProofError(f"{cpu.where}: a mask of less than 32 bits")
    cpu.registers[name] = chosen(cpu, cpu.flag(cpu.carry), {(): (1 << 32) - 1}, {})
    cpu.overflow = None


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


def mov_half(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """mov of 32 bits to a register, whose upper half becomes 0."""
    name, source = LOW_HALVES[i.reg_name(i.operands[0].reg)], i.operands[1]
    if source.type == x86.X86_OP_IMM:
        value = source.imm % (1 << 32)
        cpu.registers[name] = {(): value} if value else {}
        return
    if source.type == x86.X86_OP_MEM:
        cpu.registers[name] = cpu.read_part(i, 1)
        return
    cpu.needs_no_certificate()
    whole = LOW_HALVES.get(i.reg_name(source.reg), "")
    if not whole:
        raise ProofError(f"{cpu.where}: moves a half of no general register")
    word = cpu.word(cpu.registers[whole])
    small = cpu.memory.system.largest(word) >> 32 == 0
    cpu.registers[name] = word if small else low_bits(cpu, word, 32)


def movzx(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A byte, with zeros above it."""
    source, target = i.operands[1], i.reg_name(i.operands[0].reg)
    name = LOW_HALVES.get(target, target)
    if name not in cpu.registers:
        raise ProofError(f"{cpu.where}: {target} is not a general register")
    if source.type == x86.X86_OP_MEM:
        cpu.registers[name] = cpu.read_part(i, 1)
        return
    whole = LOW_BYTES.get(i.reg_name(source.reg), "")
    value = cpu.registers[whole] if whole else LowByte(None)
    if isinstance(value, LowByte) and value.value is not None:
        value = value.value
        if value.keys() - {()} and [*value.values()] != [1]:
            value = {(cpu.memory.system.define_word(value, cpu.where, 0xFF),): 1}
    elif isinstance(value, dict):
        small = cpu.memory.system.largest(value) <= 0xFF
        value = value if small else low_bits(cpu, value, 8)
    if not isinstance(value, dict):
        raise ProofError(f"{cpu.where}: moves a byte of which nothing is known")
    cpu.registers[name] = value
