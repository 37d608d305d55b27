"""Runs a word program on numbers, row by row of the table of operations, at any word width."""

from __future__ import annotations

from collections.abc import Iterable

from fieldc.words.operations import LOAD
from fieldc.words.program import Program, Value


class BrokenBound(AssertionError):
    """A value exceeds the bound that the compiler claimed for it."""


def interpret(program: Program, *operands: int, check_bounds: bool = False) -> int:
    """Run the program. With `check_bounds`, raise BrokenBound if a value exceeds its `high`."""
    w = program.word
    top = (1 << w) - 1
    given = {
        name: [value >> w * i & top for i in range(count)]
        for (name, count), value in zip(program.operands, operands, strict=True)
    }
    known: dict[int, int] = {}

    def read(values: Iterable[Value]) -> list[int]:
        return [known[v.number] if v.constant is None else v.constant for v in values]

    for step in program.steps:
        if step.operation is LOAD:
            outputs: tuple[int, ...] = (given[step.operand][step.attribute],)
        else:
            outputs = step.operation.compute(w, tuple(read(step.inputs)), step.attribute)
        for value, number in zip(step.outputs, outputs, strict=True):
            known[value.number] = number
            if check_bounds and number > value.high:
                raise BrokenBound(f"{value.name} = {number:#x} exceeds its bound {value.high:#x}")
    return sum(number << w * i for i, number in enumerate(read(program.results)))
