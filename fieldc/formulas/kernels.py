"""A planned formula as a kernel: an operation with its meaning, and its text on integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from fieldc.algorithms.scanning import schoolbook_sum
from fieldc.field import Field
from fieldc.formulas.divisions import DIVISIONS
from fieldc.formulas.formula import Formula
from fieldc.formulas.plan import Computed, FormulaPlan
from fieldc.formulas.step_blocks import StepBlock
from fieldc.integers import BoundError, with_bounds
from fieldc.language import Integer, Kernel, Number
from fieldc.operations import Operation

CALLS = "calls"
"""The algorithm's name where the blocks are routines that are called."""


def operation_of(formula: Formula) -> Operation:
    """The formula as an operation: elements are canonical, in Montgomery form."""

    def compute(f: Field, *operands: int | tuple[int, ...]) -> tuple[int, ...] | int:
        values = [v for one in operands for v in (one if isinstance(one, tuple) else (one,))]
        found = formula.evaluate(f, values)
        return found if len(found) > 1 else found[0]

    says = f"{formula.name}({', '.join(name for name, _ in formula.ranges)})"
    return Operation(
        formula.name,
        formula.ranges,
        formula.result,
        says,
        compute,
        formula=formula.text(),
    )


SumOfProducts = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]
"""The sum to start from, if there is one, and the pairs of factors."""


def joined_sums(plan: FormulaPlan) -> tuple[dict[int, SumOfProducts], frozenset[int]]:
    """Sums of several products of elements, by their values, and the sums that they go through.

    The values s + a*b and s + a*b + c*d, of which the first goes into the second alone, are one sum
    of two products: it is made limb by limb.
    """
    uses = Counter(i for one in plan.computed for i in one.sources)
    uses.update(plan.results)
    found: dict[int, SumOfProducts] = {}
    for one in plan.computed:
        if not _is_sum(one):
            continue
        *start, x, y = one.sources
        before: SumOfProducts = (tuple(start), ())
        if start and uses[start[0]] == 1:
            before = found.pop(start[0], before)
        found[one.number] = before[0], (*before[1], (x, y))
    parts = {one.number for one in plan.computed if _is_sum(one)} - found.keys()
    return {number: of for number, of in found.items() if len(of[1]) > 1}, frozenset(parts)


def _is_sum(one: Computed) -> bool:
    """Whether a value is a sum of products of elements, or one such product, not reduced."""
    block = one.block
    is_sum = isinstance(block, StepBlock) and block.kind in ("sum", "product")
    return is_sum and block.range.powers == 2


def kernel_of(
    plan: FormulaPlan, reduction: str = "cios", algorithm: str = "", by_ranges: bool = False
) -> Kernel:
    """The formula as one straight line of its blocks, all with one way to reduce.

    By ranges, as where blocks are called, each value has the bounds of its block's range. The
    caller knows that they hold.
    """
    has_ranges = by_ranges or algorithm == CALLS
    operation = operation_of(plan.formula)
    sums, parts = joined_sums(plan)

    def function(f: Field, *operands: Number | Sequence[Number]) -> tuple[Number, ...]:
        known: list[Number] = []
        for operand in operands:
            known += operand if isinstance(operand, Sequence) else [operand]
        values = dict(enumerate(known))
        for one in plan.computed:
            if one.number in sums:
                start, pairs = sums[one.number]
                more = schoolbook_sum(f, [(values[x], values[y]) for x, y in pairs])
                values[one.number] = sum(values[i] for i in start) + more
            elif one.number not in parts:
                given = [values[i] for i in one.sources]
                made = one.block.compute(f, given, DIVISIONS[reduction])
                values[one.number] = _in_range(f, one, made) if has_ranges else _positive(one, made)
        return tuple(values[i] for i in plan.results)

    function.__doc__ = plan.formula.source or f"The formula {plan.formula.name}."
    one_of = cast(Callable[..., Number], function)  # of several results a tuple
    return Kernel(operation, algorithm or reduction, one_of)


def _positive(one: Computed, value: Number) -> Number:
    """Return the value. Raises BoundError where its bounds do not show that it is not negative."""
    if isinstance(value, Integer) and value.low < 0:
        raise BoundError(f"{one.block.says} may be negative by its bounds", value.low)
    return value


def _in_range(f: Field, one: Computed, value: Number) -> Number:
    """Return the value with the bounds of its block's range."""
    if not isinstance(value, Integer):
        return value
    bounds = max(value.low, 0), min(value.high, one.block.range.high(f))
    return with_bounds(value, bounds, is_whole=True)
