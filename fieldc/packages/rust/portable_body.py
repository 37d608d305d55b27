"""Prints words as Rust whose limbs are loaded where a row reads them, not all at the start.

rustc loads every limb of the operands and of the constants before the first product, and then puts
most of them on the stack. It also starts the products of a row before the row ahead of them is
added, and their halves go to the stack too. Both end where a row's place depends on the words of
the row before: `after` hands back the same place, but the compiler cannot know that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.targets.rust.flat import FlatBody
from fieldc.words.program import Step, Value


@dataclass
class RowBody(FlatBody):
    """The lines of one function. A row of products begins where no factor is the last one's."""

    arrays: tuple[str, ...] = ("x",)
    """What is read anew in each row that reads it."""
    _limbs: dict[int, str] = field(default_factory=dict)
    _factors: frozenset[int] = frozenset()
    _added: str = ""
    """The last word of a sum."""

    def print_step(self, step: Step) -> None:
        """Add the step's line, after those that begin a row; a load has none."""
        name = step.operation.name
        if name == "load":
            self._limbs[step.outputs[0].number] = f"{step.operand}[{step.attribute}]"
            return
        if name == "mul":
            self._begin_row(step)
        super().print_step(step)
        if name == "add" and step.outputs[0].number in self.read:
            self._added = self.text(step.outputs[0])

    def text(self, value: Value) -> str:
        """A value as an operand."""
        return self._limbs.get(value.number) or super().text(value)

    def _begin_row(self, step: Step) -> None:
        factors = frozenset(v.number for v in step.inputs)
        if self._added and not factors & self._factors:
            read = {self.text(v).partition("[")[0] for v in step.inputs}
            for array in self.arrays:
                if array in read:
                    self.lines.append(f"let {array} = after({self._added}, {array});")
        self._factors = factors
