"""Emits the steps of lanes: sums without carries, halves of products, signed shifts."""

from __future__ import annotations

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.language import LanguageError
from fieldc.words.build import Builder
from fieldc.words.operations import ADD, ADD_HIGH, ADD_LOW, MERGE, SHIFT_SIGNED
from fieldc.words.program import Value

_MASK = (1 << DIGIT_BITS) - 1
_SIGNED_ROOM = 1 << 62
"""Columns below this have differences and carries that fit a lane with their sign."""


class LaneBuilder(Builder):
    """Builds programs of lanes: every word is one of a vector, and there is no flag."""

    def sum(self, a: Value, b: Value, limit: int | None = None) -> Value:
        """a + b. Raises LanguageError where it may be larger than a lane."""
        high = a.high + b.high if limit is None else min(a.high + b.high, limit)
        if high > self.top:
            raise LanguageError("a column is larger than a lane")
        if high == 0:
            return self.constant(0)
        return self.add(a, b, self.no_carry, high)[0]

    def half(self, which: int, total: Value, a: Value, b: Value, limit: int) -> Value:
        """total + the low (0) or high (1) half of the product of two digits."""
        largest = min(a.high, _MASK) * min(b.high, _MASK)
        term = largest >> DIGIT_BITS if which else min(largest, _MASK)
        if term == 0 or limit == 0:
            return total
        if b.constant is None and a.constant is not None:
            a, b = b, a
        high = min(total.high + term, limit)
        if high > self.top:
            raise LanguageError("a column of products is larger than a lane")
        row = ADD_HIGH if which else ADD_LOW
        return self._emit(row, (a, b, total), (high,), ("t",), DIGIT_BITS)[0]

    def above(self, word: Value) -> Value | None:
        """The carry: what lies above a digit's bits; None where that is nothing."""
        if word.high <= _MASK:
            return None
        return self.funnel(self.constant(0), word, DIGIT_BITS)

    def cut(self, word: Value) -> Value:
        """The lowest 52 bits."""
        return self.bit_and(word, self.constant(_MASK)) if word.high > _MASK else word

    def difference(self, a: Value, b: Value) -> Value:
        """a - b modulo 2^64, for words far below 2^63."""
        if max(a.high, b.high) >= _SIGNED_ROOM:
            raise LanguageError("a column is too large for a difference")
        return self.sub(a, b, self.no_carry)[0]

    def wrapped(self, a: Value, b: Value, limit: int | None = None) -> Value:
        """a + b modulo 2^64, which is known to be at most `limit`."""
        if a.constant == 0 or b.constant == 0:
            return b if a.constant == 0 else a
        highs = self.top if limit is None else limit, 1
        return self._emit(ADD, (a, b, self.no_carry), highs, ("t", "carry"))[0]

    def signed(self, word: Value, bits: int) -> Value:
        """word >> bits in two's complement."""
        return self._emit(SHIFT_SIGNED, (word,), (self.top,), ("s",), bits)[0]

    def merge(self, mask: Value, a: Value, b: Value) -> Value:
        """a in lanes where the mask has ones, b where it has zeros."""
        if a.number == b.number:
            return a
        return self._emit(MERGE, (mask, a, b), (max(a.high, b.high),), ("z",))[0]
