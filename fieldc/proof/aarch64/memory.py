"""AArch64 instructions that reach memory or keep flags."""

from __future__ import annotations

import capstone
from capstone import arm64_const as arm

from fieldc.proof.aarch64.flags import Flags
from fieldc.proof.aarch64.processor import Held, Meaning, SymbolicArm64
from fieldc.proof.values import Pointer, Value


def whole(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    if cpu.width(i) != 64:
        raise cpu.refuse("computes with half a register")


def _address(cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> Pointer:
    """A memory operand's address; moves its base where it is written back."""
    memory = i.operands[index].mem
    if i.operands[index].type == arm.ARM64_OP_IMM:  # a constant beside the code
        cpu.needs_no_certificate()
        return Pointer("code", int(i.operands[index].imm))
    if i.operands[index].type != arm.ARM64_OP_MEM or memory.index:
        raise cpu.refuse("this address is not on the list")
    name = cpu.name(i, memory.base)[0]
    base = cpu.held(name)
    if not isinstance(base, Pointer):
        raise cpu.refuse("the address depends on data")
    place = Pointer(base.base, base.offset + memory.disp)
    if i.writeback and len(i.operands) == index + 1:
        _write_back(cpu, name, place)
    return place


def _write_back(cpu: SymbolicArm64, name: str, pointer: Pointer) -> None:
    if name == "sp":
        cpu.move_stack(pointer)
    else:
        cpu.registers[name] = pointer


def adr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """The address of a place in the code."""
    cpu.write(i, 0, Pointer("code", int(i.operands[1].imm)))


def _after(cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> None:
    """The write back of a post-indexed address."""
    if len(i.operands) == index + 1:
        return
    name = cpu.name(i, i.operands[index].mem.base)[0]
    base = cpu.held(name)
    if not isinstance(base, Pointer):
        raise cpu.refuse("the base is overwritten")
    _write_back(cpu, name, Pointer(base.base, base.offset + i.operands[index + 1].imm))


def load(count: int) -> Meaning:
    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        place = _address(cpu, i, count)
        values = [
            cpu.memory.load(Pointer(place.base, place.offset + 8 * k), cpu.where)
            for k in range(count)
        ]
        names = [cpu.name(i, i.operands[k].reg)[0] for k in range(count)]
        if len(set(names)) < count or (
            i.writeback and cpu.name(i, i.operands[count].mem.base)[0] in names
        ):
            raise cpu.refuse("loads one register twice")
        for index, value in enumerate(values):
            cpu.write(i, index, value)
        _after(cpu, i, count)

    return meaning


def store(count: int) -> Meaning:
    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        stored = [cpu.name(i, i.operands[k].reg)[0] for k in range(count)]
        if i.writeback and cpu.name(i, i.operands[count].mem.base)[0] in stored:
            raise cpu.refuse("stores the register that it moves")
        values = [_stored(cpu, cpu.value(i, k)) for k in range(count)]
        place = _address(cpu, i, count)
        for index, value in enumerate(values):
            at = Pointer(place.base, place.offset + 8 * index)
            cpu.memory.store(at, value, cpu.where)
        _after(cpu, i, count)

    return meaning


def _stored(cpu: SymbolicArm64, value: Held) -> Value:
    if isinstance(value, Flags):
        raise cpu.refuse("stores the flags")
    return value


def mrs(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    if i.op_str.split(", ")[1] != "nzcv":
        raise cpu.refuse("this register is not on the list")
    cpu.write(i, 0, cpu.flags)


def msr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    name, flags = i.op_str.split(", ")
    value = cpu.registers.get(flags)
    if name != "nzcv" or not isinstance(value, Flags):
        raise cpu.refuse("sets flags that were never saved")
    cpu.flags = value
