"""Whether a bound that was found in one case holds in another, without a search."""

from __future__ import annotations

from collections.abc import Mapping

from fieldc.proof.algebra.equations import (
    Equation,
    Polynomial,
    Rational,
    Select,
    Tops,
    add_to,
    by_terms,
    constant,
    product,
    put_in,
)
from fieldc.proof.algebra.facts import Bound, Input, Known


def holds(case: Known, bound: Bound, target: Polynomial, limit: int) -> bool:
    """Whether a bound from elsewhere shows target <= limit in this case.

    scale*target - sum(multiplier*row) - sum(slope*product), each term at its largest value.
    """
    total = {m: c * bound.scale for m, c in target.items()}
    inputs = {i.name: i for i in case.inputs}
    value: Rational = 0
    for factors, slope in bound.slopes.items():
        whole, largest = constant(slope), 1
        for factor in factors:
            of, high = _factor(case, factor, inputs)
            whole, largest = product(whole, of), largest * high
        add_to(total, whole, -1)
        value += max(slope, 0) * largest
    for number, multiple in bound.rows.items():
        left = _left(case, case.system.rows[number])
        if multiple and left is None:
            return False
        add_to(total, product(multiple, left or {}), -1)
    for number in case.fixed:
        put_in(total, number, case.fixed)
    value += by_terms(total, Tops(case.system.ranges, {}), frozenset())
    return value < (limit + 1) * bound.scale


def _factor(case: Known, factor: str | int, inputs: Mapping[str, Input]) -> tuple[Polynomial, int]:
    """A slope's operand or limb, and its largest value."""
    if isinstance(factor, int):
        return {(factor,): 1}, case.system.ranges[factor][1]
    limbs, w = inputs[factor].limbs, case.system.word_bits
    return {(limb,): 1 << w * i for i, limb in enumerate(limbs)}, inputs[factor].high


def _left(case: Known, row: Equation | Select) -> Polynomial | None:
    """What a row says is 0: its left side less its right; None for what is not decided."""
    left: Polynomial = {(row.word,): 1}
    if isinstance(row, Select):
        if row.flag not in case.fixed:
            return None
        add_to(left, row.when_set if case.fixed[row.flag] else row.otherwise, -1)
        return left
    if row.carry is not None:
        left[row.carry,] = row.factor
    add_to(left, row.right, -1)
    return left
