"""Aliasing: which of a call's result and operands are in the same buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

EVERY_PARTITION = 3
"""Up to so many operands are shared in every way: 15 ways for three. More are shared in pairs, or
all at once: a kernel that is wrong reads an operand after it wrote z, which a pair shows."""

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Aliasing:
    """For z and each operand the number of its buffer.

    Operand i has buffer i + 1, or that of an earlier operand; z has buffer 0, or an operand's.
    """

    buffers: tuple[int, ...]

    def merged(self, operands: tuple[_Value, ...]) -> tuple[_Value, ...]:
        """Return the operands; those that share a buffer all have the value of the first."""
        return tuple(operands[buffer - 1] for buffer in self.buffers[1:])

    def __str__(self) -> str:
        names = ("z", *(f"operand {i + 1}" for i in range(len(self.buffers) - 1)))
        groups = (
            " is ".join(n for n, b in zip(names, self.buffers, strict=True) if b == buffer)
            for buffer in dict.fromkeys(self.buffers)
            if self.buffers.count(buffer) > 1
        )
        return ", ".join(groups) or "nothing shared"


def apart(operands: int) -> Aliasing:
    """Return separate buffers for z and a number of operands."""
    return Aliasing(tuple(range(operands + 1)))


def aliasings(sizes: Sequence[int]) -> Iterator[Aliasing]:
    """The ways in which z and operands of these sizes may share buffers, the separate one first.

    Operands of equal size may share one. z may lie on any operand: it begins where that begins.
    """
    count = len(sizes)
    kept = range(1, count + 2) if count <= EVERY_PARTITION else (1, count, count + 1)
    for buffers in _operands(sizes):
        for z in (0, *dict.fromkeys(buffers)):
            if len({z, *buffers}) in kept:
                yield Aliasing((z, *buffers))


def _operands(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The buffers of operands, in every partition of operands of equal size."""
    if not sizes:
        yield ()
        return
    *before, size = sizes
    for buffers in _operands(before):
        yield (*buffers, len(sizes))
        yield from ((*buffers, b) for b in dict.fromkeys(buffers) if sizes[b - 1] == size)
