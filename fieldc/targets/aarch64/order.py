"""The order of instructions: products, loads and numbers move ahead of the chains that add them.

Selection makes each of them right before its first use. That takes the fewest registers, and a
core that starts instructions in order waits for every product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fieldc.targets.aarch64.virtual import ArmCode


def ahead(
    code: Sequence[ArmCode], distance: int, most: int | None = None, moves_loads: bool = True
) -> list[ArmCode]:
    """The code with each free instruction up to `distance` pinned ones earlier.

    None passes what makes its operands. Pinned instructions keep their order. With `most`, none
    goes where more words than that seem to wait then; nor does a load unless `moves_loads`. (One
    more may: a word is taken to end at its last reader, which may be passed by another one.)
    """
    groups: list[list[ArmCode]] = [[]]
    """The free instructions before each pinned one, then those after the last."""
    pinned: list[ArmCode] = []
    group_of: dict[int, int] = {}
    """The first group that can read a register."""
    live = Live(code) if most is not None else None
    for instruction in code:
        if instruction.pinned:
            pinned.append(instruction)
            groups.append([])
            place = len(pinned)
        else:
            operands = (group_of.get(register, 0) for register in instruction.reads)
            place = max(0, len(pinned) - distance, *operands)
            if not moves_loads and instruction.text.startswith("ld"):
                place = len(pinned)
            elif live is not None and most is not None:
                place = live.moved(instruction, len(pinned), place, most)
            groups[place].append(instruction)
        if live is not None:
            live.read(instruction)
        group_of.update(dict.fromkeys(instruction.writes, place))
    last = groups.pop()
    return [
        each for group, one in zip(groups, pinned, strict=True) for each in (*group, one)
    ] + last


def fewest_words(code: Sequence[ArmCode]) -> int:
    """The most words that wait before any pinned instruction, in the code as it is."""
    return max(Live(code).waiting, default=0)


class Live:
    """How many words wait before each pinned instruction, as instructions move."""

    def __init__(self, code: Sequence[ArmCode]) -> None:
        self.left = Counter(register for one in code for register in one.reads)
        """How often each register is still read."""
        self.waiting: list[int] = []
        left, made = Counter(self.left), {r for one in code for r in one.writes}
        there = set(self.left) - made  # pointers are there on entry
        for one in code:
            if one.pinned:
                self.waiting.append(len(there))
            left.subtract(one.reads)
            there.update(one.writes)
            there -= {r for r in (*one.reads, *one.writes) if left[r] <= 0}
        self.waiting.append(len(there))

    def moved(self, one: ArmCode, place: int, earliest: int, most: int) -> int:
        """The earliest place that an instruction may move to; it is moved there."""
        ends = sum(count == self.left[register] for register, count in Counter(one.reads).items())
        more = len(one.writes) - ends
        while place > earliest and self.waiting[place - 1] + more <= most:
            place -= 1
            self.waiting[place] += more
        return place

    def read(self, one: ArmCode) -> None:
        """Go on after an instruction."""
        self.left.subtract(one.reads)
