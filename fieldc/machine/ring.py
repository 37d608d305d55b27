"""The ring of operands that timed calls walk, and the two meanings of throughput.

With `moving` operands each call has another cell of the ring, which holds other operands and a
place of its own for the result, so no call reads what another one wrote. With `fixed` operands
every call has the same cell. That flatters: on Golden Cove a kernel takes 7 to 12 cycles less than
in a program, and slower kernels overtake faster ones. Latency is a chain of calls: each writes its
result in the place of its first operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

OperandMode = Literal["moving", "fixed"]
OPERANDS: tuple[OperandMode, ...] = ("moving", "fixed")
"""The modes of throughput; the first one is the default."""
RING = 16
"""Cells of the ring: sets of operands, each with a place for a result."""


@dataclass(frozen=True)
class Layout:
    """The lengths of a result and of any number of operands, in 64-bit limbs, and where they lie.

    A cell of the ring has the operands one after the other, then the result, like an element of an
    array of structures in a program. After the ring comes a cell for the chain; its first operand
    has room for a result.
    """

    result: int
    operands: tuple[int, ...]

    @property
    def cell(self) -> int:
        """Return the bytes of a cell."""
        return 8 * (sum(self.operands) + self.result)

    @property
    def places(self) -> tuple[int, ...]:
        """Return the offsets of result and operands in a cell, in bytes."""
        return 8 * sum(self.operands), *self._after(0)

    @property
    def chain(self) -> tuple[int, ...]:
        """Return the offsets of the chain's result and operands in memory, in bytes."""
        start, first = RING * self.cell, 8 * max(self.result, *self.operands[:1])
        others = (start + first + place for place in self._after(1))
        return start, start, *others

    def _after(self, first: int) -> list[int]:
        lengths = self.operands[first:]
        return [8 * sum(lengths[:i]) for i in range(len(lengths))]

    def image(self, inputs: Sequence[Sequence[int]]) -> bytes:
        """Return memory with RING sets of operands; the chain has the first set."""
        memory = bytearray(self.chain[-1] + 8 * max(self.result, *self.operands))
        for number, operands in enumerate(inputs):
            places = [number * self.cell + place for place in self.places[1:]]
            self._write(memory, places, operands)
        self._write(memory, self.chain[1:], inputs[0])
        return bytes(memory)

    def _write(self, memory: bytearray, places: Sequence[int], operands: Sequence[int]) -> None:
        for place, length, value in zip(places, self.operands, operands, strict=True):
            memory[place : place + 8 * length] = value.to_bytes(8 * length, "little")
