"""Values of a long formula as linear combinations, modulo p, of inputs and of products.

A product of two combinations is an atom, and the same product is the same atom. So two ways to
compute a value compare equal where they multiply the same things, however long both are; where
they do not, both are multiplied out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fieldc.proof.algebra.dropped import ProofError, inverse_of
from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.claims.formulas import Polynomials

Form = Mapping[int, int]
"""Coefficient of each atom, none of them 0."""
FormKey = tuple[tuple[int, int], ...]
DEEPEST = 100
"""How deep products may nest where both sides are multiplied out: each step calls itself."""
UNIT = 0
"""The atom that is 1."""


@dataclass
class Forms:
    """The atoms of one proof: 1, inputs, and products."""

    p: int
    products: dict[tuple[FormKey, FormKey], int] = field(default_factory=dict)
    factors: dict[int, tuple[FormKey, FormKey]] = field(default_factory=dict)
    """Of each product."""
    atoms: int = 1
    _polynomials: dict[int, Polynomial] = field(default_factory=dict)

    def input(self) -> Form:
        """A new input."""
        self.atoms += 1
        return {self.atoms - 1: 1}

    def constant(self, number: int) -> Form:
        """A number."""
        return {UNIT: number % self.p} if number % self.p else {}

    def total(self, terms: Sequence[tuple[Form, int]]) -> Form:
        """A sum of multiples."""
        found: dict[int, int] = {}
        for form, factor in terms:
            for atom, coefficient in form.items():
                found[atom] = (found.get(atom, 0) + factor * coefficient) % self.p
        return {atom: c for atom, c in found.items() if c}

    def product(self, a: Form, b: Form, factor: int) -> Form:
        """factor * a * b: an atom, unless one of them is a number."""
        for x, y in ((a, b), (b, a)):
            if not x.keys() - {UNIT}:
                return self.total([(y, factor * x.get(UNIT, 0))])
        (first, u), (second, v) = self._scaled(a), self._scaled(b)
        key = (first, second) if first <= second else (second, first)
        if key not in self.products:
            self.products[key] = self.atoms
            self.factors[self.atoms] = key
            self.atoms += 1
        return self.total([({self.products[key]: 1}, u * v * factor)])

    def _scaled(self, form: Form) -> tuple[FormKey, int]:
        """A form whose first coefficient is 1, and the factor that was taken out."""
        first = form[min(form)]
        inverse = inverse_of(first, self.p)
        return tuple(sorted((a, c * inverse % self.p) for a, c in form.items())), first

    def are_equal(self, a: Form, b: Form) -> bool:
        """Whether two values are equal modulo p for all inputs. Raises ProofError if too long."""
        return not (rest := self.total([(a, 1), (b, -1)])) or not self._expanded(rest)

    def _expanded(self, form: Form, depth: int = DEEPEST) -> Polynomial:
        algebra = Polynomials(self.p)
        return algebra.total([(self._polynomial(atom, depth), c) for atom, c in form.items()])

    def _polynomial(self, atom: int, depth: int) -> Polynomial:
        if atom == UNIT:
            return {(): 1}
        if atom not in self.factors:
            return {(atom,): 1}
        if atom not in self._polynomials:
            if depth == 0:
                raise ProofError(f"products that nest deeper than {DEEPEST} are not multiplied out")
            first, second = (self._expanded(dict(key), depth - 1) for key in self.factors[atom])
            self._polynomials[atom] = Polynomials(self.p).product(first, second, 1)
        return self._polynomials[atom]
