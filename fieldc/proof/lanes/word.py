"""A word of a lane: an integer with bounds, and its bits where these are known one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import lcm

from fieldc.proof.algebra.equations import ONE, Monomial, Polynomial, Rational, add_to, ratio

WORD = 64
DIGIT = 52
HALF = 32
WordKey = frozenset[tuple[Monomial, Rational]]
BitPiece = tuple[int, int, int, int]
"""Bits [first, last) of an atom, at a place: (atom, first, last, place)."""


class ExcludedCase(Exception):
    """No operands give the masks these signs: there is nothing to prove."""


@dataclass(frozen=True, eq=False)
class Word:
    """An integer from `low` to `high`; `pieces` are its bits, where it is put together from some.

    `sign_of` is what a mask is the sign of: all ones where that is negative, else zero.
    """

    value: Polynomial
    low: int
    high: int
    pieces: tuple[BitPiece, ...] | None = None
    sign_of: Word | None = None

    @cached_property
    def key(self) -> WordKey:
        """The integer, for comparison."""
        return frozenset(self.value.items())

    @property
    def number(self) -> int | None:
        """The integer, where it is the same for all operands; its bounds may be wider."""
        if self.sign_of or self.value.keys() - {ONE}:
            return None
        return int(self.value.get(ONE, 0))


def fits(word: Word) -> bool:
    return word.low >= -(1 << WORD - 1) and word.high < 1 << (WORD if word.low >= 0 else WORD - 1)


def wrapped(word: Word) -> Word:
    """The word, or less a multiple of 2^64 where that fits."""
    turns = word.low >> WORD
    for less in (turns << WORD, turns + 1 << WORD):
        if fits(word):
            break
        value = dict(word.value)
        add_to(value, {ONE: -less})
        moved = Word(value, word.low - less, word.high - less)
        word = moved if fits(moved) else word
    return word


def apart(a: Word, b: Word) -> bool:
    """Whether no bit of one is at the place of a bit of the other."""
    held = [(p, p + end - first) for w in (a, b) for _, first, end, p in w.pieces or ()]
    held.sort()
    return all(end <= start for (_, end), (start, _) in pairwise(held))


def scaled(value: Polynomial, factor: Rational) -> Polynomial:
    """The polynomial times a factor; what is an integer is of that type, which is faster."""
    above, below = factor.numerator, factor.denominator
    if below == 1:
        return {m: c * above for m, c in value.items()}
    return {m: exact(c * above, below) for m, c in value.items()}


def exact(c: Rational, below: int = 1) -> Rational:
    """A quotient, an int where it is one."""
    found = ratio(c, below)
    return found.numerator if found.denominator == 1 else found


def modulo(value: Polynomial, bits: int) -> Polynomial:
    """The polynomial without what its integer coefficients have above so many bits."""
    low = {m: c % (1 << bits) if c.denominator == 1 else c for m, c in value.items()}
    return {m: c for m, c in low.items() if c}


def only_atom(value: Polynomial) -> int | None:
    """The atom that a polynomial is."""
    (monomial, c), *others = value.items() or [(ONE, 0)]
    return monomial[0] if len(monomial) == c == 1 and not others else None


def in_integers(value: Polynomial) -> tuple[int, Polynomial]:
    """The least factor that makes all coefficients integers, and the polynomial times that."""
    scale = lcm(*(c.denominator for c in value.values()))
    return scale, {m: c.numerator * (scale // c.denominator) for m, c in value.items()}


def between(pieces: Sequence[BitPiece], first: int, last: int) -> list[BitPiece]:
    """The bits from a place up to another, moved down."""
    found = []
    for atom, start, end, place in pieces:
        low, high = max(place, first), min(place + end - start, last)
        if low < high:
            found.append((atom, start + low - place, start + high - place, low - first))
    return found
