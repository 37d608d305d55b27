"""Bounds of polynomials relative to a modulus that is a symbol: at most slope * p + constant.

A number in [0, p) has no better bound by itself than the largest p. So p's limbs are joined to p,
an operand's to the operand, which is below p or a multiple of it, and only then p takes its least
or its largest value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as combinations
from math import prod

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.combinations import Slopes
from fieldc.proof.algebra.equations import ONE, Polynomial, Rational, add_to, product, ratio, split
from fieldc.proof.algebra.strategies import Followed
from fieldc.proof.classes.modulus import Modulus

FACTORS = 2
"""Variables in the longest product that is joined to numbers. What is bounded in a right kernel
has products of two; a carry that is lost leaves hundreds of longer ones, for nothing."""


@dataclass
class ClassCase(Case):
    """A case of a proof for all moduli of a class."""

    modulus: Modulus | None = None

    def is_negative(self, claim: Polynomial, cofactor: Polynomial, times: int) -> bool:
        """Whether claim + p * cofactor - times * p is always below 0."""
        assert self.modulus is not None
        less = dict(claim)
        add_to(less, product(self.modulus.p, cofactor))
        add_to(less, self.modulus.p, -times)
        return any(bound < 0 for bound in self._relative(less, self.modulus))

    def _maximum(self, target: Polynomial, slopes: Slopes, followed: Followed) -> Rational:
        alone = super()._maximum(target, slopes, followed)
        if self.modulus is None or max(map(len, target), default=0) > FACTORS:
            return alone
        relative = min(self._relative(target, self.modulus))
        if relative < alone:
            slopes.clear()
        return min(relative, alone)

    def _relative(self, target: Polynomial, modulus: Modulus) -> Iterator[Rational]:
        """Bounds where each number's lowest limb says how often it is taken, or its highest."""
        for ends in combinations((0, -1), repeat=2):
            yield self._joined(dict(target), modulus, *ends)

    def _joined(self, rest: Polynomial, modulus: Modulus, end: int, end_of_p: int) -> Rational:
        """A bound by the limbs at these ends; the polynomial is used up."""
        for known in modulus.equations if not end else ():
            while of := split(rest, known.lowest):
                add_to(rest, product(of, known.of_lowest(modulus.p)), ratio(1, known.divisor))
        slope: Rational = 0
        below = {
            i.name: modulus.multiples[i.name] for i in self.inputs if i.name in modulus.multiples
        }
        numbers = [i for i in self.inputs if i.name in below]
        values = {i.name: i.value(self.system.word_bits) for i in numbers}
        for number in numbers:
            often = _times(rest, values[number.name], number.limbs[end])
            if not often:
                continue
            for other in numbers:
                both = _times(often, values[other.name], other.limbs[end])
                most = self._most(both)
                if most > 0:
                    slope += most * below[number.name] * below[other.name] * modulus.of.most
            of_p = self._most(_times(often, modulus.p, self._limb_of_p(modulus, end_of_p)))
            slope += max(of_p, 0) * below[number.name] * modulus.of.most
            most = self._most(often)
            if most > 0:
                slope += most * below[number.name]
                add_to(rest, {ONE: -most})
        slope += self._most(_times(rest, modulus.p, self._limb_of_p(modulus, end_of_p)))
        end_of_range = modulus.of.most if slope > 0 else modulus.of.least
        return self._most(rest) + slope * end_of_range

    def _most(self, terms: Polynomial) -> Rational:
        """Each term at its largest value."""
        ranges = self.system.ranges
        return sum(c * prod(ranges[v][1] for v in m) for m, c in terms.items() if c > 0 or not m)

    def _limb_of_p(self, modulus: Modulus, end: int) -> int:
        """The variable of p's lowest limb, or of its highest."""
        (value,) = (i for i in modulus.inputs if modulus.lowest in i.limbs)
        return value.limbs[end]


def _times(rest: Polynomial, number: Polynomial, limb: int) -> Polynomial:
    """Take a number away as often as one of its limbs stands in a polynomial; how often.

    A square keeps one limb in what it is multiplied with, so it is taken away twice.
    """
    whole: Polynomial = {}
    while found := split(rest, limb):
        weight = int(number[limb,])
        others = {m: c for m, c in number.items() if m != (limb,)}
        often = {m: ratio(c, weight) for m, c in found.items()}
        add_to(rest, product(often, others), -1)
        add_to(whole, often)
    return whole
