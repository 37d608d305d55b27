"""Word operations: the table, by equations written a second time, and the builder that folds."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest
from well_formed import limit

from fieldc.words.build import Builder
from fieldc.words.operations import LOAD, OPERATIONS, Kind

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
