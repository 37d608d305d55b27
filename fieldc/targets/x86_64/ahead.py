"""What selection must know of the steps that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from fieldc.words.operations import MUL, SUB
from fieldc.words.program import Step


def is_from_zero(step: Step) -> bool:
    """Whether a step subtracts from 0."""
    return step.operation is SUB and step.inputs[0].constant == 0


def chain(steps: Iterable[Step], first: Step) -> Iterator[Step]:
    """The steps that hand a borrow on, from the first to the last."""
    borrow = first.inputs[2]
    for step in steps:
        if step is first or (step.operation is SUB and step.inputs[2] is borrow):
            borrow = step.outputs[1]
            yield step


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
