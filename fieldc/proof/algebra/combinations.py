"""Sums of multiples of rows, which bounds and identities are made of."""

from __future__ import annotations

from fieldc.proof.algebra.comparisons import Comparison
from fieldc.proof.algebra.equations import ONE, Polynomial, Rational, add_to

Combination = dict[int, Polynomial]
"""What each row's (left - right) is multiplied with, by the row's number."""
Slopes = dict[tuple[str | int, ...], Rational]
"""Factors of products of whole operands (names) and limbs (variables)."""


def plus(a: Combination, b: Combination) -> Combination:
    """a + b, row by row."""
    total = {number: dict(multiple) for number, multiple in a.items()}
    for number, multiple in b.items():
        add_to(total.setdefault(number, {}), multiple)
    return total


def plus_slopes(a: Slopes, b: Slopes) -> Slopes:
    """a + b, product by product."""
    return {factors: a.get(factors, 0) + b.get(factors, 0) for factors in {**a, **b}}


def with_chain(
    rows: Combination, comparison: Comparison, factor: Rational, radix: int
) -> Combination:
    """The rows and factor times the chain of a comparison, whose rows follow each other."""
    chain = enumerate(sorted(comparison.rows))
    return plus(rows, {number: {ONE: factor * radix**i} for i, number in chain})
