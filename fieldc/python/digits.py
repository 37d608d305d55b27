"""Arrays of residues in digits of 52 bits, as vectors compute with them: values below 2p.

They stay in digits from one operation to the next. Only where this processor runs kernels on arrays
for the modulus, of two limbs and more; elsewhere arrays stay as they are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import lru_cache

from fieldc.algorithms.lanes import LIMB_BITS, MOST_BITS, in_lanes, spare
from fieldc.artifacts.arrays import loaded, made_digits
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_OPERATIONS,
    FROM_DIGITS,
    TO_DIGITS,
)
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, size, unpacked
from fieldc.machine.columns import ArrayCall, LoadedColumnKernel
from fieldc.python.arrays import LengthMismatch, ResidueArray, column_sums, empty
from fieldc.python.chains import LEAST, PART, chains_of
from fieldc.targets.array_targets import fastest_here


class ResiduesInDigits(ResidueArray):
    """Residues in digits; `limbs` is the field in words of 64 bits, `f` that of digits."""

    __slots__ = ("limbs",)

    def __init__(self, limbs: Field, count: int) -> None:
        made = empty(in_lanes(limbs), count)
        super().__init__(made.f, count, made.address, made.held)
        self.limbs = limbs

    @property
    def words(self) -> memoryview:
        """The digits, each in a word of 64 bits: digit 0 of eight elements, then digit 1."""
        if not self.count:
            return memoryview(b"").cast("Q")
        kind = type("Words", (ctypes.c_char * size(self.f, self.count),), {})
        memory = kind.from_address(self.address)  # type: ignore[attr-defined]
        memory.held = self  # keeps what owns the memory
        blocks = -(-self.count // BLOCK)
        return memoryview(memory).cast("B").cast("Q", (blocks, self.f.n, BLOCK))

    def values(self, first: int, count: int) -> list[int]:
        """Some of the values, 0 <= value < p."""
        skipped = first % BLOCK
        start = self.address + size(self.f, first - skipped)
        data = ctypes.string_at(start, size(self.f, skipped + count))
        forms = unpacked(self.f, data, skipped + count)[skipped:]
        return [self.f.from_montgomery(form) % self.f.p for form in forms]

    def like(self, other: ResidueArray) -> ResidueArray:
        """Another array in digits."""
        return to_digits(other)

    def in_limbs(self) -> ResidueArray:
        """The same residues in limbs."""
        made = empty(self.limbs, self.count)
        if self.count:
            _call(self.limbs, FROM_DIGITS, self.count, made.address, self.address)
        return made

    def copied(self) -> ResiduesInDigits:
        """A copy."""
        made = ResiduesInDigits(self.limbs, self.count)
        ctypes.memmove(made.address, self.address, size(self.f, self.count))
        return made

    def computed(self, operation: str, *others: ResidueArray) -> ResidueArray:
        """One result for each value, by arrays of the same length. Raises LengthMismatch."""
        self._check(*others)
        if operation == "neg":
            return ResiduesInDigits(self.limbs, self.count).computed("sub", self)
        if operation == "double":
            return self.computed("add", self)
        if operation not in DIGIT_OPERATIONS:
            given = (each.in_limbs() for each in others)
            return self.like(self.in_limbs().computed(operation, *given))
        made = ResiduesInDigits(self.limbs, self.count)
        if self.count:
            addresses = (each.address for each in (made, self, *others))
            _call(self.limbs, f"{operation}_digits", self.count, *addresses)
        return made

    def butterfly(self, y: ResidueArray, w: ResidueArray) -> tuple[ResidueArray, ResidueArray]:
        """x + y*w and x - y*w. Raises LengthMismatch."""
        self._check(y, w)
        product = y.computed("mul", w)
        return self.computed("add", product), self.computed("sub", product)

    def sum(self) -> int:
        """The sum modulo p: blocks of the upper half are added to those of the lower one."""
        total, left = self.copied(), self.count
        at = total.address
        while left > BLOCK:
            half = BLOCK * -(-left // (2 * BLOCK))
            _call(self.limbs, "add_digits", left - half, at, at, total.at(half))
            left = half
        return sum(total.values(0, left)) % self.f.p

    def inner_product(self, other: ResidueArray) -> int:
        """x_0*y_0 + x_1*y_1 + ... mod p, in columns. Raises LengthMismatch."""
        self._check(other)
        f, sums = self.limbs, column_sums(self.limbs)
        if sums is None:
            return self.in_limbs().inner_product(other.in_limbs())
        accumulate = _summing(f)
        columns = ctypes.create_string_buffer(sums.bytes)
        starts, at = range(0, self.count, sums.most), ctypes.addressof(columns)
        reduced = empty(f, BLOCK * len(starts))
        for number, first in enumerate(starts):
            ctypes.memset(at, 0, sums.bytes)
            here, moved = min(sums.most, self.count - first), size(self.f, first)
            accumulate(here, at, self.address + moved, other.address + moved)
            sums.collect(BLOCK, reduced.at(BLOCK * number), at)
        return reduced.sum() * pow(2, -spare(f), f.p) % f.p

    def inverse(self) -> ResidueArray:
        """1/x of each value. Raises ZeroDivisionError with the first position of a zero."""
        chains = chains_of(self.limbs) if self.count >= LEAST else None
        if chains is None:
            return self.like(self.in_limbs().inverse())
        made = self.copied()
        for first in range(0, self.count, PART):
            if not chains.invert_digits(min(PART, self.count - first), made.at(first)):
                raise self.zero(first)
        return made

    def _check(self, *others: ResidueArray) -> None:
        for other in others:
            if other.count != self.count:
                raise LengthMismatch(f"arrays of {self.count} and of {other.count} elements")


def to_digits(x: ResidueArray) -> ResidueArray:
    """The same residues in digits, or the array itself where they cannot be."""
    f = x.f
    if f.word != LIMB_BITS or not _kernels(f):
        return x
    made = ResiduesInDigits(f, x.count)
    if x.count:
        _call(f, TO_DIGITS, x.count, made.address, x.address)
    return made


def _call(f: Field, role: str, count: int, *addresses: int) -> None:
    _kernels(f)[role](count, *addresses)


def _summing(f: Field) -> ArrayCall:
    return _kernels(f)[ACCUMULATE_DIGITS]


@lru_cache(maxsize=64)
def _kernels(f: Field) -> Mapping[str, ArrayCall]:
    """The kernels of arrays in digits of this process by role; nothing where there are none."""
    target = fastest_here(f)
    if target is None or f.bits > MOST_BITS or f.n < 2:
        return {}
    made = {each.role: each.kernel for each in made_digits(target, f)}
    summing = made.pop(ACCUMULATE_DIGITS)
    found: dict[str, ArrayCall] = {role: loaded(each).at for role, each in made.items()}
    found[ACCUMULATE_DIGITS] = LoadedColumnKernel(summing.object, summing.symbol, 3)
    return found
