"""Where the values of a formula by calls lie: in an operand, in a slot, or in the result.

The result may be one of the operands. So nothing is written there before the last call that reads
an operand, and results that are operands themselves are put into slots first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from fieldc.field import Field
from fieldc.operands import Range

Made = tuple[int, tuple[int, ...]]
"""A call: the value it gives, and the values it takes."""


class Area(Enum):
    """What holds values."""

    OPERAND = "operand"
    RESULT = "result"
    SLOTS = "slots"


@dataclass(frozen=True)
class ElementPlace:
    """One element of an area; `operand` is the number of the operand where it is one."""

    area: Area
    index: int
    operand: int = 0


ElementCopy = tuple[ElementPlace, ElementPlace]
"""To and from."""


@dataclass(frozen=True)
class ElementPlaces:
    """The place of each value, and what is copied before the first call and after the last."""

    of: Mapping[int, ElementPlace]
    slots: int
    before: tuple[ElementCopy, ...]
    after: tuple[ElementCopy, ...]


def slot_words(f: Field, results: Iterable[Range]) -> int:
    """Return the words of a slot: it holds an element or any of these results, such as a sum."""
    return max([f.n, *(result.limbs(f) for result in results)])


def places_of(
    operands: Sequence[int], calls: Sequence[Made], results: Sequence[int]
) -> ElementPlaces:
    """Place all values. `operands` are counts of elements, which have the first numbers."""
    owners = [(operand, i) for operand, count in enumerate(operands) for i in range(count)]
    of = {n: ElementPlace(Area.OPERAND, i, operand) for n, (operand, i) in enumerate(owners)}
    inputs = len(of)
    last = {value: n for n, (_, taken) in enumerate(calls) for value in taken}
    direct = _direct(calls, results, last, inputs)
    free: list[int] = []
    slots = 0
    for number, (made, taken) in enumerate(calls):
        if made in direct:
            of[made] = ElementPlace(Area.RESULT, direct[made])
        else:
            if not free:
                free, slots = [slots], slots + 1
            of[made] = ElementPlace(Area.SLOTS, free.pop())
        for value in dict.fromkeys((*taken, made)):
            is_done = last.get(value, number) == number and value not in results
            if is_done and value >= inputs and of[value].area is Area.SLOTS:
                free.append(of[value].index)
    kept = {value: slots + n for n, value in enumerate(_given(results, inputs))}
    from_slot = of | {value: ElementPlace(Area.SLOTS, slot) for value, slot in kept.items()}
    return ElementPlaces(
        of,
        slots + len(kept),
        tuple((from_slot[value], of[value]) for value in kept),
        tuple(
            (ElementPlace(Area.RESULT, place), from_slot[value])
            for place, value in enumerate(results)
            if from_slot[value].area is not Area.RESULT
        ),
    )


def _given(results: Sequence[int], inputs: int) -> list[int]:
    """Results that are values of operands."""
    return [value for value in dict.fromkeys(results) if value < inputs]


def _direct(
    calls: Sequence[Made], results: Sequence[int], last: Mapping[int, int], inputs: int
) -> dict[int, int]:
    """Values that are written straight to the result: no call reads them or an operand later."""
    after = max((n for value, n in last.items() if value < inputs), default=-1)
    made = {value: n for n, (value, _) in enumerate(calls)}
    return {
        value: place
        for place, value in enumerate(results)
        if made.get(value, -1) >= after and value not in last and results.count(value) == 1
    }
