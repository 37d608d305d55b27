"""Word programs compute their kernels: every row style, shape of prime, and bound on the way."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from primes import (
    CARRY_STYLES,
    NAMES,
    OF_EVERY_CLASS,
    SIEVE,
    STYLES,
    cases,
    expected,
    expressions,
    named_field,
    random_field,
    shaped,
    shapes,
    small_primes,
    style_id,
)
from sampling import sampled_rows
from well_formed import assert_well_formed

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.language import Kernel, LanguageError, Number, Residue, Wide, kernel, select, select_all
from fieldc.words.interpret import BrokenBound, interpret
from fieldc.words.lower import lower
from fieldc.words.operations import ADD
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice


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


WORDS = (2, 3, 4, 8, 16, 32, 64)
STYLED = [(rows, word) for rows in STYLES for word in WORDS]


@pytest.mark.parametrize(
    ("rows", "word"),
    sampled_rows(STYLED[::3], [one for k, one in enumerate(STYLED) if k % 3]),
    ids=lambda value: style_id(value) if isinstance(value, RowChoice) else str(value),
)
@pytest.mark.sweep(24)
def test_every_row_style_computes_the_kernel(rows: RowChoice, word: int) -> None:
    for f in fields_of(word, STYLES.index(rows)):
        for expression in expressions(f):
            check_program(lower(expression, rows), expression.kernel, f, 3)


@pytest.mark.parametrize(
    ("name", "word"),
    sampled_rows(
        [*((name, 64) for name in NAMES), *((name, 32) for name in OF_EVERY_CLASS)],
        [(name, 32) for name in NAMES if name not in OF_EVERY_CLASS],
    ),
)
@pytest.mark.sweep(10)
def test_named_fields_in_every_carry_style(name: str, word: int) -> None:
    f = named_field(name, word)
    styles = CARRY_STYLES if f.n <= 6 else CARRY_STYLES[:2]
    for rows in styles:
        for expression in expressions(f):
            check_program(lower(expression, rows), expression.kernel, f, 2)


@pytest.mark.parametrize("limbs", [1, 2, 3, 6])
@pytest.mark.parametrize("rows", CARRY_STYLES, ids=style_id)
@pytest.mark.sweep(12)
def test_every_shape_of_prime_in_every_carry_style(rows: RowChoice, limbs: int) -> None:
    for shape in shapes(limbs):
        f = shaped(shape, limbs)
        for expression in expressions(f):
            if limbs < 4 or expression.kernel.operation in ("mul", "square"):
                check_program(lower(expression, rows), expression.kernel, f, 2)


def test_the_largest_modulus() -> None:
    f = shaped("largest", 17)
    for expression in expressions(f):
        check_program(lower(expression), expression.kernel, f, 2)


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


def chosen(f: Field, x: Residue, y: Residue) -> Residue:
    """One condition for two choices that are made together, and for a third."""
    is_less = x - y < 0
    a, b = select_all(is_less, (x, y), (y, x))
    c = select(is_less, x, 0)
    return select(a - b < 0, a % f.base, c % f.base)


def high_half(f: Field, x: Wide) -> Residue:
    """The high half of a wide operand is below p."""
    return x >> f.word * f.n


def sign_above(f: Field, x: Residue, y: Residue) -> Residue:
    """A difference that may be negative, added to a longer number."""
    return ((x - y) + (f.R << 3)) >> f.word * f.n


def sign_shifted(f: Field, x: Residue, y: Residue) -> Residue:
    """One that is shifted first."""
    return (((x - y) << 3) + (f.R << 3)) >> f.word * f.n


def sign_cut(f: Field, x: Residue, y: Residue) -> Residue:
    """One that is cut above its limbs."""
    return (x - y) % (f.R << 8) >> f.word * f.n


def low_limb(f: Field, x: Residue) -> Residue:
    """One limb; p has more."""
    return x % f.base


def constant(f: Field, x: Residue) -> Residue:
    """A result that reads nothing."""
    return f.p - 1


def shifted(f: Field, x: Residue) -> Residue:
    """Bits left out, and put in, that are no whole limbs."""
    return (x >> 3) % (1 << f.word + 3) + (x >> f.word + 5 << 2)


def part(f: Field, x: Residue) -> Residue:
    """A part whose bits do not end with a limb."""
    return (x % (1 << f.word + 1) << 4) >> 7


def same(f: Field, x: Residue) -> Residue:
    """The operand itself."""
    return x


CUSTOM = (
    *(
        masked_first,
        masked_last,
        selected,
        triple,
        chosen,
        high_half,
        sign_above,
        sign_shifted,
        sign_cut,
        low_limb,
        constant,
        same,
        shifted,
        part,
    ),
)


@pytest.mark.parametrize("text", CUSTOM)
def test_kernels_of_a_user(text: Callable[..., Any]) -> None:
    for f in (named_field("bls12-381-p"), named_field("secp256k1-p"), shaped("full", 2, 8)):
        k = _custom("redc" if text is high_half else text.__name__, text)
        program = lower(k.expression(f))
        assert_well_formed(program)
        assert len(program.results) == f.n
        for values in cases(k, f, 30):
            assert interpret(program, *values, check_bounds=True) == k.run(f, *values)


@pytest.mark.parametrize(
    "text",
    [
        lambda f, x: ((x - f.p) >> f.word) + f.p,
        lambda f, x: ((x - f.p) >> 3) + f.p,
        lambda f, x: select(x < 0, 0, x),
        lambda f, x: ((0 - x - x) + (f.R << 3)) >> f.word * f.n,
        lambda f, x: select((x - f.p - x) < 0, 0, x),
        lambda f, x: ((x - f.p) * (x % 64) + (f.R << 4)) >> f.word * f.n,
    ],
)
def test_what_cannot_be_lowered_is_a_one_line_error(text: Callable[..., Number]) -> None:
    def written(f: Field, x: Residue) -> Residue:
        return text(f, x)

    expression = _custom("odd", written).expression(named_field("bls12-381-p"))
    with pytest.raises(LanguageError) as error:
        lower(expression)
    assert "\n" not in str(error.value)


def test_the_sieve_of_these_tests() -> None:
    assert SIEVE[:5] == (3, 5, 7, 11, 13) and SIEVE[-1] == 997 and len(SIEVE) == 167
