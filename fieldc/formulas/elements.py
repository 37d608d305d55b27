"""Formulas whose values that are no elements become elements, for targets that have no others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fieldc.formulas.element import Step
from fieldc.formulas.formula import Formula


def in_elements(formula: Formula) -> Formula:
    """The same formula with an element for each integer, mask and sum.

    A sum is reduced at each step. A mask is 0 or 1, and a choice is b + m*(a - b).
    """
    if not formula.sizes:
        return formula
    made = _Elements(formula.inputs)
    for number, step in enumerate(formula.steps, formula.inputs):
        made.of[number] = made.value(step)
    results = tuple(made.of[i] for i in formula.results)
    return replace(formula, steps=tuple(made.steps), results=results, lines=(), sizes=(), held=None)


@dataclass
class _Elements:
    inputs: int
    steps: list[Step] = field(default_factory=list)
    of: dict[int, int] = field(init=False)
    """The new number of each value."""

    def __post_init__(self) -> None:
        self.of = {number: number for number in range(self.inputs)}

    def put(self, step: Step) -> int:
        self.steps.append(step)
        return self.inputs + len(self.steps) - 1

    def value(self, step: Step) -> int:
        """The number of what a step gives."""
        args = tuple(self.of[i] for i in step.args)
        if step.kind in ("divide", "reduce"):
            return args[0]
        if step.kind in ("times", "product"):
            return self.put(Step("mul", args))
        if step.kind == "sum":
            return self.put(Step("add", (args[0], self.put(Step("mul", args[1:])))))
        if step.kind == "choose":
            mask, a, b = args
            less = self.put(Step("sub", (a, b)))
            return self.put(Step("add", (b, self.put(Step("mul", (mask, less))))))
        return self.put(replace(step, args=args))
