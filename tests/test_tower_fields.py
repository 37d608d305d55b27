"""Towers of other curves and degrees, against products of polynomials; Frobenius, inverses."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from primes import named_field

from fieldc.catalogue import find_field
from fieldc.errors import ERROR_WIDTH
from fieldc.field import Field
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.formula import Formula
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import planned
from fieldc.formulas.ranges import ranged

Levels = Sequence[tuple[int, Any]]
"""From the top down: a degree, and the root as nested tuples of the levels below."""
FP2 = "Fp2 = extend(Element, 2, {})\n"
TOWERS: dict[str, tuple[str, str, Levels]] = {
    "bn254": (
        "bn254-p",
        FP2.format(-1) + "Fp6 = extend(Fp2, 3, Fp2(9, 1))\nT = extend(Fp6, 2, Fp6(0, 1, 0))",
        ((2, ((0, 0), (1, 0), (0, 0))), (3, (9, 1)), (2, -1)),
    ),
    "bls12-377": (
        "bls12-377-p",
        FP2.format(-5) + "Fp6 = extend(Fp2, 3, Fp2(0, 1))\nT = extend(Fp6, 2, Fp6(0, 1, 0))",
        ((2, ((0, 0), (1, 0), (0, 0))), (3, (0, 1)), (2, -5)),
    ),
    "fp3": ("2^64-2^32+1", "T = extend(Element, 3, 7)", ((3, 7),)),
    "fp4": (
        "bls12-381-p",
        FP2.format(-1) + "T = extend(Fp2, 2, Fp2(1, 1))",
        ((2, (1, 1)), (2, -1)),
    ),
    "fp12, a root of several coefficients": (
        "bn254-p",
        FP2.format(-1)
        + "Fp6 = extend(Fp2, 3, Fp2(9, 1))\nT = extend(Fp6, 2, Fp6(Fp2(2, 1), 1, 0))",
        ((2, ((2, 1), (1, 0), (0, 0))), (3, (9, 1)), (2, -1)),
    ),
}
BODY = """
@formula
def product(x: T, y: T) -> T: return x * y
@formula
def square(x: T) -> T: return x.square()
@formula
def raised(x: T) -> T: return x.frobenius()
@formula
def raised_twice(x: T) -> T: return x.frobenius(2)
@formula
def norm(x: T) -> Element: return x.norm()
@formula
def inverse(x: T, n: Element) -> T: return x.inverse(n)
"""


def multiplied(p: int, levels: Levels, x: Any, y: Any) -> Any:
    """x * y by rows, each power of the generator above the degree replaced by the root."""
    if not levels:
        return x * y % p
    (degree, root), *below = levels
    total = [nothing(below)] * degree
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            term = multiplied(p, below, a, b)
            if i + j >= degree:
                term = multiplied(p, below, term, root)
            total[(i + j) % degree] = added(p, total[(i + j) % degree], term)
    return tuple(total)


def nothing(levels: Levels) -> Any:
    return (nothing(levels[1:]),) * levels[0][0] if levels else 0


def added(p: int, x: Any, y: Any) -> Any:
    if isinstance(x, int):
        return (x + y) % p
    return tuple(added(p, a, b) for a, b in zip(x, y, strict=True))


def power(p: int, levels: Levels, x: Any, exponent: int) -> Any:
    found = x
    for bit in f"{exponent:b}"[1:]:
        found = multiplied(p, levels, found, found)
        found = multiplied(p, levels, found, x) if bit == "1" else found
    return found


def flat(x: Any) -> list[int]:
    return [x] if isinstance(x, int) else [one for part in x for one in flat(part)]


def random_value(draw: random.Random, p: int, levels: Levels) -> Any:
    if not levels:
        return draw.randrange(p)
    return tuple(random_value(draw, p, levels[1:]) for _ in range(levels[0][0]))


def evaluated(f: Field, one: Formula, *operands: Any) -> list[int]:
    given = [f.to_montgomery(v) for operand in operands for v in flat(operand)]
    return [f.from_montgomery(v) for v in one.over(f).evaluate(f, given)]


@pytest.mark.parametrize("tower", TOWERS)
def test_a_tower_computes_in_its_field(tower: str, tmp_path: Path) -> None:
    prime, text, levels = TOWERS[tower]
    f, draw, path = find_field(prime), random.Random(1), tmp_path / "tower.py"
    path.write_text(f"from fieldc.formulas import *\n{text}\n{BODY}")
    formulas = {one.name: one for one in load_formulas(path)}
    x, y = (random_value(draw, f.p, levels) for _ in range(2))
    p = f.p
    assert evaluated(f, formulas["product"], x, y) == flat(multiplied(p, levels, x, y))
    assert evaluated(f, formulas["square"], x) == flat(multiplied(p, levels, x, x))
    raised = power(p, levels, x, p)
    assert evaluated(f, formulas["raised"], x) == flat(raised)
    assert evaluated(f, formulas["raised_twice"], x) == evaluated(f, formulas["raised"], raised)
    (norm,) = evaluated(f, formulas["norm"], x)
    inverse = evaluated(f, formulas["inverse"], x, pow(norm, -1, p))
    found = multiplied(p, levels, x, nested(iter(inverse), levels))
    assert flat(found) == [1] + [0] * (len(inverse) - 1)
    for one in formulas.values():
        ranged(planned(one.over(f)), f)


def nested(numbers: Any, levels: Levels) -> Any:
    """The value that numbers make, in order."""
    if not levels:
        return next(numbers)
    return tuple(nested(numbers, levels[1:]) for _ in range(levels[0][0]))


@pytest.mark.parametrize(
    ("prime", "text", "line"),
    [
        ("bls12-377-p", "T = extend(Element, 2, -1)", 2),
        ("bn254-p", f"{FP2.format(-1)}T = extend(Fp2, 3, Fp2(1, 0))", 3),
        ("bls12-381-p", f"{FP2.format(-1)}T = extend(Fp2, 2, Fp2(0, -1))", 3),
    ],
)
def test_what_is_no_field_is_refused_with_its_line(
    prime: str, text: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "tower.py"
    path.write_text(f"from fieldc.formulas import *\n{text}\n{BODY}")
    (raised,) = (one for one in load_formulas(path) if one.name == "raised")
    with pytest.raises(FormulaError, match=rf"tower\.py:{line}: Fp\d is no field modulo"):
        raised.over(named_field(prime))


@pytest.mark.parametrize(
    ("prime", "text", "at"),
    [
        ("2^379-3967", "Fp2 = extend(Element, 2, {-2})\nT = extend(Fp2, 3, Fp2(5, 1))", 2),
        ("2^379-3967", f"{FP2.format(-11)}T = extend(Fp2, 3, {{Fp2(1, 1)}})", 3),
        ("bn254-p", f"{FP2.format(-1)}T = extend(Fp2, 3, {{Fp2(1, 0)}})", 3),
        ("bls12-381-p", f"{FP2.format(-1)}T = extend(Fp2, 2, {{Fp2(0, -1)}})", 3),
        (
            "bls12-381-p",
            f"{FP2.format(-1)}Fp6 = extend(Fp2, 3, Fp2(1, 1))\nT = extend(Fp6, 2, {{4}})",
            4,
        ),
        ("bls12-381-p", "T = extend(Element, 3, {1})", 2),
        ("3", "T = extend(Element, 2, {0})", 2),
        ("2^377-2^310+2^55+1", f"T = extend(Element, 2, {{{2**377 - 2**310 + 2**55}}})", 2),
    ],
)
def test_what_is_no_field_names_a_root_that_makes_one(
    prime: str, text: str, at: int, tmp_path: Path
) -> None:
    path = tmp_path / "tower.py"
    root = re.search(r"\{(.*)\}", text)[1]
    for tried in range(2):
        written = re.sub(r"\{.*\}", root, text)
        path.write_text(f"from fieldc.formulas import *\n{written}\n{BODY}")
        (raised,) = (one for one in load_formulas(path) if one.name == "raised")
        if tried:
            raised.over(find_field(prime))
            continue
        with pytest.raises(FormulaError, match=rf"tower\.py:{at}: .* its root ") as error:
            raised.over(find_field(prime))
        assert len(str(error.value)) - len(str(path)) < ERROR_WIDTH - 40
        root = re.fullmatch(r".* there, (.*) is none", str(error.value))[1]


def test_where_all_numbers_are_cubes_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "tower.py"
    path.write_text(f"from fieldc.formulas import *\nT = extend(Element, 3, 2)\n{BODY}")
    (raised,) = (one for one in load_formulas(path) if one.name == "raised")
    with pytest.raises(FormulaError, match="modulo 0x107: every number is a cube there"):
        raised.over(Field(0x107))


@pytest.mark.parametrize("body", ["x.frobenius(0)", "x.frobenius(True)", "T(1).frobenius()"])
def test_a_wrong_frobenius_is_refused_with_its_line(body: str, tmp_path: Path) -> None:
    path = tmp_path / "tower.py"
    head = f"from fieldc.formulas import *\n{FP2.format(-1)}T = Fp2\n@formula\n"
    path.write_text(f"{head}def f(x: T) -> T: return {body}\n")
    with pytest.raises(FormulaError, match=r"tower\.py:5: Frobenius is"):
        load_formulas(path)
