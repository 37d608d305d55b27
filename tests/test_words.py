"""Word programs: the table of operations, lowering in every row style, bounds, shape of the SSA."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from primes import (
    ALL_STYLES,
    CARRY_STYLES,
    NAMES,
    SIEVE,
    STYLES,
    cases,
    distinct,
    expected,
    named_field,
    random_field,
    shaped,
    shapes,
    small_primes,
    style_id,
    traces,
)

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.language import Kernel, LanguageError, Number, Residue, Wide, kernel, select
from fieldc.words.build import Builder
from fieldc.words.interpret import BrokenBound, interpret
from fieldc.words.lower import constant_names, lower, without_dead_steps
from fieldc.words.operations import ADD, LOAD, MUL, OPERATIONS, Kind
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, RowStyle

Words = tuple[int, ...]


# The table of operations, its equations written a second time


def _bits(value: int, width: int) -> list[int]:
    return [value >> i & 1 for i in range(width)]


def _funnel_holds(w: int, v: Words, out: Words, k: int) -> bool:
    pair = _bits(v[1], w) + _bits(v[0], w)
    return _bits(out[0], w) == pair[k : k + w]


EQUATIONS: dict[str, Callable[[int, Words, Words, int], bool]] = {
    "add": lambda w, v, out, k: out[1] * 2**w + out[0] == v[0] + v[1] + v[2],
    "sub": lambda w, v, out, k: out[0] - out[1] * 2**w == v[0] - v[1] - v[2],
    "mul": lambda w, v, out, k: out[1] * 2**w + out[0] == v[0] * v[1],
    "mul_low": lambda w, v, out, k: (v[0] * v[1] - out[0]) % 2**w == 0,
    "select": lambda w, v, out, k: out[0] == (v[1] if v[0] == 1 else v[2]),
    "mask": lambda w, v, out, k: _bits(out[0], w) == [v[0]] * w,
    "and": lambda w, v, out, k: (
        _bits(out[0], w) == [min(pair) for pair in zip(_bits(v[0], w), _bits(v[1], w), strict=True)]
    ),
    "funnel": _funnel_holds,
}
COMPUTED = [name for name in OPERATIONS if name != "load"]


def limit(kind: Kind, w: int) -> int:
    """The number of values of a kind."""
    return 1 << w if kind is Kind.WORD else 2


def holds(name: str, w: int, inputs: Words, k: int) -> bool:
    """Whether a row computes words and flags that satisfy its equation."""
    row = OPERATIONS[name]
    out = row.compute(w, inputs, k)
    ranges = [0 <= v < limit(kind, w) for v, kind in zip(out, row.outputs, strict=True)]
    return all(ranges) and EQUATIONS[name](w, inputs, out, k)


def test_every_operation_has_an_equation_here() -> None:
    assert set(EQUATIONS) == set(COMPUTED)
    with pytest.raises(TypeError, match="operand"):
        LOAD.compute(64, (), 0)


@pytest.mark.parametrize("w", [1, 2, 3])
@pytest.mark.parametrize("name", COMPUTED)
def test_equations_hold_for_all_small_words(name: str, w: int) -> None:
    row = OPERATIONS[name]
    for inputs in product(*(range(limit(kind, w)) for kind in row.inputs)):
        for k in range(1, w) if name == "funnel" else (0,):
            assert holds(name, w, inputs, k), (inputs, k)


@pytest.mark.parametrize("w", [32, 64])
@pytest.mark.parametrize("name", COMPUTED)
def test_equations_hold_for_wide_words(name: str, w: int) -> None:
    rng = random.Random(w)
    top = (1 << w) - 1
    corners = (0, 1, 2, top, top - 1, 1 << w - 1, (1 << w - 1) - 1)

    def draw(kind: Kind) -> int:
        if kind is Kind.FLAG:
            return rng.randrange(2)
        return rng.choice(corners) if rng.random() < 0.3 else rng.getrandbits(w)

    for _ in range(2000):
        inputs = tuple(draw(kind) for kind in OPERATIONS[name].inputs)
        assert holds(name, w, inputs, rng.randrange(1, w)), inputs


# The interpreter against the kernel itself


def check_program(program: Program, k: Kernel, f: Field, count: int, seed: int = 0) -> None:
    """The program's result for edge and random operands, every bound checked on the way."""
    for values in cases(k, f, count, seed):
        result = interpret(program, *values, check_bounds=True)
        assert result == k.run(f, *values) == expected(k.operation, f, *values), values


def fields_of(word: int, seed: int) -> Iterator[Field]:
    """A few primes of different size and shape at this word width."""
    rng = random.Random(f"{word} {seed}")
    if word < 8:
        for _ in range(4):
            n = rng.randrange(1, 5)
            yield Field(rng.choice(small_primes(1 << word * (n - 1), 1 << word * n)), word)
        return
    n = rng.randrange(1, 5)
    yield shaped(rng.choice(shapes(n)), n, word)
    yield shaped("full", 1 + rng.randrange(4), word)
    yield random_field(seed, word, rng.randrange(word, 5 * word))


@pytest.mark.parametrize("word", [2, 3, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("rows", STYLES, ids=style_id)
def test_every_row_style_computes_the_kernel(rows: RowChoice, word: int) -> None:
    for f in fields_of(word, STYLES.index(rows)):
        for trace in traces(f):
            check_program(lower(trace, rows), trace.kernel, f, 3)


@pytest.mark.parametrize("word", [64, 32])
@pytest.mark.parametrize("name", NAMES)
def test_named_fields_in_every_carry_style(name: str, word: int) -> None:
    f = named_field(name, word)
    styles = CARRY_STYLES if f.n <= 6 else CARRY_STYLES[:2]
    for rows in styles:
        for trace in traces(f):
            check_program(lower(trace, rows), trace.kernel, f, 2)


@pytest.mark.parametrize("limbs", [1, 2, 3, 6])
@pytest.mark.parametrize("rows", CARRY_STYLES, ids=style_id)
def test_every_shape_of_prime_in_every_carry_style(rows: RowChoice, limbs: int) -> None:
    for shape in shapes(limbs):
        f = shaped(shape, limbs)
        for trace in traces(f):
            if limbs < 4 or trace.kernel.operation in ("mul", "square"):
                check_program(lower(trace, rows), trace.kernel, f, 2)


def test_the_largest_modulus() -> None:
    f = shaped("largest", 17)
    for trace in traces(f):
        check_program(lower(trace), trace.kernel, f, 2)


def test_check_bounds_reports_a_broken_bound() -> None:
    program = lower(choose(named_field("bls12-381-p"), "add"))
    steps = list(program.steps)
    at = next(i for i, s in enumerate(steps) if s.operation is ADD)
    old = steps[at].outputs[0]
    tight = Value(old.number, old.kind, 5, old.name)
    steps[at] = Step(ADD, steps[at].inputs, (tight, *steps[at].outputs[1:]))
    broken = Program(program.name, 64, program.operands, tuple(steps), program.results)
    assert interpret(broken, 9, 9) == 18
    with pytest.raises(BrokenBound, match="exceeds its bound 0x5"):
        interpret(broken, 9, 9, check_bounds=True)


# The shape of a program


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
    """Every step is read, none is repeated, and none works on constants alone."""
    read = {v.number for s in program.steps for v in s.inputs}
    read |= {v.number for v in program.results}
    seen = set()
    for step in program.steps:
        assert any(v.number in read for v in step.outputs), step
        key = step.operation.name, step.inputs, step.attribute, step.operand
        assert key not in seen
        seen.add(key)
        assert not step.inputs or any(v.constant is None for v in step.inputs), step


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


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_well_formed(name: str) -> None:
    f = named_field(name)
    for rows in STYLES if name == "bls12-381-p" else CARRY_STYLES if f.n < 8 else STYLES[:1]:
        for trace in traces(f):
            program = lower(trace, rows)
            assert_well_formed(program)
            assert_no_waste(program)
            assert_no_dead_carry(program)
            assert len(program.results) == f.n


def test_programs_of_odd_shapes_are_well_formed() -> None:
    for word, limbs in ((64, 3), (8, 2)):
        for shape in shapes(limbs):
            for rows in CARRY_STYLES:
                for trace in traces(shaped(shape, limbs, word)):
                    program = lower(trace, rows)
                    assert_well_formed(program)
                    assert_no_waste(program)
                    assert_no_dead_carry(program)


def test_operands_are_those_of_the_kernel() -> None:
    for word in (64, 32):
        f = named_field("bls12-381-p", word)
        for trace in traces(f):
            program = lower(trace)
            wide = trace.kernel.operation == "redc"
            expected_limbs = [(n, 2 * f.n if wide else f.n) for n, _ in trace.kernel.operands]
            assert list(program.operands) == expected_limbs
            loads = {(s.operand, s.attribute) for s in program.steps if s.operation is LOAD}
            assert loads == {(n, i) for n, count in expected_limbs for i in range(count)}
            assert (program.name, program.word) == (trace.kernel.operation, word)


def test_spare_bits_shorten_the_chains() -> None:
    spare, full = shaped("three-spare", 6), shaped("full", 6)
    for rows in CARRY_STYLES:
        with_spare = lower(choose(spare, "mul", "cios"), rows)
        without = lower(choose(full, "mul", "cios"), rows)
        assert with_spare.count("add") < without.count("add")
        assert with_spare.count("mul") == without.count("mul")


def test_additions_of_the_two_chains_of_bls12_381() -> None:
    n = 6
    f = named_field("bls12-381-p")
    rows = RowChoice(RowStyle.TWO_CHAINS)
    program = lower(choose(f, "mul", "cios"), rows)
    # Rows of the product: n low and n high halves, but the first row adds no low ones. Rows of
    # the reduction: n and n, and the carry of the low halves into the word above them.
    product_rows = (n - 1) + (n - 1) * 2 * n
    reduction_rows = n * 2 * n
    absorbed = program.count("add") - product_rows - reduction_rows
    assert 0 <= absorbed <= 2 * n
    assert lower(choose(f, "add"), rows).count("add") == n
    assert lower(choose(f, "sub"), rows).count("add") == n
    assert lower(choose(f, "sub"), rows).count("sub") == n


def test_two_lowerings_are_equal() -> None:
    for name in ("bn254-p", "secp256k1-p"):
        for rows in CARRY_STYLES:
            for trace in traces(named_field(name)):
                again = trace.kernel.trace(Field(trace.field.p, 64, name))
                assert lower(trace, rows) == lower(again, rows)


def test_styles_differ_only_in_what_they_read() -> None:
    traced = choose(named_field("bls12-381-p"), "mul")
    programs = {rows: lower(traced, rows) for rows in STYLES}
    assert len({repr(program) for program in programs.values()}) == len(STYLES)
    for rows in ALL_STYLES:
        assert lower(traced, rows) == programs[distinct(rows)]


def test_constants_carry_their_names() -> None:
    f = named_field("bls12-381-p")
    names = constant_names(f)
    assert names[f.n0] == "n0" and names[0] == "0x0" and names[1] == "0x1"
    assert all(names[limb] == f"p[{i}]" for i, limb in enumerate(f.limbs(f.p)))
    program = lower(choose(f, "mul"))
    used = {v.name for s in program.steps for v in s.inputs if v.constant not in (None, 0)}
    assert {f"p[{i}]" for i in range(6)} | {f"mu[{i}]" for i in range(6)} | {"n0"} == used
    for step in program.steps:
        for v in step.inputs:
            if v.constant is not None and v.kind is Kind.WORD:
                assert names[v.constant] == v.name


def test_dead_steps_are_removed_in_one_pass() -> None:
    build = Builder(8)
    x = build.load("x", 0, 255)
    unread = build.mul(x, x)[0]
    build.add(unread, x, build.no_carry)
    kept = build.add(x, x, build.no_carry)[0]
    program = Program("p", 8, (("x", 1),), tuple(build.steps), (kept,))
    clean = without_dead_steps(program)
    assert [s.operation.name for s in clean.steps] == ["load", "add"]
    assert without_dead_steps(clean) == clean


# The builder folds


def test_the_builder_folds_what_is_known() -> None:
    build = Builder(8)
    x = build.load("x", 0, 255)
    zero, one, top = (build.constant(v) for v in (0, 1, 255))
    none = build.no_carry
    assert build.add(x, zero, none) == (x, none) == build.add(zero, x, none)
    assert build.sub(x, zero, none) == (x, none)
    assert build.mul(x, zero) == (zero, zero) == build.mul(zero, x)
    assert build.mul(x, one) == (x, zero) == build.mul(one, x)
    assert build.bit_and(x, zero) == zero and build.bit_and(top, x) == x
    assert build.load("x", 1, 0) == zero
    assert [v.constant for v in build.add(top, one, none)] == [0, 1]
    assert [v.constant for v in build.mul(top, top)] == [1, 254]
    assert len(build.steps) == 1
    assert build.add(x, top, none) == build.add(top, x, none)
    assert len(build.steps) == 2


def test_a_carry_is_kept_exactly_where_the_bound_allows_it() -> None:
    for high_a, high_b in product((0, 1, 100, 127, 128, 155, 156, 255), repeat=2):
        build = Builder(8)
        a, b = build.load("x", 0, high_a), build.load("x", 1, high_b)
        total, carry = build.add(a, b, build.no_carry)
        assert total.high == min(255, high_a + high_b)
        assert carry.high == (1 if high_a + high_b > 255 else 0)
        _, limited = build.add(a, b, build.no_carry, limit=255)
        assert limited.high == carry.high or limited.constant == 0


# Kernels that a user might write


def _custom(operation: str, text: Callable[..., Number]) -> Kernel:
    return kernel(operation)(text)


def masked_first(f: Field, x: Residue, y: Residue) -> Residue:
    """The mask stands before the difference."""
    d = x - y
    return (d < 0) * f.p + d


def masked_last(f: Field, x: Residue, y: Residue) -> Residue:
    """The mask stands after the difference."""
    d = x - y
    return d + (d < 0) * f.p


def selected(f: Field, x: Residue, y: Residue) -> Residue:
    """A difference, corrected by selection."""
    d = x - y
    return select(d < 0, d + f.p, d)


def triple(f: Field, x: Residue) -> Residue:
    """Two subtractions, one after the other."""
    twice = x + x
    once = twice - f.p
    t = select(once < 0, twice, once) + x
    d = t - f.p
    return select(d < 0, t, d)


def high_half(f: Field, x: Wide) -> Residue:
    """The high half of a wide operand is below p."""
    return x >> f.word * f.n


def low_limb(f: Field, x: Residue) -> Residue:
    """One limb; p has more."""
    return x % f.base


def constant(f: Field, x: Residue) -> Residue:
    """A result that reads nothing."""
    return f.p - 1


def same(f: Field, x: Residue) -> Residue:
    """The operand itself."""
    return x


CUSTOM = (*(masked_first, masked_last, selected, triple, high_half, low_limb, constant, same),)


@pytest.mark.parametrize("text", CUSTOM)
def test_kernels_of_a_user(text: Callable[..., Any]) -> None:
    for f in (named_field("bls12-381-p"), named_field("secp256k1-p"), shaped("full", 2, 8)):
        k = _custom("redc" if text is high_half else text.__name__, text)
        program = lower(k.trace(f))
        assert_well_formed(program)
        assert len(program.results) == f.n
        for values in cases(k, f, 30):
            assert interpret(program, *values, check_bounds=True) == k.run(f, *values)


@pytest.mark.parametrize(
    "text",
    [
        lambda f, x: x >> 3,
        lambda f, x: x % 8,
        lambda f, x: (x << 1) >> f.word,
        lambda f, x: select(x < 0, 0, x),
    ],
)
def test_what_cannot_be_lowered_is_a_one_line_error(text: Callable[..., Number]) -> None:
    def written(f: Field, x: Residue) -> Residue:
        return text(f, x)

    trace = _custom("odd", written).trace(named_field("bls12-381-p"))
    with pytest.raises(LanguageError) as error:
        lower(trace)
    assert "\n" not in str(error.value)


def test_the_sieve_of_these_tests() -> None:
    assert SIEVE[:5] == (3, 5, 7, 11, 13) and SIEVE[-1] == 997 and len(SIEVE) == 167
