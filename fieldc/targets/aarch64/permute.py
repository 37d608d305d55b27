"""An order of instructions that a search found, checked against what each of them needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fieldc.targets.aarch64.virtual import ArmCode


class BrokenOrder(ValueError):
    """An order that is none of this code, or breaks what an instruction depends on."""


def permuted(code: Sequence[ArmCode], places: Sequence[int]) -> list[ArmCode]:
    """The code in another order: `places` are the old places in the new order.

    Raises BrokenOrder.
    """
    if sorted(places) != list(range(len(code))):
        raise BrokenOrder(f"the order is of {len(places)} instructions, not of {len(code)}")
    needed = needs(code)
    done: set[int] = set()
    for place in places:
        if not done.issuperset(needed[place]):
            raise BrokenOrder(f"instruction {place} comes before one that it needs")
        done.add(place)
    return [code[place] for place in places]


def needs(code: Sequence[ArmCode]) -> list[list[int]]:
    """For each instruction those before it that must stay before it.

    They are what makes its operands, and of pinned ones the pinned one before; of a store also all
    loads, since the result may lie on an operand.
    """
    return list(_needs(code))


def _needs(code: Sequence[ArmCode]) -> Iterator[list[int]]:
    makers: dict[int, int] = {}
    loads: list[int] = []
    last: int | None = None
    for place, one in enumerate(code):
        found = [makers[register] for register in one.reads if register in makers]
        if one.pinned:
            found += [] if last is None else [last]
            last = place
        if one.text.startswith("st"):
            found += loads
        if one.text.startswith("ld"):
            loads.append(place)
        yield found
        makers.update(dict.fromkeys(one.writes, place))
