"""Bounds from what a value is made of: never too tight, and tight where intervals are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from primes import ranged

from fieldc.language import Integer, Number
from fieldc.polynomial_bounds import tighten

X, Y = 45, 38
"""Largest values of the two inputs of a random expression."""


def expression(draw: random.Random, x: Number, y: Number, steps: int) -> Number:
    """A random expression of the language; the same one for the same draws."""
    values: list[Number] = [x, y]
    for _ in range(steps):
        a, b, k = draw.choice(values), draw.choice(values), draw.randrange(1, 6)
        made: list[Number] = [a + b, a - b, a >> k, a << k % 3, a % (1 << k), 2 * a, 3 * a]
        made += [a * b] if k < 3 else []
        bit = a % 2
        made.append((0 - bit < 0) * b)
        values.append(draw.choice(made))
    return values[-1]


@given(st.integers(0, 1 << 30), st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_no_value_is_outside(seed: int, steps: int) -> None:
    x, y = ranged(0, X, "x"), ranged(0, Y, "y")
    value = expression(random.Random(seed), x, y, steps)
    if not isinstance(value, Integer):
        return
    tight = tighten(value)
    assert isinstance(tight, Integer)
    assert value.low <= tight.low <= tight.high <= value.high
    for a in range(0, X + 1, 3):
        for b in (*range(0, Y, 4), Y):
            known = expression(random.Random(seed), a, b, steps)
            assert isinstance(known, int) and tight.low <= known <= tight.high


def bounds(value: Number) -> tuple[int, int]:
    tight = tighten(value)
    assert isinstance(tight, Integer)
    return tight.low, tight.high


def test_limbs_make_the_number_again() -> None:
    x = ranged(0, 1000)
    assert bounds(x % 16 + ((x >> 4) % 16 << 4) + (x >> 8 << 8)) == (0, 1000)


def test_a_remainder_by_an_estimated_quotient() -> None:
    p, x = 1009, ranged(0, 1009**2)
    q = ((x >> 9) * ((1 << 20) // p)) >> 11
    low, high = bounds(x - q * p)
    assert low >= 0 and high < 3 * p
    assert all(0 <= v - ((v >> 9) * ((1 << 20) // p) >> 11) * p <= high for v in range(p * p))


def test_the_middle_of_karatsuba_is_not_negative() -> None:
    x, y = ranged(0, 250, "x"), ranged(0, 251, "y")
    (x0, x1), (y0, y1) = ((v % 16, v >> 4) for v in (x, y))
    middle = (x0 + x1) * (y0 + y1) - x0 * y0 - x1 * y1
    assert isinstance(middle, Integer) and middle.low < 0 == bounds(middle)[0]
    assert bounds(x0 * y0 + (middle << 4) + (x1 * y1 << 8)) == (0, 250 * 251)


@pytest.mark.parametrize("value", [7, -7])
def test_python_integers_stay(value: int) -> None:
    assert tighten(value) == value
