"""What an operand or result may be: how many values, of how many limbs, and how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.field import Field


@dataclass(frozen=True)
class Range:
    """The contract of an operand or result: `count` values side by side, as they lie in memory.

    Each value is below `multiple` * p and has n limbs. A wide value is below `multiple` * p * R and
    has 2n limbs. The lowest limbs are those of the first value. An algorithm gets several values as
    a tuple; everything else handles the one number that they make.
    """

    count: int = 1
    multiple: int = 1
    is_wide: bool = False

    @property
    def bound(self) -> str:
        """What each value is below, as text: p, 2p or p*R."""
        multiple = "" if self.multiple == 1 else str(self.multiple)
        return f"{multiple}p{'*R' if self.is_wide else ''}"

    @property
    def says(self) -> str:
        """The contract as text, for example `two values < p`."""
        if self.count == 1:
            return f"< {self.bound}"
        count = COUNTS[self.count] if self.count < len(COUNTS) else str(self.count)
        return f"{count} values < {self.bound}"

    def limbs(self, f: Field) -> int:
        """The limbs of one value."""
        return 2 * f.n if self.is_wide else f.n

    def high(self, f: Field) -> int:
        """The largest value."""
        return self.multiple * f.p * (f.R if self.is_wide else 1) - 1

    def width(self, f: Field) -> int:
        """The limbs of all values."""
        return self.count * self.limbs(f)

    def values(self, f: Field, number: int) -> tuple[int, ...]:
        """The values that make a number. What is above the others belongs to the last one."""
        bits = f.word * self.limbs(f)
        lower = (number >> bits * i & (1 << bits) - 1 for i in range(self.count - 1))
        return *lower, number >> bits * (self.count - 1)

    def number(self, f: Field, values: Sequence[int]) -> int:
        """The number that values make."""
        return sum(v << f.word * self.limbs(f) * i for i, v in enumerate(values))


COUNTS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
"""Numbers as words."""


def residues(count: int) -> Range:
    """Canonical values side by side, n limbs each."""
    return Range(count)


def lazily(count: int) -> Range:
    """Values below 2p side by side, n limbs each."""
    return Range(count, multiple=2)


WIDE = Range(is_wide=True)
"""A value below p*R, of 2n limbs."""
