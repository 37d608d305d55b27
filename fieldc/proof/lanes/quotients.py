"""Quotients of 32 bits: which multiple of a prime makes the low half of a word zero.

With m = low(t, 32)*n and q = low(m, 32), q is t*n modulo 2^32. So t + c*q is t*(1 + c*n), whose low
half is 0 where c*n = -1 modulo 2^32.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fieldc.proof.algebra.equations import Polynomial, add_to
from fieldc.proof.lanes.word import HALF, Word, WordKey


@dataclass
class Quotients:
    """The quotients of a lane: words, and what they are the multiples of modulo 2^32."""

    are_factors: bool = False
    """Whether halves of words have been multiplied."""
    _multiples: dict[WordKey, tuple[Word, int]] = field(default_factory=dict)
    _found: list[tuple[Polynomial, Word, int]] = field(default_factory=list)

    def multiple(self, product: Word, t: Word, n: int) -> None:
        """Note that a word is the low half of t, times n."""
        self._multiples[product.key] = t, n

    def low(self, word: Word, low: Word) -> None:
        """Note that a word is the low half of another one."""
        if word.key in self._multiples:
            self._found.append((low.value, *self._multiples[word.key]))

    def clear(self, word: Word) -> bool:
        """Whether the low half of a word is known to be 0."""
        return any(_clears(word, *each) for each in self._found)


def _clears(word: Word, q: Polynomial, t: Word, n: int) -> bool:
    """Whether a word is t + c*q with c*n = -1 modulo 2^32."""
    rest = dict(word.value)
    add_to(rest, t.value, -1)
    if not q or rest.keys() != q.keys():
        return False
    monomial = next(iter(q))
    c = Fraction(rest[monomial], q[monomial])
    add_to(rest, q, -c)
    return not rest and c.denominator == 1 and (c.numerator * n + 1) % (1 << HALF) == 0
