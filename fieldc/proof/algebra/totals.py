"""A polynomial that is rewritten row by row, with an index of its variables and a running bound.

A proof spends nearly all its time here. Each step touches only the terms that change: the index
finds the terms of a variable, a queue the newest row, and the bound is kept up to date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Monomial,
    Polynomial,
    Rational,
    Select,
    System,
    Tops,
    product,
)


class Total:
    """A polynomial over the variables of a system; with a modulus, its coefficients are residues.

    With `tops`, `bound` is each term at its largest value, as `equations.by_terms` takes it.
    """

    __slots__ = (
        "_current",
        "_queue",
        "bound",
        "modulus",
        "places",
        "sure",
        "system",
        "terms",
        "tops",
    )

    def __init__(
        self,
        system: System,
        terms: Mapping[Monomial, Rational],
        modulus: int = 0,
        tops: Tops | None = None,
        sure: frozenset[int] = frozenset(),
    ) -> None:
        self.system, self.modulus, self.tops, self.sure = system, modulus, tops, sure
        self.terms: Polynomial = {}
        self.places: dict[int, dict[Monomial, None]] = {}
        """The terms in which a variable stands."""
        self.bound: Rational = 0
        self._current = len(system.rows)
        self._queue: list[int] = []
        self.add(terms)

    def __len__(self) -> int:
        return len(self.terms)

    def add(self, other: Mapping[Monomial, Rational], factor: Rational = 1) -> None:
        """Add factor * other."""
        terms, modulus, tops, bound = self.terms, self.modulus, self.tops, self.bound
        for monomial, coefficient in other.items():
            old = terms.get(monomial, 0)
            new = old + factor * coefficient
            if modulus:
                new = int(new) % modulus
            if new:
                terms[monomial] = new
                if not old:
                    self._enter(monomial)
            elif old:
                self._leave(monomial)
            if tops is None:
                continue
            if old >= 0 and new >= 0:  # both at the same largest value
                bound += (new - old) * tops[monomial]
            else:
                bound += self._value(monomial, new) - self._value(monomial, old)
        self.bound = bound

    def add_product(self, factor: Polynomial, other: Polynomial) -> None:
        """Add factor * other."""
        if factor.keys() == {ONE}:
            self.add(other, factor[ONE])
        else:
            self.add(product(factor, other))

    def _value(self, monomial: Monomial, coefficient: Rational) -> Rational:
        """A term at its largest value."""
        if coefficient > 0 and self.tops is not None:
            return coefficient * self.tops[monomial]
        return coefficient if coefficient and self.sure.issuperset(monomial) else 0

    def _enter(self, monomial: Monomial) -> None:
        for number in monomial:
            place = self.places.get(number)
            if place is None:
                self.places[number] = {monomial: None}
                owner = self.system.owners[number]
                if 0 <= owner < self._current and number not in self.system.held:
                    heappush(self._queue, -owner)
            else:
                place[monomial] = None

    def _leave(self, monomial: Monomial) -> None:
        del self.terms[monomial]
        for number in set(monomial):
            place = self.places[number]
            del place[monomial]
            if not place:
                del self.places[number]

    def quotient(self, number: int, without: int | None = None) -> Polynomial:
        """What a variable is multiplied with, in terms without another one; of a square, itself."""
        found: Polynomial = {}
        for monomial in self.places.get(number, ()):
            if without is None or without not in monomial:
                at = monomial.index(number)
                found[monomial[:at] + monomial[at + 1 :]] = self.terms[monomial]
        return found

    def split(self, number: int) -> Polynomial:
        """Remove every term with a variable; the polynomial it was multiplied with.

        A square keeps one factor, and is split again by the caller.
        """
        found: Polynomial = {}
        for monomial in list(self.places.get(number, ())):
            coefficient = self.terms[monomial]
            if self.tops is not None:
                self.bound -= self._value(monomial, coefficient)
            self._leave(monomial)
            at = monomial.index(number)
            found[monomial[:at] + monomial[at + 1 :]] = coefficient
        return found

    def substitute(self, number: int, value: Polynomial) -> Polynomial:
        """Replace a variable by a polynomial; the multiple of (variable - value) taken away."""
        multiple: Polynomial = {}
        while quotient := self.split(number):
            for monomial, coefficient in quotient.items():
                self.add(_times(monomial, value), coefficient)
                multiple[monomial] = multiple.get(monomial, 0) + coefficient
        return multiple

    def put_in(self, number: int, fixed: Mapping[int, int]) -> None:
        """Replace a variable by its value, where it has one."""
        if number in self.places and number in fixed:
            self.substitute(number, {ONE: fixed[number]} if fixed[number] else {})

    def put_in_all(self, fixed: Mapping[int, int]) -> None:
        """Replace every variable that has a value."""
        for number in [n for n in fixed if n in self.places]:
            self.put_in(number, fixed)

    def backwards(self) -> Iterator[Equation | Select]:
        """The rows that define what is mentioned, newest first, while the caller changes it."""
        rows, queue = self.system.rows, self._queue
        while queue:
            owner = -heappop(queue)
            if owner >= self._current:
                continue  # queued twice
            row = rows[owner]
            carry = row.carry if isinstance(row, Equation) else None
            if row.word in self.places or carry in self.places:
                self._current = owner
                yield row


def times(factor: Polynomial, number: int) -> Polynomial:
    """factor * variable."""
    return {tuple(sorted((*monomial, number))): c for monomial, c in factor.items()}


def _times(monomial: Monomial, value: Polynomial) -> Polynomial:
    if not monomial:
        return value
    return {tuple(sorted(monomial + other)): c for other, c in value.items()}
