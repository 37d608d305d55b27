"""Upper bounds of polynomials over a lane's atoms, with what is known of signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product as pairs
from math import prod

from fieldc.proof.algebra.equations import ONE, Monomial, Polynomial, Rational, add_to, product


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


@dataclass
class Bounds:
    """The largest values of atoms, and the operands that they belong to."""

    highs: Sequence[int]
    operands: Sequence[LaneOperand]
    _products: list[tuple[Monomial, int, Polynomial, int]] = field(default_factory=list)
    _count: int = 0

    def upper(self, value: Polynomial, said: Sequence[tuple[Polynomial, bool]]) -> Rational:
        """An upper bound, where each polynomial that is said is negative, or is not."""
        best = self._plain_upper(value)
        for word, negative in said:
            cancelling = {-Fraction(value[m]) / c for m, c in word.items() if m in value}
            for factor in cancelling:
                if (factor < 0) != negative:
                    continue  # what is said bounds the value from below then
                shifted = dict(value)
                add_to(shifted, word, factor)
                bound = self._plain_upper(shifted)
                best = min(best, bound + factor if negative else bound)
        return best

    def _plain_upper(self, value: Polynomial) -> Rational:
        """Operands as a whole where their words are in proportion, then each atom at its largest.

        Of K*x*y + rest with K from the highest words.
        """
        rest, bound = value, Fraction(0)
        for top, weight, whole, largest in self._wholes():
            if not (there := rest.get(top, 0)):
                continue
            factor = Fraction(there) / weight
            without = dict(rest)
            add_to(without, whole, -factor)
            if len(without) < len(rest):
                rest, bound = without, bound + max(factor * largest, Fraction(0))
        return bound + sum(self._largest(m, c) for m, c in rest.items())

    def _wholes(self) -> list[tuple[Monomial, int, Polynomial, int]]:
        """Operands and products of two: the highest words, their weight, all words, the largest."""
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
                self._products.append((top, weight, whole, prod(o.high for o in group)))
        return self._products

    def _largest(self, monomial: Monomial, coefficient: Rational) -> Rational:
        if monomial == ONE:
            return coefficient
        return coefficient * prod(self.highs[atom] for atom in monomial) if coefficient > 0 else 0
