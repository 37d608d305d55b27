"""Emits the steps of lanes: sums without carries, halves of products, signed shifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.language import LanguageError
from fieldc.words.build import Builder
from fieldc.words.operations import ADD, ADD_HIGH, ADD_LOW, MERGE, SHIFT_SIGNED, SUB
from fieldc.words.program import Value

_MASK = (1 << DIGIT_BITS) - 1
_SIGNED_ROOM = 1 << 62
"""Columns below this have differences and carries that fit a lane with their sign."""


_RAISED = 1 << 63
"""What makes a word in two's complement one without a sign, modulo 2^64."""


@dataclass(frozen=True)
class LaneStyle:
    """What a target wants of the steps: none of it changes a result."""

    halves_together: bool = False
    """Whether both halves of a product follow each other; else chains of sums are shorter."""
    by_columns: bool = False
    """Whether one column after the other is summed, which takes few registers."""
    shifts_signs: bool = True
    """Whether a lane can be shifted in two's complement; else carries are raised."""
    under_way: int = 0
    """Sums that must be under way at once, or multipliers wait for them."""

    def halves(self, rows: int, count: int) -> list[tuple[int, int, int]]:
        """Which digits are multiplied, and which half is added, in this order."""
        found = [(i, j, half) for i in range(rows) for half in (0, 1) for j in range(count)]
        if self.by_columns:
            return sorted(found, key=lambda each: (each[0] + each[1], *each))
        return sorted(found) if self.halves_together else found

    def pairs(self, count: int) -> list[tuple[int, int]]:
        """The pairs of different digits of a square, in their order."""
        return sorted(combinations(range(count), 2), key=sum if self.by_columns else None)

    def in_two(self, columns: int, products: int) -> bool:
        """Whether low halves and high halves of products have sums of their own in each column.

        A column takes two halves of most products, one after the other.
        """
        return columns < self.under_way <= 2 * products


PLAIN = LaneStyle()


@dataclass
class LaneBuilder(Builder):
    """Builds programs of lanes: every word is one of a vector, and there is no flag."""

    style: LaneStyle = PLAIN

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

    def rest(self, constant: int, word: Value) -> Value:
        """A constant less a word, which is not more. Raises LanguageError where it may be."""
        if constant < word.high:
            raise LanguageError("a column is larger than what it is taken from")
        return self.sub(self.constant(constant), word, self.no_carry, constant)[0]

    def wrapped(self, a: Value, b: Value, limit: int | None = None) -> Value:
        """a + b modulo 2^64, which is known to be at most `limit`."""
        if a.constant == 0 or b.constant == 0:
            return b if a.constant == 0 else a
        highs = self.top if limit is None else limit, 1
        return self._emit(ADD, (a, b, self.no_carry), highs, ("t", "carry"))[0]

    def signed(self, word: Value, bits: int) -> Value:
        """word >> bits in two's complement."""
        return self._emit(SHIFT_SIGNED, (word,), (self.top,), ("s",), bits)[0]

    def with_carries(self, columns: Sequence[Value], high: int | None = None) -> list[Value]:
        """Columns that may be negative with carries taken; the last one has the sign.

        The lowest 52 bits of the others are digits. Of a number from 0 to `high` the last one is no
        more than that says, and there is one for each digit of it, where fewer columns were added.
        """
        found: list[Value] = []
        digits = -(-(high or 0).bit_length() // DIGIT_BITS)
        columns = [*columns, *[self.constant(0)] * (digits - len(columns))]
        top, is_raised = len(columns) - 1, not self.style.shifts_signs
        for place, column in enumerate(columns):
            limit = high >> DIGIT_BITS * place if place == top and high is not None else None
            if is_raised:
                # 2^63 more in a word is 2^11 more in its carry, which the next column takes off.
                more = (place < top) * _RAISED - (place > 0) * (_RAISED >> DIGIT_BITS)
                column = self._raised(column, more % (self.top + 1))
            if found and is_raised:
                carry = self.funnel(self.constant(0), found[-1], DIGIT_BITS)
                column = self.wrapped(column, carry, limit)
            elif found:
                column = self.wrapped(column, self.signed(found[-1], DIGIT_BITS), limit)
            found.append(column)
        return found

    def _raised(self, word: Value, more: int) -> Value:
        """word + more modulo 2^64; a constant that made the word is changed instead."""
        if more == 0:
            return word
        made = next((step for step in reversed(self.steps) if word in step.outputs), None)
        known = made.inputs[1].constant if made and made.operation in (ADD, SUB) else None
        if made is not None and known is not None and made.outputs[0] == word:
            more += known if made.operation is ADD else -known
            word = made.inputs[0]
        return self.wrapped(word, self.constant(more % (self.top + 1)))

    def merge(self, mask: Value, a: Value, b: Value) -> Value:
        """a in lanes where the mask has ones, b where it has zeros."""
        if a.number == b.number:
            return a
        return self._emit(MERGE, (mask, a, b), (max(a.high, b.high),), ("z",))[0]
