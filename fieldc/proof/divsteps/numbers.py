"""What words stand for: polynomials in integers whose ranges are known.

A word is said to be a polynomial P: it is P modulo 2^64. Where P is at least -2^63 and below 2^63
for all numbers in their ranges, the word with its sign is P itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from fieldc.proof.algebra.equations import ONE, Polynomial, Rational, add_to, constant, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.divsteps.words import RADIX, WORD_BITS, MadeWord, WordCode, signed_word

Extent = tuple[int, int]
"""The least and the largest value."""
FAR = 100
"""Words in a row between one that is known and one that is asked for."""


@dataclass(frozen=True)
class MatrixRow:
    """u*f + v*g = 2^steps * quotient, for the numbers f, g and quotient."""

    steps: int
    f: int
    g: int
    quotient: int


@dataclass
class IntegerFacts:
    """Integers by number: their ranges, which are odd, and what some are modulo a power of 2."""

    ranges: list[Extent] = field(default_factory=list)
    odd: dict[int, bool] = field(default_factory=dict)
    same: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Another number that one is modulo 2^bits, and the bits."""
    rows: dict[tuple[int, int], MatrixRow] = field(default_factory=dict)
    """By u and v."""

    def new(self, low: int, high: int) -> int:
        """A number in a range."""
        self.ranges.append((low, high))
        return len(self.ranges) - 1

    def where(self, ranges: Mapping[int, Extent], odd: Mapping[int, bool]) -> IntegerFacts:
        """The facts in a case."""
        narrowed = [ranges.get(n, r) for n, r in enumerate(self.ranges)]
        return IntegerFacts(narrowed, {**self.odd, **odd}, dict(self.same), self.rows)

    def range_of(self, number: Polynomial) -> Extent:
        """The least and the largest value, each term by itself."""
        least: Rational = 0
        most: Rational = 0
        for monomial, factor in number.items():
            low, high = factor, factor
            for variable in monomial:
                ends = [a * b for a in (low, high) for b in self.ranges[variable]]
                low, high = min(ends), max(ends)
            least, most = least + low, most + high
        return int(-(-least // 1)), int(most // 1)

    def is_signed_word(self, number: Polynomial) -> bool:
        """Whether a word that is this modulo 2^64 is it with its sign."""
        low, high = self.range_of(number)
        return low >= -RADIX // 2 and high < RADIX // 2

    def parity(self, number: Polynomial) -> int | None:
        """Whether it is odd, if that is known."""
        total = 0
        for monomial, factor in number.items():
            if isinstance(factor, Fraction):
                return None
            if factor % 2:
                known = [self._is_odd(variable) for variable in monomial]
                if None in known:
                    return None
                total += all(known)
        return total % 2

    def _is_odd(self, variable: int) -> bool | None:
        while variable not in self.odd and self.same.get(variable, (0, 0))[1]:
            variable = self.same[variable][0]
        return self.odd.get(variable)

    def bits_shared(self, variable: int, other: int) -> int:
        """A number of low bits in which two numbers agree; 0 where nothing is known."""
        bits = WORD_BITS
        while variable != other and variable in self.same:
            variable, known = self.same[variable]
            bits = min(bits, known)
        return bits if variable == other else 0


@dataclass
class WordReading:
    """What the words of code stand for, from some that are known on."""

    code: WordCode
    facts: IntegerFacts
    known: dict[int, Polynomial]
    sums: dict[int, int] = field(default_factory=dict)
    """The word that is 2^steps*x by a row of a matrix, by the quotient that x is then."""

    def number(self, place: int, depth: int = 0) -> Polynomial:
        """What a word stands for. Raises ProofError where that is not known."""
        if place not in self.known:
            if depth > FAR:
                raise ProofError(f"a word is made in more than {FAR} steps from what is known")
            made = self._made(self.code.words[place], depth + 1)
            self.known[place] = self._by_row(made, place)
        return self.known[place]

    def _made(self, word: MadeWord, depth: int) -> Polynomial:
        if word.operation == "constant":
            return constant(signed_word(word.number))
        if word.operation == "operand":
            raise ProofError("what is no part of the state is read")
        if word.operation == "choose":
            flag, first, second = word.of
            decided = self._decided(self.number(flag, depth), "a choice")
            return self.number(first if decided else second, depth)
        given = [self.number(place, depth) for place in word.of]
        return centred(getattr(self, f"_{word.operation}")(*given, *self._attribute(word)))

    @staticmethod
    def _attribute(word: MadeWord) -> tuple[int, ...]:
        return (word.number,) if word.operation in ("shl", "shr", "sar") else ()

    def _decided(self, flag: Polynomial, what: str) -> bool:
        if flag.keys() - {ONE}:
            raise ProofError(f"{what} by what is not decided")
        return bool(flag)

    def _add(self, a: Polynomial, b: Polynomial) -> Polynomial:
        total = dict(a)
        add_to(total, b)
        return total

    def _sub(self, a: Polynomial, b: Polynomial) -> Polynomial:
        total = dict(a)
        add_to(total, b, -1)
        return total

    def _mul(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return product(a, b)

    def _and(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """0 and a word, or 1 and a word whose parity is known."""
        for one, other in ((a, b), (b, a)):
            if not one:
                return {}
            if one == {ONE: 1} and (odd := self.facts.parity(other)) is not None:
                return constant(odd)
        raise ProofError("bits of two words, or a lowest bit, that is not known")

    def _shl(self, a: Polynomial, count: int) -> Polynomial:
        return {m: c << count if isinstance(c, int) else c * (1 << count) for m, c in a.items()}

    def _sar(self, a: Polynomial, count: int) -> Polynomial:
        if self.facts.is_signed_word(a):
            return self._quotient(a, count)
        half = RADIX >> count + 1
        return self._cut(a, count, (-half, half - 1))

    def _shr(self, a: Polynomial, count: int) -> Polynomial:
        number = self._without_sign(a)
        if number is not None:
            return self._quotient(number, count)
        return self._cut(a, count, (0, (RADIX >> count) - 1))

    def _without_sign(self, a: Polynomial) -> Polynomial | None:
        """The word as a number from 0 to 2^64 - 1, where bounds tell it."""
        low, high = self.facts.range_of(a)
        if low >= 0 and high < RADIX:
            return a
        if low >= -RADIX and high < 0:
            raised = dict(a)
            add_to(raised, {ONE: RADIX})
            return raised
        return None

    def _quotient(self, a: Polynomial, count: int) -> Polynomial:
        """a/2^count, rounded down: some terms are divisible, and bounds say what the others are."""
        whole = {m: c for m, c in a.items() if m and not c % (1 << count)}
        rest = {m: c for m, c in a.items() if m not in whole}
        low, high = self.facts.range_of(rest)
        if low >> count == high >> count:
            quotient: Polynomial = {m: int(c) >> count for m, c in whole.items()}
            add_to(quotient, constant(low >> count))
            return quotient
        if count == 1 and self.facts.parity(a) == 0:
            return {m: c // 2 if c % 2 == 0 else Fraction(c, 2) for m, c in a.items()}
        raise ProofError("a shift drops bits of which not enough is known")

    def _cut(self, a: Polynomial, count: int, within: Extent) -> Polynomial:
        """What a shift leaves of a word that may be more than one: a new number in a range.

        Of 2^count*x it is x modulo what is left of 2^64.
        """
        found = self.facts.new(*within)
        if len(a) == 1:
            ((monomial, factor),) = a.items()
            if factor == 1 << count and len(monomial) == 1:
                self.facts.same[found] = monomial[0], WORD_BITS - count
        return {(found,): 1}

    def _by_row(self, total: Polynomial, place: int) -> Polynomial:
        """2^steps*x, where a row of a matrix meets what f and g are modulo a power of 2.

        A common factor stays.
        """
        if len(total) != 2 or len({*total.values()}) != 1 or {*map(len, total)} != {2}:
            return total
        (one, other), factor = total, next(iter(total.values()))
        if isinstance(factor, Fraction):
            return total
        for (u, v), row in self.facts.rows.items():
            for first, second in ((one, other), (other, one)):
                if u not in first or v not in second:
                    continue
                f, g = (m[1 - m.index(k)] for m, k in ((first, u), (second, v)))
                bits = min(self.facts.bits_shared(f, row.f), self.facts.bits_shared(g, row.g))
                if bits >= row.steps:
                    found = self.facts.new(-4 * RADIX, 4 * RADIX)
                    self.facts.same[found] = row.quotient, bits - row.steps
                    self.sums[row.quotient] = place
                    return centred({(found,): factor << row.steps})
        return total

    def _is_zero(self, a: Polynomial) -> Polynomial:
        low, high = self.facts.range_of(a)
        if self.facts.is_signed_word(a) and (low > 0 or high < 0 or low == high):
            return constant(int(low == 0))
        raise ProofError("whether a word is 0 is not decided")

    def _is_negative(self, a: Polynomial) -> Polynomial:
        low, high = self.facts.range_of(a)
        if self.facts.is_signed_word(a) and (low >= 0 or high < 0):
            return constant(int(high < 0))
        raise ProofError("the sign of a word is not decided")

    def _is_below(self, a: Polynomial, b: Polynomial) -> Polynomial:
        first, second = self._without_sign(a), self._without_sign(b)
        if first is not None and second is not None:
            low, high = self.facts.range_of(self._sub(first, second))
            if low >= 0 or high < 0:
                return constant(int(high < 0))
        raise ProofError("which of two words is less is not decided")


def centred(number: Polynomial) -> Polynomial:
    """The same modulo 2^64, with factors as small as can be."""
    found = ((m, c if isinstance(c, Fraction) else signed_word(c)) for m, c in number.items())
    return {m: c for m, c in found if c}
