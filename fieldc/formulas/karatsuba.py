"""Karatsuba's trade in a formula: three products and more additions where four products are.

    a*d + b*c = (a + b)*(c + d) - a*c - b*d

where a*c and b*d are there anyway, as in a product of an extension of degree 2. The formula means
the same modulo its prime. Karatsuba, Ofman (1962).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fieldc.formulas.element import Step
from fieldc.formulas.formula import Formula


def with_karatsuba(formula: Formula) -> Formula:
    """The formula with three products wherever four make a*c, b*d and a*d + b*c."""
    made = _Rewritten(formula, {step: n for n, step in formula.needed()})
    for number, step in formula.needed():
        made.line = formula.lines[number - formula.inputs] if formula.lines else 0
        made.of[number] = made.value(number, step)
    results = tuple(made.of[i] for i in formula.results)
    return replace(formula, steps=tuple(made.steps), results=results, lines=tuple(made.lines))


@dataclass
class _Rewritten:
    formula: Formula
    numbers: Mapping[Step, int]
    """Of the formula's own steps."""
    steps: list[Step] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    known: dict[Step, int] = field(default_factory=dict)
    of: dict[int, int] = field(init=False)
    """The new number of each value."""
    line: int = 0

    def __post_init__(self) -> None:
        self.of = {number: number for number in range(self.formula.inputs)}

    def put(self, kind: str, *args: int, number: int = 0) -> int:
        """The number of what a step gives. Equal steps are one step."""
        step = Step(kind, tuple(sorted(args)) if kind in ("add", "mul") else args, number)
        if step not in self.known:
            self.known[step] = self.formula.inputs + len(self.steps)
            self.steps.append(step)
            self.lines.append(self.line)
        return self.known[step]

    def value(self, number: int, step: Step) -> int:
        """The number of what a step of the formula gives."""
        if step.kind == "add" and (found := self._crossed(step)):
            (a, b), (c, d) = found
            both = self._product(self.put("add", a, b), self.put("add", c, d))
            return self.put("sub", self.put("sub", both, self._product(a, c)), self._product(b, d))
        if step.kind in ("sum", "product"):  # the formula's sizes are by its own numbers
            raise ValueError("a formula with sums that are not reduced stays as it is")
        return self.put(step.kind, *(self.of[i] for i in step.args), number=step.number)

    def _product(self, x: int, y: int) -> int:
        return self.put("mul", x, y)

    def _crossed(self, step: Step) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """New numbers of (a, b) and (c, d) where the step is a*d + b*c, and a*c and b*d exist."""
        formula = self.formula
        if any(i < formula.inputs or formula.uses[i] > 1 for i in step.args):
            return None
        first, second = (formula.steps[i - formula.inputs] for i in step.args)
        if (first.kind, second.kind) != ("mul", "mul") or {*first.args} & {*second.args}:
            return None
        (a, d), b_and_c = first.args, second.args
        for b, c in (b_and_c, b_and_c[::-1]):
            pairs = (tuple(sorted(pair)) for pair in ((a, c), (b, d)))
            if all(formula.uses[self.numbers.get(Step("mul", pair), -1)] for pair in pairs):
                return (self.of[a], self.of[b]), (self.of[c], self.of[d])
        return None
