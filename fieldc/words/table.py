"""Constants of the field read from a table: one program for every prime of a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fieldc.words.operations import LOAD, Kind
from fieldc.words.program import Program, Step, Value

TABLE = "table"
"""The operand that holds the constants."""


def with_table(
    program: Program, stays: Callable[[Value], bool] = lambda _: False
) -> tuple[Program, tuple[tuple[str, int], ...]]:
    """A program that reads constants of the field from one more operand, and these in order.

    Numbers that are no constant of the field, such as 0 and 1, stay where they are, and so do those
    of which `stays` says it.
    """
    values = (v for step in program.steps for v in (*step.inputs, *step.outputs))
    number = 1 + max(v.number for v in (*values, *program.results))
    read: dict[str, Value] = {}
    constants: list[tuple[str, int]] = []
    steps: list[Step] = []

    def loaded(value: Value) -> Value:
        if value.constant is None or value.kind is not Kind.WORD or value.name[0].isdigit():
            return value
        if stays(value):
            return value
        if value.name not in read:
            index = len(read)
            constants.append((value.name, value.constant))
            read[value.name] = Value(number + index, Kind.WORD, value.high, f"{TABLE}{index}")
            steps.append(Step(LOAD, (), (read[value.name],), index, TABLE))
        return read[value.name]

    for step in program.steps:
        inputs = tuple(map(loaded, step.inputs))
        steps.append(replace(step, inputs=inputs))
    results = tuple(map(loaded, program.results))
    operands = (*program.operands, (TABLE, len(read)))
    return Program(program.name, program.word, operands, tuple(steps), results), tuple(constants)
