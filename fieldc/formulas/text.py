"""A formula as one line of JSON, for a prover that knows nothing of formulas here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from fieldc.formulas.element import Step
from fieldc.operands import Range

NUMBERED = ("scale", "constant")
"""Steps with an integer of their own."""


@dataclass
class FormulaText:
    """The steps of a text. `of` has the number there of each value of the formula."""

    inputs: int
    steps: list[list[object]] = field(default_factory=list)
    of: list[int] = field(default_factory=list)
    negated: dict[int, int] = field(default_factory=dict)
    """What each negative in the text is the negative of."""

    def __post_init__(self) -> None:
        self.of = list(range(self.inputs))

    def put(self, *step: object) -> int:
        """The number of the value that a step of the text gives."""
        self.steps.append([*step])
        return self.inputs + len(self.steps) - 1

    def add(self, step: Step) -> None:
        """A step of a formula: a few steps of the text, as few things at a time as code does."""
        args = [self.of[i] for i in step.args]
        if step.kind == "choose":
            mask, a, b = args
            found = self.put("add", b, self.put("times", self.put("sub", a, b), mask))
        elif step.kind == "sum":
            found = self.put("add", args[0], self.put("times", *args[1:]))
        elif step.kind == "product":
            found = self.put("times", *args)
        elif step.kind == "scale":
            found = self._multiple(args[0], step.number)
        elif step.kind == "reduce":
            found = self.put("scale", *args, hex(1))  # the same value modulo p
        else:
            numbers = [hex(step.number)] if step.kind in NUMBERED else []
            found = self.put(step.kind, *args, *numbers)
        self.of.append(found)

    def _multiple(self, of: int, number: int) -> int:
        """A multiple: -17*x and 17*-x are 17*x first, a value that words hold."""
        if abs(number) > 1 and of in self.negated:
            of, number = self.negated[of], -number
        if number < -1:
            of, number = self.put("scale", of, hex(-number)), -1
        found = self.put("scale", of, hex(number))
        if number == -1:
            self.negated[found] = of
        return found

    def leave_out(self) -> None:
        """A step of a formula that no result needs: nothing in the text."""
        self.of.append(-1)

    def said(
        self, operands: Sequence[Sequence[object]], results: Sequence[int], size: object
    ) -> str:
        """The text."""
        data = {"operands": operands, "steps": self.steps, "results": results, "multiple": size}
        return json.dumps(data)


def said_size(bound: Range) -> object:
    """A range as the text has it."""
    if bound.is_residue:
        return bound.multiple
    if bound.is_signed:
        return ["signed", bound.bits]
    return [bound.multiple, bound.powers, bound.bits]
