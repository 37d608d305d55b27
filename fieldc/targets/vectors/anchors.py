"""Registers that point near what a loop reads most: an address takes one byte there, not four.

A processor keeps some thousand decoded instructions. A loop that does not fit is decoded again each
time, so many bytes in a cycle, which can take longer than its computation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fieldc.targets.vectors.allocate import Allocation
from fieldc.targets.vectors.instructions import YMM, Fixed, Vector
from fieldc.targets.vectors.select import Tables
from fieldc.targets.x86_64.operands import CONSTANTS, STACK, Memory, Placed

ANCHORS = ("rcx", "r8", "r9", "r10", "r11")
"""What may be one where it points to no array: registers that a caller does not keep."""
REACH = 128
"""Bytes below and above an anchor that an address of one byte reaches."""
SAVED = {STACK: 4, CONSTANTS: 3}
"""Bytes that an instruction is shorter if it reads near an anchor."""
LEAST = 16
"""Instructions of a block that must read near an anchor."""
_IN_REACH = 2 * REACH // YMM.bytes
_Place = tuple[str, int]
"""The stack or the constants, and the number of a vector there."""


@dataclass(frozen=True)
class Anchor:
    """A register that holds an address for the whole loop."""

    register: str
    base: str
    offset: int


@dataclass(frozen=True)
class Anchored:
    """The code of a kernel that reads near anchors, with its tables."""

    block: Allocation
    tail: Allocation | None
    tables: Tables
    anchors: tuple[Anchor, ...]


def anchored(
    block: Allocation, tail: Allocation | None, tables: Tables, pointers: Sequence[str]
) -> Anchored:
    """The code with what its block reads most in the reach of registers that are no pointers.

    Vectors change their places on the stack and in the table of constants: the most read come
    first.
    """
    parts = [part for part in (block, tail) if part is not None]
    frame = max(part.frame for part in parts)
    uses = Counter(
        place
        for line in block.code
        for operand in line.operands
        if isinstance(operand, Memory) and (place := _place(operand))
    )
    counts = {STACK: frame // YMM.bytes, CONSTANTS: len(tables.words)}
    orders = {base: _most_first(uses, base, count) for base, count in counts.items()}
    free = [register for register in ANCHORS if register not in pointers]
    anchors = _best(uses, orders, free)
    words = [*tables.words.items()]
    tables = replace(tables, words=dict(words[number] for number in orders[CONSTANTS]))
    ranks = {
        (base, number): rank for base, order in orders.items() for rank, number in enumerate(order)
    }
    moved = [_moved(part, frame, ranks, anchors) for part in parts]
    return Anchored(moved[0], moved[1] if tail is not None else None, tables, anchors)


def _place(memory: Memory) -> _Place | None:
    """The vector that an operand is, or is a part of; None for one of an array."""
    if isinstance(memory.base, str) and memory.base in SAVED:
        return memory.base, memory.offset // YMM.bytes
    return None


def _most_first(uses: Mapping[_Place, int], base: str, count: int) -> list[int]:
    """So many places in the order of their uses."""
    return sorted(range(count), key=lambda number: -uses[base, number])


def _best(
    uses: Mapping[_Place, int], orders: Mapping[str, Sequence[int]], free: Sequence[str]
) -> tuple[Anchor, ...]:
    """The anchors that save most, one for each free register."""
    found = []
    for base, order in orders.items():
        for first in range(0, len(order), _IN_REACH):
            read = sum(uses[base, number] for number in order[first : first + _IN_REACH])
            if read >= LEAST:
                found.append((SAVED[base] * read, base, first * YMM.bytes + REACH))
    found.sort(key=lambda each: -each[0])
    return tuple(
        Anchor(register, base, offset)
        for register, (_, base, offset) in zip(free, found, strict=False)
    )


def _moved(
    part: Allocation, frame: int, ranks: Mapping[_Place, int], anchors: Sequence[Anchor]
) -> Allocation:
    def operand(old: Placed | Fixed) -> Placed | Fixed:
        if not isinstance(old, Memory) or not (place := _place(old)):
            return old
        base, offset = place[0], ranks[place] * YMM.bytes + old.offset % YMM.bytes
        for anchor in anchors:
            if anchor.base == base and -REACH <= offset - anchor.offset < REACH:
                return Memory(anchor.register, offset - anchor.offset, old.name)
        return Memory(base, offset, old.name)

    code = [Vector(line.row, tuple(map(operand, line.operands)), line.remark) for line in part.code]
    return replace(part, code=code, frame=frame)
