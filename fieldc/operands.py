"""What an operand or result may be: how many values, of how many limbs, up to which one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.field import Field


@dataclass(frozen=True)
class Range:
    """The contract of an operand or result: `count` values side by side, as they lie in memory.

    `limbs` and `high` are of one value. Of several, the lowest limbs are those of the first; a
    kernel's text gets them as a tuple, and everything outside as the one number that they make.
    """

    says: str
    limbs: Callable[[Field], int]
    high: Callable[[Field], int]
    count: int = 1

    def width(self, f: Field) -> int:
        """The limbs of all values."""
        return self.count * self.limbs(f)

    def values(self, f: Field, number: int) -> tuple[int, ...]:
        """The values that make a number; the last has what is above the others."""
        bits = f.word * self.limbs(f)
        lower = (number >> bits * i & (1 << bits) - 1 for i in range(self.count - 1))
        return *lower, number >> bits * (self.count - 1)

    def number(self, f: Field, values: Sequence[int]) -> int:
        """The number that values make."""
        return sum(v << f.word * self.limbs(f) * i for i, v in enumerate(values))


COUNTS = ("", "", "two values ", "three values ", "four values ", "five values ", "six values ")


def residues(count: int) -> Range:
    """Canonical values side by side, n limbs each."""
    return Range(f"{COUNTS[count]}< p", lambda f: f.n, lambda f: f.p - 1, count)


def lazily(count: int) -> Range:
    """Values below 2p side by side, n limbs each."""
    return Range(f"{COUNTS[count]}< 2p", lambda f: f.n, lambda f: 2 * f.p - 1, count)
