"""Formulas that a tower gives, against multiplication of polynomials written again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from primes import named_field

from fieldc.field import Field
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.formula import Formula
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import planned

EXAMPLE = Path(__file__).parents[1] / "examples" / "tower.py"
FORMULAS = {one.name: one for one in load_formulas(EXAMPLE)}
Value = list[int]
"""12 coefficients in the order of operands: those of 1, v, v^2, w, v*w, v^2*w, each with its u."""
PLACES = [2 * j + i for i in (0, 1) for j in (0, 1, 2)]
"""The power of w of each pair: w^2 = v."""


def multiplied(f: Field, x: Value, y: Value) -> Value:
    """x * y as polynomials in w with w^6 = 1 + u, u^2 = -1."""
    total = [[0, 0] for _ in range(11)]
    for i, m in enumerate(PLACES):
        for j, n in enumerate(PLACES):
            (a, b), (c, d) = x[2 * i : 2 * i + 2], y[2 * j : 2 * j + 2]
            total[m + n][0] += a * c - b * d
            total[m + n][1] += a * d + b * c
    for n in range(10, 5, -1):
        a, b = total[n]
        total[n - 6][0] += a - b
        total[n - 6][1] += a + b
    return [c % f.p for m in PLACES for c in total[m]]


def power(f: Field, x: Value, exponent: int) -> Value:
    result = [1] + [0] * 11
    for bit in f"{exponent:b}":
        result = multiplied(f, result, result)
        result = multiplied(f, result, x) if bit == "1" else result
    return result


def evaluated(f: Field, one: Formula, *operands: Value) -> Value:
    given = [f.to_montgomery(v) for operand in operands for v in operand]
    return [f.from_montgomery(v) for v in one.evaluate(f, given)]


def random_value(f: Field, seed: int, count: int = 12) -> Value:
    draw = random.Random(seed)
    return [draw.randrange(f.p) for _ in range(count)]


def test_products_squares_and_lines() -> None:
    f = named_field("bls12-381-p")
    for seed in range(5):
        x, y, line = random_value(f, seed), random_value(f, seed + 50), random_value(f, seed, 6)
        assert evaluated(f, FORMULAS["fp12_mul"], x, y) == multiplied(f, x, y)
        assert evaluated(f, FORMULAS["fp12_square"], x) == multiplied(f, x, x)
        sparse = [*line[:4], 0, 0, 0, 0, *line[4:], 0, 0]
        assert evaluated(f, FORMULAS["fp12_mul_line"], x, line) == multiplied(f, x, sparse)


def test_a_line_saves_products_and_a_cyclotomic_square_halves_them() -> None:
    counts = {name: planned(one).products for name, one in FORMULAS.items()}
    assert counts["fp12_mul_line"] < counts["fp12_mul"] * 3 // 4
    assert counts["fp12_cyclotomic_square"] * 2 == counts["fp12_square"]


def test_the_cyclotomic_subgroup() -> None:
    """x^((p^6 - 1)*(p^2 + 1)) is in it: its square is cheap, and its conjugate is its inverse."""
    f = named_field("bls12-381-p")
    x = power(f, random_value(f, 7), (f.p**6 - 1) * (f.p**2 + 1))
    for _ in range(2):
        square = evaluated(f, FORMULAS["fp12_cyclotomic_square"], x)
        assert square == multiplied(f, x, x)
        conjugate = evaluated(f, FORMULAS["fp12_conjugate"], x)
        assert multiplied(f, x, conjugate) == [1] + [0] * 11
        x = square
    other = random_value(f, 8)
    wrong = evaluated(f, FORMULAS["fp12_cyclotomic_square"], other)
    assert wrong != multiplied(f, other, other)


@pytest.mark.parametrize(
    ("tower", "body"),
    [
        ("T = extend(Element, 2, -1)", "x.cyclotomic_square()"),
        ("T = extend(extend(Element, 2, -1), 2, 3)", "x.cyclotomic_square()"),
        ("S = extend(Element, 3, 2); T = extend(S, 2, S(0, 2, 0))", "x.cyclotomic_square()"),
        ("S = extend(Element, 3, 2); T = extend(S, 2, S(1, 1, 0))", "x.cyclotomic_square()"),
    ],
)
def test_other_towers_have_no_cyclotomic_square(tmp_path: Path, tower: str, body: str) -> None:
    path = tmp_path / "bad.py"
    head = f"from fieldc.formulas import *\n{tower}\n@formula\ndef g(x: T) -> T:\n"
    path.write_text(f"{head}    return {body}\n")
    with pytest.raises(FormulaError, match=r"bad\.py:5: a cyclotomic square is of degree 2 over 3"):
        load_formulas(path)


COMPRESSED = {one.name: one for one in load_formulas(EXAMPLE.with_name("karabina.py"))}


def whole(f: Field, x: Value) -> Value:
    """A compressed value given back."""
    m = int(not any(x[:2]))
    norms, whole_of = (COMPRESSED[name] for name in ("denominator_norm", "decompressed"))
    given = [*map(f.to_montgomery, x), m]
    [norm] = norms.evaluate(f, given)
    inverse = f.to_montgomery(pow(f.from_montgomery(norm), -1, f.p) if norm else 0)
    return [f.from_montgomery(v) for v in whole_of.evaluate(f, [*given, inverse])]


def test_compressed_squares_are_squares() -> None:
    """Karabina's four coefficients of six, for a chain of squares."""
    f = named_field("bls12-381-p")
    x = power(f, random_value(f, 9), (f.p**6 - 1) * (f.p**2 + 1))
    short = evaluated(f, COMPRESSED["compressed"], x)
    for _ in range(5):
        assert whole(f, short) == x
        x, short = multiplied(f, x, x), evaluated(f, COMPRESSED["compressed_square"], short)
    short[0] += 1
    assert whole(f, short) != x
    counts = {name: planned(one).products for name, one in COMPRESSED.items()}
    cyclotomic = planned(FORMULAS["fp12_cyclotomic_square"]).products
    assert counts["compressed_square"] * 3 == cyclotomic * 2


SMALLEST = 19
"""u^2 = -1 and w^6 = 1 + u make a field."""


def test_values_with_a_zero_are_given_back() -> None:
    """Those where c1 is 0, which the mask says. One of them is 1, whose denominator is 0 too."""
    f = Field(SMALLEST)
    step = power(f, random_value(f, 3), (f.p**6 - 1) * (f.p**2 + 1))
    x, found = [1] + [0] * 11, 0
    for _ in range(10 * f.p**2):
        if not any(x[6:8]):
            short, found = evaluated(f, COMPRESSED["compressed"], x), found + 1
            assert whole(f, short) == x
            square = whole(f, evaluated(f, COMPRESSED["compressed_square"], short))
            assert square == multiplied(f, x, x)
        x = multiplied(f, x, step)
    assert found > 3
