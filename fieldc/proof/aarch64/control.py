"""AArch64 instructions that choose what runs next, and those that sign return addresses.

A branch must be decided by constants: counts of loops, and what the contract says of memory. Where
data decide, the proof ends and names the address.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone

from fieldc.proof.aarch64.calls import call_proved
from fieldc.proof.aarch64.processor import CALLEE_SAVED, Meaning, SymbolicArm64
from fieldc.proof.algebra.equations import ONE, Polynomial
from fieldc.proof.values import OnEntry, Pointer, Signed


def ret(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """Go on after the call; or end, where the address is that of the kernel's caller."""
    if i.operands:
        raise cpu.refuse("returns to an address of its own")
    back = cpu.registers["x30"]
    if isinstance(back, Pointer) and back.base == "code" and cpu.memory.is_foreign:
        cpu.place = back.offset
        return
    if cpu.registers["sp"] != Pointer("stack", 0):
        raise cpu.refuse("the stack pointer is not restored")
    for name in CALLEE_SAVED:
        if cpu.registers[name] != OnEntry(name):
            raise cpu.refuse(f"{name} is not restored")
    cpu.returned = True


def bl(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """A call of code beside the kernel: used by its lemma, or run in its place."""
    target, routines = int(i.operands[0].imm), cpu.memory.routines
    cpu.registers["x30"] = Pointer("code", cpu.place)
    if routines is not None and (lemma := routines.lemma(target)) is not None:
        call_proved(cpu, routines, lemma)
        return
    cpu.needs_no_certificate()
    cpu.place = target


def b(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.place = int(i.operands[-1].imm)


def branch_if(condition: Callable[[SymbolicArm64, capstone.CsInsn], Polynomial]) -> Meaning:
    """A branch by a flag, which must be known."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        flag = condition(cpu, i)
        if flag.keys() - {ONE}:
            raise cpu.refuse("a branch that depends on data")
        if flag:
            b(cpu, i)

    return meaning


def _flag(cpu: SymbolicArm64, i: capstone.CsInsn) -> Polynomial:
    return cpu.condition(i)


def _is(zero: bool) -> Callable[[SymbolicArm64, capstone.CsInsn], Polynomial]:
    """Whether a constant is 0, or is not."""

    def condition(cpu: SymbolicArm64, i: capstone.CsInsn) -> Polynomial:
        value = cpu.word(i, 0)
        if value.keys() - {ONE}:
            return value
        return {ONE: 1} if (not value) == zero else {}

    return condition


def _has_bit(wanted: int) -> Callable[[SymbolicArm64, capstone.CsInsn], Polynomial]:
    """Whether one bit of a constant is 1, or 0."""

    def condition(cpu: SymbolicArm64, i: capstone.CsInsn) -> Polynomial:
        value = cpu.word(i, 0)
        if value.keys() - {ONE}:
            return value
        is_as_wanted = int(value.get(ONE, 0)) >> i.operands[1].imm & 1 == wanted
        return {ONE: 1} if is_as_wanted else {}

    return condition


def _sign(key: str) -> Meaning:
    """paciasp and pacibsp: x30 with a code from it, the stack pointer and a secret key."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        address = cpu.registers["x30"]
        if not isinstance(address, OnEntry | Pointer):
            raise cpu.refuse("signs what is no return address")
        if isinstance(address, OnEntry):
            cpu.memory.assumed.add("the return address on entry is one that bl made")
        cpu.registers["x30"] = Signed(address, key, cpu.memory.stack_pointer)

    return meaning


def _authenticate(key: str) -> Meaning:
    """autiasp and autibsp: x30 without its code, which must be right; else the return faults."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        signed = cpu.registers["x30"]
        if not isinstance(signed, Signed):
            raise cpu.refuse("authenticates what was never signed")
        if (signed.key, signed.stack) != (key, cpu.memory.stack_pointer):
            raise cpu.refuse("authenticates by another key, or another stack pointer")
        cpu.registers["x30"] = signed.address

    return meaning


def _authenticate_and_return(key: str) -> Meaning:
    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        _authenticate(key)(cpu, i)
        ret(cpu, i)

    return meaning


CONDITIONS = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
MEANINGS: dict[str, Meaning] = {
    "ret": ret,
    "bl": bl,
    "b": b,
    **{f"b.{name}": branch_if(_flag) for name in CONDITIONS},
    "cbz": branch_if(_is(zero=True)),
    "cbnz": branch_if(_is(zero=False)),
    "tbz": branch_if(_has_bit(0)),
    "tbnz": branch_if(_has_bit(1)),
    "paciasp": _sign("a"),
    "pacibsp": _sign("b"),
    "autiasp": _authenticate("a"),
    "autibsp": _authenticate("b"),
    "retaa": _authenticate_and_return("a"),
    "retab": _authenticate_and_return("b"),
}
"""What moves to another place, or makes sure that nothing else does."""
