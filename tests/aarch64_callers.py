"""Formulas as AArch64 callers of routines, for the tests."""

from __future__ import annotations

from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import CALLS, kernel_of
from fieldc.formulas.plan import planned
from fieldc.formulas.ranges import ranged
from fieldc.targets.aarch64.calls import ArmCaller, ArmCalls, ArmRoutine
from fieldc.targets.calls import Call


def caller_of(field: Field, formula: Formula, is_fused: bool = True) -> tuple[ArmCaller, ArmCalls]:
    """The code of a formula, and its plan: a routine for each of its blocks."""
    plan = ranged(planned(formula.over(field), is_fused=is_fused), field)
    number = {block: index for index, block in enumerate(plan.blocks)}
    routines = tuple(
        ArmRoutine(next(iter(block.kernels("routine"))), None, block.text(), f"routine_{index}")
        for block, index in number.items()
    )
    calls = tuple(Call(number[c.block], c.sources, c.number, c.name) for c in plan.computed)
    counts = tuple(count for _, count in plan.formula.operands)
    made = ArmCalls(routines, calls, counts, plan.results)
    return made.compile(kernel_of(plan, algorithm=CALLS).expression(field)), made
