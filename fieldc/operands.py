"""What an operand or result may be: how many values, of how many limbs, and how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.field import Field


@dataclass(frozen=True)
class Range:
    """The contract of an operand or result: `count` values side by side, as they lie in memory.

    Each value is below `multiple` * p^`powers` * 2^`bits` * R^`radices`, and R times that where it
    is wide. A residue has n limbs, a wide one 2n, any other value the limbs that its bound needs.
    With no power of p it is a plain integer, with two a sum of products. The lowest limbs are those
    of the first value. An algorithm gets several values as a tuple; everything else handles the one
    number that they make. A signed plain integer is a number like any other here, its two's
    complement. A loose value has the words of a residue, which may be larger than the radix:
    carries wait.
    """

    count: int = 1
    multiple: int = 1
    is_wide: bool = False
    powers: int = 1
    bits: int = 0
    is_signed: bool = False
    radices: int = 0
    is_loose: bool = False

    @property
    def is_residue(self) -> bool:
        """Whether it is a multiple of p that values are below, and R at most."""
        return self.powers == 1 and not self.bits and not self.radices

    def modulus(self, f: Field) -> int:
        """What a result is taken modulo: p, or R^`radices` where it is an integer below that.

        Of an integer below R^`radices` * 2^`bits` it is one more than this power of two, so odd.
        """
        if not self.radices or self.powers:
            return f.p
        return int(f.R**self.radices << self.bits) + bool(self.bits)

    @property
    def bound(self) -> str:
        """What each value is below, as text: p, 2p, p*R, 2^64, 3p*2^64 or 8p*p."""
        multiple, bits = self.multiple << self.bits, 0
        if (zeros := (multiple & -multiple).bit_length() - 1) >= LEAST_POWER:
            multiple, bits = multiple >> zeros, zeros
        first = "*".join("p" * self.powers)
        parts = [first] if multiple == 1 else [f"{multiple}{first}"]
        parts += [f"2^{bits}"] if bits else []
        parts += ["R"] * (self.is_wide + self.radices)
        return "*".join(part for part in parts if part)

    @property
    def says(self) -> str:
        """The contract as text, for example `two values < p`."""
        if self.is_signed:
            return f"from -2^{self.bits - 1} to 2^{self.bits - 1} - 1"
        count = COUNTS[self.count] if self.count < len(COUNTS) else str(self.count)
        values = "" if self.count == 1 else f"{count} values "
        return f"{values}< {self.bound}{' in loose digits' * self.is_loose}"

    def wanted(self, number: int) -> str:
        """What a number out of range must be, as text: of a negative one both ends."""
        return self.says if number >= 0 or self.is_signed else self.says.replace("<", ">= 0 and <")

    def places(self, f: Field) -> int:
        """The bits from one value to the next; a loose value has some beyond its limbs."""
        return f.word * self.limbs(f) + self.is_loose * LOOSE_SPARE

    def limbs(self, f: Field) -> int:
        """The limbs of one value."""
        if not self.is_residue:
            return -(-self.high(f).bit_length() // f.word)
        return 2 * f.n if self.is_wide else f.n

    def high(self, f: Field) -> int:
        """The largest value."""
        unit = int(f.p**self.powers * f.R ** (self.is_wide + self.radices))
        return (self.multiple * unit << self.bits) - 1

    def width(self, f: Field) -> int:
        """The limbs of all values."""
        return self.count * self.limbs(f)

    def values(self, f: Field, number: int) -> tuple[int, ...]:
        """The values that make a number. What is above the others belongs to the last one."""
        bits = self.places(f)
        lower = (number >> bits * i & (1 << bits) - 1 for i in range(self.count - 1))
        return *lower, number >> bits * (self.count - 1)

    def signed(self, number: int) -> int:
        """What a number of this range means: of a signed integer its two's complement."""
        return number - (number >> self.bits - 1 << self.bits) if self.is_signed else number

    def number(self, f: Field, values: Sequence[int]) -> int:
        """The number that values make."""
        return sum(v << self.places(f) * i for i, v in enumerate(values))


LOOSE_SPARE = 64
"""Bits that a loose value may have beyond its limbs, or more."""
LEAST_POWER = 64
"""Powers of two from this one on are written as powers."""
COUNTS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
"""Numbers as words."""


def residues(count: int) -> Range:
    """Canonical values side by side, n limbs each."""
    return Range(count)


def lazily(count: int, lazy: int = 1) -> Range:
    """Values below (lazy + 1)*p side by side, n limbs each."""
    return Range(count, multiple=lazy + 1)


def loosely(count: int, lazy: int) -> Range:
    """Values below (lazy + 1)*p side by side, in n words each whose carries wait."""
    return Range(count, multiple=lazy + 1, is_loose=True)


def plain_integer(bits: int, is_signed: bool = False, count: int = 1) -> Range:
    """Plain integers below 2^bits, no residues; where one is signed, in two's complement."""
    return Range(count, powers=0, bits=bits, is_signed=is_signed)


def integers_below_radix(radices: int, count: int = 1, bits: int = 0) -> Range:
    """Integers below R^radices * 2^bits side by side; `Range.modulus` is what they are modulo."""
    return Range(count, powers=0, radices=radices, bits=bits)


WIDE = Range(is_wide=True)
"""A value below p*R, of 2n limbs."""
