"""What holds for the shape of every word program."""

from __future__ import annotations

from fieldc.words.operations import ADD, LOAD, MUL, OPERATIONS, SUB, Kind
from fieldc.words.program import Program, Value


def limit(kind: Kind, w: int) -> int:
    """The number of values of a kind."""
    return 1 << w if kind is Kind.WORD else 2


def assert_well_formed(program: Program) -> None:
    """SSA: each value is defined once, before it is read; kinds, loads and constants are right."""
    operands = dict(program.operands)
    defined: dict[int, Value] = {}
    for step in program.steps:
        row = step.operation
        assert OPERATIONS[row.name] is row
        assert tuple(v.kind for v in step.inputs) == row.inputs
        assert tuple(v.kind for v in step.outputs) == row.outputs
        for value in step.inputs:
            assert_readable(value, defined, program.word)
        for value in step.outputs:
            assert value.number not in defined and value.constant is None
            assert 0 <= value.high < limit(value.kind, program.word)
            defined[value.number] = value
        if row is LOAD:
            assert 0 <= step.attribute < operands[step.operand]
        if row.name == "funnel":
            assert 0 < step.attribute < program.word
    for value in program.results:
        assert value.kind is Kind.WORD
        assert_readable(value, defined, program.word)


def assert_readable(value: Value, defined: dict[int, Value], word: int) -> None:
    """A constant in range, or the very value that an earlier step defined."""
    if value.constant is None:
        assert defined.get(value.number) == value
    else:
        assert value.high == value.constant and 0 <= value.constant < limit(value.kind, word)
        assert value.number not in defined


def assert_no_waste(program: Program) -> None:
    """Every step is read and none repeated; on constants alone works only a carry that is 1."""
    read = {v.number for s in program.steps for v in s.inputs}
    read |= {v.number for v in program.results}
    seen = set()
    for step in program.steps:
        assert any(v.number in read for v in step.outputs), step
        key = step.operation.name, step.inputs, step.attribute, step.operand
        assert key not in seen
        seen.add(key)
        known = [v.constant for v in step.inputs]
        is_one_carry = step.operation is SUB and known == [0, 1, 0]
        assert not known or None in known or is_one_carry, step


def assert_no_dead_carry(program: Program) -> None:
    """A carry that bounds show to be 0 is read by no step, and no addition adds nothing."""
    for step in program.steps:
        for value in step.inputs:
            if value.kind is Kind.FLAG and value.constant is None:
                assert value.high == 1, step
        if step.operation is ADD:
            assert not (step.inputs[1].constant == 0 and step.inputs[2].constant == 0), step
            assert not (step.inputs[0].constant == 0 and step.inputs[2].constant == 0), step
        if step.operation is MUL:
            assert not {0, 1} & {v.constant for v in step.inputs}, step
