"""A word program: straight-line SSA over words and flags. Immutable; a pass returns a new one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fieldc.words.operations import LOAD, MUL, Kind, WordOperation


@dataclass(frozen=True)
class Value:
    """A word or flag that is assigned once.

    `high` is the exact upper bound that the algorithm's bounds give (0 for a carry that cannot
    happen). A constant (`constant` is not None) is produced by no step; constants of the field
    carry the field's own word as `name` (`p[0]`, `n0`, `mu[2]`).
    """

    number: int
    kind: Kind
    high: int
    name: str
    constant: int | None = None


@dataclass(frozen=True)
class Step:
    """One operation. `operand` and `attribute` say what a load reads (`x`, limb 2)."""

    operation: WordOperation
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    attribute: int = 0
    operand: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Program:
    """The words of one kernel: `results[i]` is limb i of the output, least significant first.

    `operands` maps each input's name (in call order) to its number of limbs. Every step's inputs
    are constants or outputs of earlier steps.
    """

    name: str
    word: int
    operands: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    results: tuple[Value, ...]

    def values(self) -> Iterator[Value]:
        """Return every value that a step produces, in order."""
        for step in self.steps:
            yield from step.outputs

    def count(self, operation: str) -> int:
        """Count the steps with this operation's name."""
        return sum(step.operation.name == operation for step in self.steps)

    @property
    def multiplies(self) -> bool:
        """Whether it has products of two words."""
        return any(step.operation is MUL for step in self.steps)

    def most_alive(self, start: int = 0) -> int:
        """How many words that were made are kept at most, after one of the steps from `start` on.

        Limbs of operands do not count: they stay in memory.
        """
        last = {v.number: i for i, step in enumerate(self.steps) for v in step.inputs}
        made = [(i, s.outputs[0]) for i, s in enumerate(self.steps) if s.operation is not LOAD]
        spans = [(i, last.get(word.number, i)) for i, word in made if word.kind is Kind.WORD]
        steps = range(start, len(self.steps))
        return max((sum(i <= at < end for i, end in spans) for at in steps), default=0)
