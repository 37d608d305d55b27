"""A planned formula as a kernel: an operation with its meaning, and its text on integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from fieldc.field import Field
from fieldc.formulas.blocks import REDUCTIONS
from fieldc.formulas.formula import Formula
from fieldc.formulas.plan import FormulaPlan
from fieldc.language import Kernel, Number
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


def kernel_of(plan: FormulaPlan, reduction: str = "cios", algorithm: str = "") -> Kernel:
    """The formula as one straight line of its blocks, all with one way to reduce."""
    operation = operation_of(plan.formula)

    def function(f: Field, *operands: Number | Sequence[Number]) -> tuple[Number, ...]:
        known: list[Number] = []
        for operand in operands:
            known += operand if isinstance(operand, Sequence) else [operand]
        values = dict(enumerate(known))
        for one in plan.computed:
            given = [values[i] for i in one.sources]
            values[one.number] = one.block.compute(f, given, REDUCTIONS[reduction])
        return tuple(values[i] for i in plan.results)

    function.__doc__ = plan.formula.source or f"The formula {plan.formula.name}."
    one_of = cast(Callable[..., Number], function)  # of several results a tuple
    return Kernel(operation, algorithm or reduction, one_of)
