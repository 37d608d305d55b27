"""From a word program to the toy's instructions."""

from __future__ import annotations

from fieldc.words.operations import LOAD
from fieldc.words.program import Program, Value
from toy.instructions import NUMBERS, STORE, Instruction


def selected(program: Program) -> list[Instruction]:
    """The program's instructions, and a store for each word of its result."""
    operands = [name for name, _ in program.operands]
    code = []
    for step in program.steps:
        reads = tuple(map(_read, step.inputs))
        if step.operation is LOAD:
            reads = ((True, operands.index(step.operand)),)
        writes = tuple(value.number for value in step.outputs)
        code.append(Instruction(NUMBERS[step.operation.name], writes, reads, step.attribute))
    stores = enumerate(program.results)
    return [*code, *(Instruction(STORE, (), (_read(value),), i) for i, value in stores)]


def _read(value: Value) -> tuple[bool, int]:
    return (False, value.number) if value.constant is None else (True, value.constant)
