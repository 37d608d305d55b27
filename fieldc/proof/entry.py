"""The state in which a kernel starts: variables for its operands, and its memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import ONE, Polynomial, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import WORD_BITS, Contract, Operand
from fieldc.proof.memory import KernelMemory

STACK_PLACE = 8
"""Where a call may leave the stack pointer; by most conventions always, modulo 16."""
Entered = tuple[KernelMemory, tuple[Input, ...]]
"""The state of a run, and the operands' values."""


def entered(
    contract: Contract,
    code: bytes,
    constants: Mapping[int, bytes] | None,
    unfit: frozenset[int],
    stack_place: int,
) -> Entered:
    """The state on entry, with new variables for all operands."""
    system = System(WORD_BITS, is_foreign=constants is not None)
    operands = operands_of(system, contract)
    inputs = tuple(i for values in operands.values() for i in values)
    memory = KernelMemory(
        system,
        {name: tuple(v for i in values for v in i.limbs) for name, values in operands.items()},
        code,
        contract.result_limbs * len(contract.claims),
        tables=contract.tables,
        before=contract.before,
        in_place=contract.in_place,
        numbers=contract.numbers,
        arguments=contract.arguments,
        constants=constants,
        unfit=unfit,
        overlaps=contract.overlap,
        case=None if constants is None else Case(system, inputs, is_foreign=True),
        stack_place=stack_place,
    )
    return memory, inputs


def from_any_place(run: Callable[[int], Entered]) -> Entered:
    """One run, which stands for all places of the stack. Raises ProofError where it does not."""
    memory, inputs = run(STACK_PLACE)
    step = memory.stack_step
    for place in range(STACK_PLACE + step, STACK_PLACE + memory.aligned_to, step):
        other, _ = run(place)
        same = (other.system, other.result) == (memory.system, memory.result)
        if not same or other.aligned_to != memory.aligned_to:
            raise ProofError("what is computed depends on where the stack lies")
        memory.deepest = max(memory.deepest, other.deepest)
        memory.executed |= other.executed
        memory.assumed |= other.assumed
    return memory, inputs


def operands_of(system: System, contract: Contract) -> dict[str, list[Input]]:
    """New variables for the operands' values: all limbs, then the signs."""
    found = {operand.name: _values(system, operand) for operand in contract.operands}
    for operand in contract.operands:
        if operand.is_signed:
            found[operand.name] = [_signed(system, one) for one in found[operand.name]]
    return found


def _signed(system: System, value: Input) -> Input:
    """A value with its sign: the carry of its top limb and half of all words."""
    shifted: Polynomial = {(value.limbs[-1],): 1, ONE: system.radix >> 1}
    return replace(value, sign=system.define("add", shifted, 1, f"sign of {value.name}")[1])


def _values(system: System, operand: Operand) -> list[Input]:
    name, limbs, high, count = operand.name, operand.limbs, operand.high, operand.count
    if count == 1:
        return [_input(system, name, limbs, high)]
    return [_input(system, f"{name}.{k}", limbs, high) for k in range(count)]


def _input(system: System, name: str, limbs: int, high: int) -> Input:
    top = system.radix - 1
    variables = tuple(
        system.new(f"{name}[{i}]", min(top, high >> WORD_BITS * i)) for i in range(limbs)
    )
    return Input(name, variables, high)
