"""Calls the two kernels of sums in columns, and checks what they compute together."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.algorithms.columns import Columns
from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, GUARD, WORD_BYTES, packed, unpacked
from fieldc.machine.check import CheckError
from fieldc.machine.load import load

LONG = 1 << 14
"""So many terms take Python a tenth of a second."""
ArrayCall = Callable[..., None]
"""A kernel that takes a count and addresses."""


class LoadedColumnKernel:
    """A kernel of sums in columns, whose object stays in memory as long as it can be called."""

    def __init__(self, code: bytes, symbol: str, arrays: int) -> None:
        self._library = load(code)
        self.address = self._library.address(symbol)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_size_t, *[ctypes.c_void_p] * arrays)
        self._function = kind(self.address)

    def __call__(self, count: int, *addresses: int) -> None:
        """Call it on arrays at addresses, the result first."""
        self._function(count, *addresses)


@dataclass(frozen=True)
class ColumnSums:
    """`accumulate` adds products of residues to columns, `collect` reduces these."""

    f: Field
    columns: Columns
    result: Field
    """Of what `collect` writes."""
    accumulate: ArrayCall
    collect: ArrayCall

    @property
    def most(self) -> int:
        """The most terms of a sum."""
        return BLOCK * self.columns.terms * self.columns.turns

    @property
    def largest(self) -> int:
        """The largest operand: in digits, values may be below 2p."""
        return 2 * self.f.p - 1 if self.f.word == DIGIT_BITS else self.f.p - 1

    @property
    def bytes(self) -> int:
        """The size of the columns in memory."""
        return WORD_BYTES * BLOCK * self.columns.count

    def __call__(self, x: Sequence[int], y: Sequence[int]) -> list[int]:
        """x*y/R summed in each lane. Raises CheckError if anything but results is written."""
        f, zeros = self.f, b"\0" * self.bytes
        t, *_ = called(self.accumulate, len(x), zeros, packed(f, x), packed(f, y))
        z, _ = called(self.collect, BLOCK, packed(self.result, [0] * BLOCK), t)
        return unpacked(self.result, z, BLOCK)

    def lane_of(self, element: int) -> int:
        """The lane to which an element's product is added."""
        return element // self.columns.terms % BLOCK


def called(call: ArrayCall, count: int, *arrays: bytes) -> list[bytes]:
    """The arrays after a call, which may write to the first alone. Raises CheckError."""
    memory, places = bytearray(GUARD), list[int]()
    for array in arrays:
        places.append(len(memory))
        memory += array + GUARD
    held = (ctypes.c_char * len(memory)).from_buffer(memory)
    before = bytes(memory)
    call(count, *(ctypes.addressof(held) + place for place in places))
    after, end = bytes(held), places[0] + len(arrays[0])
    if before[: places[0]] != after[: places[0]] or before[end:] != after[end:]:
        raise CheckError(f"a sum in columns of {count}: something beside its result is written")
    return [after[p : p + len(a)] for p, a in zip(places, arrays, strict=True)]


def _longest(sums: ColumnSums) -> tuple[int, ...]:
    """The longest sums, where Python computes these in a moment."""
    return (sums.most - 1, sums.most) if sums.most < LONG else ()


def check_columns(sums: ColumnSums, lengths: Sequence[int] = ()) -> None:
    """Run sums of every length to 17, and the longest, or `lengths` alone. Raises CheckError.

    They are of the largest operand too: no sum is larger. Sums of LONG terms and more are not run.
    """
    f, draw = sums.f, random.Random(sums.f.p)
    edges = [v % f.p for v in (0, 1, f.p - 1, f.p - 2, f.p // 2, f.one, f.R - 1, (1 << 64) - 1)]
    for count in lengths or (*range(18), *range(30, 35), *_longest(sums)):
        some = [*edges, sums.largest, *(draw.randrange(sums.largest + 1) for _ in range(8))]
        x, y = ([draw.choice(some) for _ in range(count)] for _ in range(2))
        largest = [sums.largest] * count
        for a, b in ((x, y), (largest, largest)):
            products = [v * w * f.R_inverse for v, w in zip(a, b, strict=True)]
            wanted = [0] * BLOCK
            for element, value in enumerate(products):
                wanted[sums.lane_of(element)] += value
            wanted = [value % f.p for value in wanted]
            if (found := sums(a, b)) != wanted:
                raise CheckError(
                    f"a sum in columns of {count} products for {f.short}: got {found[0]:#x} in the "
                    f"first lane, expected {wanted[0]:#x}"
                )
