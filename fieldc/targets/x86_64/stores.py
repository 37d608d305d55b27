"""When a kernel stores its result, and which words wait in z until then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from fieldc.targets.x86_64.choices import Choices
from fieldc.targets.x86_64.conventions import GENERAL
from fieldc.targets.x86_64.literals import are_moved
from fieldc.words.operations import ADD, LOAD, SELECT
from fieldc.words.program import Program, Step, Value

ROOM = len(GENERAL) - 1
"""Registers for words, beside the pointer to z."""


class Stores:
    """The stores to z, which may be an operand: none is before the last read of an operand.

    Words that find no register wait in z in between. Products read operands to their end, so
    their words wait in the stack.
    """

    def __init__(
        self, program: Program, uses: Counter[int], choices: Choices, returns_words: bool
    ) -> None:
        self._program = program
        loaded = {s.outputs[0].number for s in program.steps if s.operation is LOAD}
        self.copied = {v.number for v in program.results} & loaded
        """Limbs of operands that are limbs of the result."""
        reading = [i for i, s in enumerate(program.steps) if loaded & {v.number for v in s.inputs}]
        self._last_read = len(program.steps) if self.copied else max(reading, default=-1)
        self.moves_constants = not program.multiplies and are_moved(choices, program)
        """Whether a constant takes a register before a sum reads it."""
        self.waiting = {} if program.multiplies or returns_words else self._find_waiting(uses)
        """The limb of z that a word waits in, by its number."""

    def after(self, position: int) -> Iterator[tuple[int, Value]]:
        """What to store after a step, and in which limbs: words that wait, or the result."""
        outputs = self._program.steps[position].outputs
        if position > self._last_read:
            yield from ((i, v) for i, v in enumerate(self._program.results) if v in outputs)
        elif position == self._last_read:
            made = {v.number: v for v in self._program.values()}
            yield from ((limb, made[number]) for number, limb in self.waiting.items())

    def at_the_end(self) -> list[tuple[int, Value]]:
        """What no step stores, and in which limbs: results that are known by the last read."""
        later = self._program.steps[self._last_read + 1 :]
        stored = {value for step in later for value in step.outputs}
        return [(i, v) for i, v in enumerate(self._program.results) if v not in stored]

    def _find_waiting(self, uses: Counter[int]) -> dict[int, int]:
        """As many words as find no register, of those that can wait; the lowest limbs are first."""
        start = self._last_read + 1
        earlier, later = self._program.steps[:start], self._program.steps[start:]
        known = {v.number for s in earlier if s.operation is not LOAD for v in s.outputs}
        made = {v.number: step for step in later for v in step.outputs}
        found: dict[int, int] = {}
        for limb, result in enumerate(self._program.results):
            last = made.get(result.number)
            word = _read_last(last, made, uses) if last else None
            if word is not None and word.number in known:
                found[word.number] = limb
        excess = self._program.most_alive(start) - ROOM
        return dict(list(found.items())[: excess + self.moves_constants if excess > 0 else 0])


def _read_last(last: Step, made: Mapping[int, Step], uses: Counter[int]) -> Value | None:
    """The word that is not read again after the step that makes a limb of the result.

    Nothing reads it before but a sum that it is chosen against, which may overwrite its register.
    """
    if last.operation is SELECT:
        _, chosen, other = last.inputs
        total = made.get(chosen.number)
        waits = total is not None and other in total.inputs and uses[other.number] == 2
        return other if waits else None
    word = last.inputs[0]
    return word if last.operation is ADD and uses[word.number] == 1 else None
