"""x86-64 instructions that move the stack pointer, or choose what runs next."""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.values import OnEntry, Pointer, Value
from fieldc.proof.x86_64.calls import call_proved
from fieldc.proof.x86_64.processor import CALLEE_SAVED, PAGE, SymbolicX86


def moves_stack(cpu: SymbolicX86, i: capstone.CsInsn, sign: int) -> bool:
    """add or sub of a constant to rsp."""
    target, amount = i.operands
    if target.type != x86.X86_OP_REG or i.reg_name(target.reg) != "rsp":
        return False
    if amount.type != x86.X86_OP_IMM or amount.imm % 8:
        raise ProofError(f"{cpu.where}: moves the stack pointer by what is not known")
    set_stack(cpu, cpu.memory.stack_pointer + sign * amount.imm)
    cpu.carry = cpu.overflow = None
    return True


def set_stack(cpu: SymbolicX86, offset: int) -> None:
    memory = cpu.memory
    if offset > 0 or offset % 8:
        raise ProofError(f"{cpu.where}: frees stack that is not its own")
    memory.take_stack(offset, cpu.where)
    memory.stack_pointer = offset
    for old in [o for o in memory.stack if o < offset - memory.red_zone]:
        del memory.stack[old]
    cpu.registers["rsp"] = Pointer("stack", offset)


def move_stack_pointer(cpu: SymbolicX86, value: Value) -> None:
    """Set the stack pointer to an address on the stack that is known."""
    if not isinstance(value, Pointer) or value.base != "stack":
        raise ProofError(f"{cpu.where}: moves the stack pointer off the stack")
    set_stack(cpu, value.offset)


def aligns_stack(cpu: SymbolicX86, i: capstone.CsInsn) -> bool:
    """`and` of an address on the stack with -2^k, at most a page; False for anything else."""
    place, mask = cpu.read(i, 0), i.operands[1]
    if not isinstance(place, Pointer) or place.base != "stack":
        return False
    alignment = -mask.imm
    known = (
        mask.type == x86.X86_OP_IMM and 8 <= alignment <= PAGE and not alignment & -alignment - 1
    )
    if not known or not cpu.memory.is_foreign:
        raise ProofError(f"{cpu.where}: changes an address on the stack")
    aligned = Pointer("stack", cpu.memory.aligned(place.offset, alignment))
    if i.reg_name(i.operands[0].reg) == "rsp":
        move_stack_pointer(cpu, aligned)
    else:
        cpu.write(i, 0, aligned)
    cpu.carry = cpu.overflow = None
    return True


def push(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    value = cpu.read(i, 0)
    cpu.memory.push(value, cpu.where)
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)


def pop(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    value = cpu.memory.pop(cpu.where)
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
    cpu.write(i, 0, value)


def ret(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    if i.operands:
        raise ProofError(f"{cpu.where}: a return that frees stack")
    if cpu.registers["rsp"] != Pointer("stack", 0):
        back = cpu.memory.pop(cpu.where)
        if not isinstance(back, Pointer) or back.base != "code":
            raise ProofError(f"{cpu.where}: returns to no place that it was called from")
        cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
        cpu.place = back.offset
        return
    for name in CALLEE_SAVED[cpu.convention]:
        if cpu.registers[name] != OnEntry(name):
            raise ProofError(f"{cpu.where}: {name} is not restored")
    cpu.returned = True


def _target(cpu: SymbolicX86, i: capstone.CsInsn) -> int:
    if i.operands[0].type != x86.X86_OP_IMM:
        raise ProofError(f"{cpu.where}: goes where a register or memory says")
    return int(i.operands[0].imm)


def call(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    """A call of code beside the kernel: used by its lemma, or run in its place."""
    target = _target(cpu, i)
    routines = cpu.memory.routines
    if routines is not None and (lemma := routines.lemma(target)) is not None:
        call_proved(cpu, routines, lemma)
        return
    cpu.memory.push(Pointer("code", cpu.place), cpu.where)
    cpu.registers["rsp"] = Pointer("stack", cpu.memory.stack_pointer)
    cpu.place = target


def jmp(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    cpu.place = _target(cpu, i)


def nothing(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
    return None
