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


@dataclass
class SignBody(FlatBody):
    """The lines of `last-difference`, which adds p where the difference is negative.

    The difference d is above -p and below p, and 2p < R: the uppermost bit of its last limb is its
    sign. So p under a mask is added, and nothing is selected. A mask of the borrow would have to be
    made between the two sums, and takes longer.
    """

    _sums: dict[int, Step] = field(default_factory=dict)
    """The sums of d and p, by what they give."""
    _carry: str = "false"

    def __post_init__(self) -> None:
        """Find the sums that selects read."""
        super().__post_init__()
        chosen = {s.inputs[1].number for s in self.program.steps if s.operation.name == "select"}
        given = ((step.outputs[0].number, step) for step in self.program.steps)
        self._sums = {number: step for number, step in given if number in chosen}

    def print_step(self, step: Step) -> None:
        """Add the step's line, for a select that of a sum with p under the mask."""
        if step.operation.name == "select":
            self._print_sum(step)
        elif step.outputs[0].number not in self._sums:
            super().print_step(step)

    def _print_sum(self, step: Step) -> None:
        (_, chosen, limb), (result,) = step.inputs, step.outputs
        if self._carry == "false":
            *_, last = (s for s in self.program.steps if s.operation.name == "select")
            self.lines.append(f"let negative = {self.call('sign', self.text(last.inputs[2]))};")
        p = next(v for v in self._sums[chosen.number].inputs[:2] if v.number != limb.number)
        is_last = result.number == self.program.results[-1].number
        carry = "_" if is_last else f"carry_{result.number}"
        total = self.call("adc", self.text(limb), f"{self.text(p)} & negative", self._carry)
        self.lines.append(f"let ({self.text(result)}, {carry}) = {total};")
        self._carry = carry
