"""Upper bounds of polynomials over a lane's atoms, with what is known of signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product as pairs
from math import prod

from fieldc.proof.algebra.equations import (
    ONE,
    Monomial,
    Polynomial,
    Rational,
    add_to,
    product,
    ratio,
)
from fieldc.proof.lanes.word import in_integers


@dataclass(frozen=True)
class LaneOperand:
    """The words of an operand, least significant first, and its largest value."""

    name: str
    words: tuple[int, ...]
    """Atoms."""
    bits: int
    """Bits of a word."""
    high: int

    @property
    def value(self) -> Polynomial:
        """The operand as a polynomial."""
        return {(atom,): 1 << self.bits * i for i, atom in enumerate(self.words)}


@dataclass(frozen=True)
class UpperBound:
    """An upper bound, and why: what was added for operands and for a sign."""

    limit: Rational
    slopes: tuple[tuple[tuple[str, ...], Fraction], ...] = ()
    """Products of operands, by their names, and the factor of each."""
    sign: tuple[int, Fraction] | None = None
    """What was said of one polynomial, by its number, and its factor."""
    rests: tuple[tuple[Monomial, int, Fraction], ...] = ()
    """Products of atoms and of the rest above an atom of low bits, and the factor of each."""


@dataclass
class Bounds:
    """The largest values of atoms, and the operands that they belong to."""

    highs: Sequence[int]
    operands: Sequence[LaneOperand]
    cuts: Mapping[tuple[int, int], int]
    """Atoms that are low bits of others: (atom, bits) -> its low bits."""
    _products: list[tuple[Monomial, int, Polynomial, int, tuple[str, ...]]] = field(
        default_factory=list
    )
    _count: int = 0

    def upper(
        self, value: Polynomial, said: Sequence[tuple[Polynomial, bool]], by_rests: bool = False
    ) -> UpperBound:
        """An upper bound, where each polynomial that is said is negative, or is not.

        If asked, a word of an operand less its low bits is taken for what it is, a multiple.
        """
        best = self._plain_upper(value, by_rests)
        for number, (word, negative) in enumerate(said):
            cancelling = {-Fraction(value[m], c) for m, c in word.items() if m in value}
            for factor in sorted(cancelling):
                if (factor < 0) != negative:
                    continue  # what is said bounds the value from below then
                shifted = dict(value)
                add_to(shifted, word, factor)
                bound = self._plain_upper(shifted, by_rests)
                limit = bound.limit + factor if negative else bound.limit
                if limit < best.limit:
                    best = replace(bound, limit=limit, sign=(number, factor))
        return best

    def _plain_upper(self, value: Polynomial, by_rests: bool) -> UpperBound:
        """Operands as a whole where their words are in proportion, then each atom at its largest.

        Of K*x*y + rest with K from the highest words.
        """
        scale, rest = in_integers(value)
        bound: Rational = 0
        slopes: list[tuple[tuple[str, ...], Fraction]] = []
        for top, weight, whole, largest, names in self._wholes():
            if not (there := rest.get(top, 0)):
                continue
            factor = ratio(there, weight)
            without = dict(rest)
            add_to(without, whole, -factor)
            if len(without) < len(rest):
                rest, bound = without, bound + max(factor * largest, 0)
                slopes.append((names, Fraction(factor, scale)))
        above = [*self._rests(rest)] if by_rests else []
        limit = bound + sum(most for *_, most in above)
        limit += sum(self._largest(m, c) for m, c in rest.items())
        rests = tuple((m, low, Fraction(factor, scale)) for m, low, factor, _ in above)
        return UpperBound(ratio(limit, scale), tuple(slopes), rests=rests)

    def _rests(self, value: Polynomial) -> Iterator[tuple[Monomial, int, Rational, Rational]]:
        """Take each c*m*(w - low) with low = w mod 2^b out of a polynomial.

        It is c*2^b*m*rest: m, the atom low, c*2^b and the largest value of the product.
        """
        for (word, bits), low in self.cuts.items():
            for monomial in [m for m in value if word in m]:
                others = [*monomial]
                others.remove(word)
                below = tuple(sorted((*others, low)))
                c = min(value[monomial], -value.get(below, 0))
                if c > 0:
                    add_to(value, {monomial: -c, below: c})
                    most = c * (self.highs[word] >> bits << bits)
                    yield tuple(others), low, c * (1 << bits), self._largest(tuple(others), most)

    def _wholes(self) -> list[tuple[Monomial, int, Polynomial, int, tuple[str, ...]]]:
        """Operands and products of two: by names, the highest words, their weight, all words.

        And the largest value.
        """
        if self._count < len(self.operands):
            self._count = len(self.operands)
            self._products = []
            both = [
                (a, b)
                for (i, a), (j, b) in pairs(enumerate(self.operands), enumerate(self.operands))
                if i <= j
            ]
            for group in (*both, *((operand,) for operand in self.operands)):
                whole: Polynomial = {ONE: 1}
                for operand in group:
                    whole = product(whole, operand.value)
                top = tuple(sorted(operand.words[-1] for operand in group))
                weight = 1 << sum(o.bits * (len(o.words) - 1) for o in group)
                names = tuple(operand.name for operand in group)
                largest = prod(o.high for o in group)
                self._products.append((top, weight, whole, largest, names))
        return self._products

    def _largest(self, monomial: Monomial, coefficient: Rational) -> Rational:
        if monomial == ONE:
            return coefficient
        return coefficient * prod(self.highs[atom] for atom in monomial) if coefficient > 0 else 0
