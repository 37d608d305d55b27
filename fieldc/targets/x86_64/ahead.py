"""What selection must know of the steps that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from fieldc.words.operations import MUL, SUB
from fieldc.words.program import Program, Step

FEW = 6
"""Limbs that a kernel without products loads at once: more would only wait in registers."""


def first_limbs(program: Program, uses: Counter[int]) -> set[int]:
    """Limbs to be loaded before the first sum, in a kernel without products.

    Those of the first operand that would be copied later: every limb that is read twice, and
    of few limbs those that something is added to, or that are subtracted from 0. Carries then
    find them there, which helps where an earlier call has just stored them: a mov takes its
    word from the store at once, `sbb r, [m]` waits 5 cycles (12.5 of 4 limbs' neg, by mov 8).
    """
    name, width = program.operands[0]
    steps = [step for step in program.steps if step.inputs]
    early = {step.inputs[0].number for step in steps}
    early |= {step.inputs[1].number for step in steps if is_from_zero(step)}
    limbs = [s.outputs[0].number for s in program.steps if s.operand == name]
    return {limb for limb in limbs if uses[limb] > 1 or (limb in early and width <= FEW)}


def is_from_zero(step: Step) -> bool:
    """Whether a step subtracts from 0."""
    return step.operation is SUB and step.inputs[0].constant == 0


def chain(steps: Iterable[Step], first: Step) -> Iterator[Step]:
    """The steps that hand a borrow on, from the first to the last."""
    borrow = None
    for step in steps:
        if step is first or (step.operation is SUB and step.inputs[2] is borrow):
            borrow = step.outputs[1]
            yield step


def zero_tests(steps: Iterable[Step], uses: Counter[int]) -> list[list[Step]]:
    """Chains of differences from 0 of which only the last borrow is read: whether words are not 0.

    Their later steps do nothing more than hand the borrow on.
    """
    found: list[list[Step]] = []
    steps = [step for step in steps if is_from_zero(step) and not uses[step.outputs[0].number]]
    for first in (step for step in steps if step.inputs[2].constant == 0):
        test = [*chain(steps, first)]
        if all(uses[step.outputs[1].number] == 1 for step in test[:-1]):
            found.append(test)
    return found


def overwritten(steps: Sequence[Step], tests: Iterable[Sequence[Step]], room: int) -> list[int]:
    """Words of such tests that need not stay in registers, those to be overwritten first."""
    return [word for test in tests for word in read_twice(steps, test, room)]


def read_twice(steps: Sequence[Step], test: Sequence[Step], room: int) -> list[int]:
    """Words of such a test that need not stay in registers, the one to be overwritten first.

    They are read again only in chains of borrows that wait for the answer, longer than a load
    takes. So many stay as there is `room`, less one that the test itself overwrites.
    """
    firsts = [s for s in steps if s.operation is SUB and s.inputs[2].constant == 0]
    waiting = [s for first in firsts if first not in test for s in chain(steps, first)]
    others = {v.number for s in steps if s not in test and s not in waiting for v in s.inputs}
    if not waiting or waiting[0].inputs[0].constant is not None:
        return []
    words = [step.inputs[1].number for step in test]
    again = {step.inputs[1].number for step in waiting} - others
    late = [word for word in (*words[1:2], *words[:1:-1], *words[:1]) if word in again]
    room -= len({s.inputs[0].number for s in waiting if s.inputs[0].constant is None})
    return late[: max(1, len(late) - max(0, room))]


def multipliers_of_the_next_row(steps: tuple[Step, ...], uses: Counter[int]) -> set[int]:
    """Quotient digits and complements that the next products all read, as their multiplier only.

    One that is read again after a product with another multiplier cannot stay in rdx.
    """
    found = set()
    for position, step in enumerate(steps):
        if step.operation.name in ("mul_low", "sub"):
            number = step.outputs[0].number
            products = (s for s in steps[position + 1 :] if s.operation.name in ("mul", "mul_low"))
            row = list(islice(products, uses[number]))
            reading = [s for s in row if s.operation is MUL and s.inputs[1].number == number]
            if row and len(reading) == uses[number]:
                found.add(number)
    return found
