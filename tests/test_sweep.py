"""The native code of the sweep: it computes what the interpreter does, and it misses no mistake."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from primes import expected, expressions, operands, small_primes
from sampling import sampled
from sweep.inputs import Domain, domain, wanted
from sweep.native import Bytes, NativeProgram
from sweep.sweep import NativeKernel, compare, run, sweep_domain
from sweep.text import COMPARE, LANES, TEXTS

from fieldc.field import Field
from fieldc.language import Expression
from fieldc.words.interpret import BrokenBound, interpret
from fieldc.words.lower import lower
from fieldc.words.operations import FUNNEL, LOAD, OPERATIONS, Kind, WordOperation
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice

ROWS = RowChoice()
COMPUTED = [row for row in OPERATIONS.values() if row is not LOAD]


def top(kind: Kind, word: int) -> int:
    """The largest value of a word or flag."""
    return (1 << word) - 1 if kind is Kind.WORD else 1


def alone(row: WordOperation, word: int, attribute: int) -> Program:
    """A program of one operation; its operand's limbs are the inputs."""
    kinds = row.inputs + row.outputs
    values = [Value(i, kind, top(kind, word), f"v{i}") for i, kind in enumerate(kinds)]
    inputs, outputs = tuple(values[: len(row.inputs)]), tuple(values[len(row.inputs) :])
    loads = [Step(LOAD, (), (value,), i, "x") for i, value in enumerate(inputs)]
    step = Step(row, inputs, outputs, attribute)
    return Program(row.name, word, (("x", len(inputs)),), (*loads, step), outputs)


def inputs_of(row: WordOperation, word: int) -> list[tuple[int, ...]]:
    """Every input of an operation, repeated up to whole LANES."""
    found = list(product(*(range(top(kind, word) + 1) for kind in row.inputs)))
    return found + found[-1:] * (-len(found) % LANES)


OPERATION_CASES = [
    (row, word, attribute)
    for row, word in product(COMPUTED, (2, 3, 4))
    for attribute in (range(1, word) if row is FUNNEL else (0,))
]
"""Every operation at every width, funnels at every shift."""


def planes_of(row: WordOperation, word: int, attribute: int) -> Bytes:
    """Every input of an operation, and what the table says of it."""
    inputs = inputs_of(row, word)
    given = [(*values, *row.compute(word, values, attribute)) for values in inputs]
    return np.ascontiguousarray(np.array(given, dtype=np.uint8).T)


def test_every_operation_of_the_table_is_printed() -> None:
    assert set(TEXTS) == {*OPERATIONS, COMPARE}


@pytest.mark.parametrize(("row", "word", "attribute"), OPERATION_CASES)
def test_every_operation_on_every_input(row: WordOperation, word: int, attribute: int) -> None:
    program, planes = alone(row, word, attribute), planes_of(row, word, attribute)
    assert NativeProgram(program).agreeing(planes) == planes.shape[1]
    for i, value in enumerate(program.results):
        reached = planes[len(row.inputs) + i]
        tight = replace(value, high=int(reached.max()) - 1)
        broken = with_output(program, value, tight)
        first = int(np.argmax(reached > tight.high)) // LANES * LANES
        assert NativeProgram(broken).agreeing(planes) == first


def test_one_wrong_result_among_right_ones_is_found() -> None:
    program = lower(next(t for t in expressions(Field(29, 2)) if t.kernel.operation == "mul"))
    kernel = NativeProgram(program)
    planes = np.zeros((kernel.planes, 4 * LANES), dtype=np.uint8)
    assert kernel.agreeing(planes) == 4 * LANES
    for plane, at in product(range(kernel.inputs, kernel.planes), range(4 * LANES)):
        planes[plane, at] = 1
        assert kernel.agreeing(planes) == at // LANES * LANES
        planes[plane, at] = 0


def random_program(rng: random.Random, word: int, steps: int) -> Program:
    """Operations in any order on limbs, constants and earlier values."""
    values: list[Value] = []

    def new(kind: Kind, constant: int | None = None) -> Value:
        value = Value(len(values), kind, top(kind, word), f"v{len(values)}", constant)
        values.append(value)
        return value

    for kind in Kind:
        for constant in {0, 1, top(kind, word)}:
            new(kind, constant)
    places = [*product("x", range(2)), *product("y", range(3))]
    made = [Step(LOAD, (), (new(Kind.WORD),), limb, name) for name, limb in places]
    for _ in range(steps):
        row = rng.choice(COMPUTED)
        inputs = tuple(rng.choice([v for v in values if v.kind is kind]) for kind in row.inputs)
        outputs = tuple(new(kind) for kind in row.outputs)
        made.append(Step(row, inputs, outputs, rng.randrange(1, word)))
    results = tuple(rng.sample([v for v in values if v.kind is Kind.WORD], 3))
    return Program("random", word, (("x", 2), ("y", 3)), tuple(made), results)


def limbs_of(value: int, word: int, count: int) -> list[int]:
    """Limbs, least significant first."""
    return [value >> word * i & (1 << word) - 1 for i in range(count)]


@pytest.mark.parametrize("word", [2, 3, 4])
def test_random_programs_agree_with_the_interpreter(word: int) -> None:
    rng = random.Random(word)
    for _ in range(20):
        program = random_program(rng, word, 40)
        given = [(rng.getrandbits(2 * word), rng.getrandbits(3 * word)) for _ in range(LANES)]
        columns = [
            limbs_of(x, word, 2)
            + limbs_of(y, word, 3)
            + limbs_of(interpret(program, x, y), word, 3)
            for x, y in given
        ]
        planes = np.ascontiguousarray(np.array(columns, dtype=np.uint8).T)
        assert NativeProgram(program).agreeing(planes) == LANES
        planes[rng.randrange(5, 8), rng.randrange(LANES)] ^= 1
        assert NativeProgram(program).agreeing(planes) == 0


# Wrong programs


def with_output(program: Program, old: Value, new: Value) -> Program:
    """Another bound of one value."""
    steps = tuple(
        replace(step, outputs=tuple(new if v is old else v for v in step.outputs))
        for step in program.steps
    )
    return replace(program, steps=steps)


def with_step(program: Program, at: int, step: Step) -> Program:
    """Another step in the place of one."""
    return replace(program, steps=(*program.steps[:at], step, *program.steps[at + 1 :]))


def wrong_programs(program: Program) -> Iterator[Program]:
    """Every bound one less, every step with another operation, limb, shift, constant or order."""
    for value in program.values():
        if value.high > 0:
            yield with_output(program, value, replace(value, high=value.high - 1))
    for at, step in enumerate(program.steps):
        for row in COMPUTED:
            if row is not step.operation and (row.inputs, row.outputs) == (
                step.operation.inputs,
                step.operation.outputs,
            ):
                yield with_step(program, at, replace(step, operation=row))
        if step.operation is LOAD:
            limbs = dict(program.operands)[step.operand]
            other_limb = (step.attribute + 1) % limbs
            yield with_step(program, at, replace(step, attribute=other_limb))
        for i, value in enumerate(step.inputs):
            known = value.constant
            other = Value(-2 - at, value.kind, 1, "wrong", 0 if known is None else known ^ 1)
            inputs = (*step.inputs[:i], other, *step.inputs[i + 1 :])
            yield with_step(program, at, replace(step, inputs=inputs))
    yield replace(program, results=program.results[::-1])


def outcome(expression: Expression, program: Program, native: bool) -> str:
    """What a sweep says of a program."""
    try:
        if native:
            sweep_domain(
                expression.field, domain(expression), [NativeKernel(expression, ROWS, program)]
            )
        else:
            for values in domain(expression).blocks(LANES):
                compare(expression, ROWS, program, values)
    except BrokenBound as error:
        return str(error)
    except pytest.fail.Exception as error:
        return str(error.msg)
    return ""


FEW_INPUTS = [t for t in expressions(Field(13, 2)) if t.kernel.operation != "sum_of_products"]
MANY_INPUTS = [t for t in expressions(Field(13, 2)) if t.kernel.operation == "sum_of_products"]


@pytest.mark.parametrize(
    "expression", sampled(FEW_INPUTS, MANY_INPUTS), ids=lambda t: t.kernel.operation
)
def test_both_sweeps_say_the_same_of_wrong_programs(expression: Expression) -> None:
    program = lower(expression)
    assert outcome(expression, program, native=True) == ""
    said = [
        (outcome(expression, w, True), outcome(expression, w, False))
        for w in wrong_programs(program)
    ]
    for by_native, by_interpreter in said:
        assert by_native == by_interpreter
    assert any("exceeds its bound" in message for message, _ in said)
    assert any(" gives " in message for message, _ in said)


@pytest.mark.parametrize("operation", ["add", "mul", "redc"])
def test_the_first_wrong_input_of_many_is_reported(operation: str) -> None:
    expression = next(t for t in expressions(Field(251, 4)) if t.kernel.operation == operation)
    program, f = lower(expression), expression.field
    values = next(domain(expression).blocks(1 << 20))
    want = wanted(operation, f.p, f.word, values)
    found = 0
    for wrong in wrong_programs(program):
        message = outcome(expression, wrong, native=True)
        if " gives " in message:
            result = run(wrong, values, check_bounds=False)
            at = int(np.argmax(result != want))
            given = [int(v[at]) for v in values]
            assert message.endswith(f"{given} gives {result[at]}, not {want[at]}")
            found += at >= LANES
    assert found


# Inputs and wanted results


def test_every_input_is_there_once() -> None:
    for arity, count in product((1, 2), (1, 3, 16, 17, 251, 300)):
        blocks = [np.array(values) for values in Domain(arity, count, 0).blocks(4 * LANES)]
        assert all(block.shape[1] % LANES == 0 for block in blocks)
        columns = np.concatenate(blocks, axis=1).T.tolist()
        every = [list(values) for values in product(range(count), repeat=arity)]
        assert columns[: len(every)] == every
        assert all(column == every[-1] for column in columns[len(every) :])


def test_wanted_results_are_those_of_plain_arithmetic() -> None:
    rng = random.Random(1)
    for word in (2, 3, 4):
        for p in rng.sample(small_primes(3, 1 << 3 * word), 12 if word > 2 else 6):
            for expression in expressions(Field(p, word)):
                check_wanted(expression, rng)


def check_wanted(expression: Expression, rng: random.Random) -> None:
    """Some inputs, the last one among them."""
    f, operation, inputs = expression.field, expression.kernel.operation, domain(expression)
    drawn = [rng.choices(range(inputs.count), k=inputs.arity) for _ in range(20)]
    drawn += [[inputs.count - 1] * inputs.arity, [0] * inputs.arity]
    given = [operands(expression.kernel, f, numbers) for numbers in drawn]
    values = tuple(np.array(given, dtype=np.int32).T)
    want = wanted(operation, f.p, f.word, values)
    assert want.tolist() == [expected(operation, f, *numbers) for numbers in given]


def test_of_four_values_each_two_are_an_operand() -> None:
    (blocks,) = Domain(4, 3, 16).blocks(4 * LANES)
    every = [(a + 16 * b, c + 16 * d) for d, c, b, a in product(range(3), repeat=4)]
    assert sorted(zip(*(block.tolist() for block in blocks), strict=True))[:81] == sorted(every)
