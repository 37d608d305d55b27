"""A formula may call other formulas: their steps become its own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from test_c import FLAGS, GCC, needs_gcc
from test_compiled import compiled, computes

from fieldc import Field
from fieldc import compile as compile_formula
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.formulas import straight_lines
from fieldc.field import Field as FieldOfWords
from fieldc.formulas import FormulaError, formula
from fieldc.formulas.load import load_formulas
from fieldc.targets.c.print import ROWS, c_function, c_prelude
from fieldc.words.lower import lower

FILE = """
from typing import NamedTuple
from fieldc.formulas import Element, extend, formula

Fp2 = extend(Element, 2, -1)

class Pair(NamedTuple):
    a: Element
    b: Element

@formula
def turned(p: Pair) -> Pair:
    return Pair(p.a - p.b, p.a + p.b)

@formula
def square(x: Fp2) -> Fp2:
    return x * x

@formula
def frobenius(x: Fp2) -> Fp2:
    return x.frobenius()

@formula
def twice(p: Pair) -> Element:
    p = turned(turned(p))
    return p.a * p.b

@formula
def norm(x: Fp2) -> Fp2:
    return square(x) * frobenius(x)
"""


def test_a_formula_calls_others(tmp_path: Path) -> None:
    path, f = tmp_path / "calls.py", find_field("2^127-1")
    path.write_text(FILE)
    found = {one.name: one.over(f) for one in load_formulas(path)}
    generator = random.Random(1)
    a, b = (generator.randrange(f.p) for _ in range(2))
    (product,) = found["twice"].evaluate(f, (a * f.R % f.p, b * f.R % f.p))
    assert product * f.R_inverse % f.p == -4 * a * b % f.p
    x = a * f.R % f.p, b * f.R % f.p
    expected = found["square"].evaluate(f, x), found["frobenius"].evaluate(f, x)
    (c, d), (e, g) = ([value * f.R_inverse % f.p for value in each] for each in expected)
    norm = tuple(value * f.R_inverse % f.p for value in found["norm"].evaluate(f, x))
    assert norm == ((c * e - d * g) % f.p, (c * g + d * e) % f.p)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("turned(p, p)", "takes 1 positional argument"),
        ("turned(3)", "has no attribute 'a'"),
    ],
)
def test_a_call_that_makes_no_sense(call: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.py"
    path.write_text(FILE.replace("turned(turned(p))", call))
    with pytest.raises(FormulaError, match=said):
        load_formulas(path)


def test_a_formula_takes_values_by_name(tmp_path: Path) -> None:
    path, f = tmp_path / "calls.py", find_field("2^61-1")
    path.write_text(
        "from fieldc.formulas import Element, formula\n@formula\n"
        "def less(x: Element, y: Element) -> Element: return +x - y\n@formula\n"
        "def more(x: Element, y: Element) -> Element: return +less(y=x, x=y)\n"
    )
    _, more = load_formulas(path)
    assert more.over(f).evaluate(f, (3, 5)) == (2,)


def test_a_formula_of_one_field_is_not_called() -> None:
    text = {}
    exec("from fieldc.formulas import Element\ndef f(x: Element) -> Element: return x * x", text)
    with pytest.raises(TypeError, match="f is of one field already"):
        formula(text["f"]).over(find_field("2^61-1"))(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "left_out"), [("Element", "Element, "), ("formula", ", formula")])
def test_a_name_that_was_not_imported(name: str, left_out: str, tmp_path: Path) -> None:
    path = tmp_path / "names.py"
    path.write_text(FILE.replace(left_out, "", 1))
    with pytest.raises(FormulaError, match=f"write: from fieldc.formulas import {name}$"):
        load_formulas(path)


CONSTANTS = """
from typing import NamedTuple
from fieldc.formulas import Element, Mask, U64, choose, extend, formula

Fp2 = extend(Element, 2, -1)

class Three(NamedTuple):
    a: Element
    b: Element
    c: Element

@formula
def sums(x: Element, y: Element) -> Three:
    none = x * y - y * x
    return Three(x**3 + none, none, 5 + none * 2)

@formula
def chosen(x: Element, y: Element, m: Mask) -> Three:
    none = x * y - y * x
    return Three(choose(m, none + 7, none), y**3 * x, none)

@formula
def squared(x: Fp2, y: Fp2) -> tuple[Fp2, Fp2]:
    none = (x + y) * (x * y - x * y)  # no result, so it may be larger than p
    return none.square(), x * y * x

@formula
def multiples(x: Element, y: Element, k: U64) -> Three:
    none = x - x
    return Three((none + 3) * k, y**3 * x, none * k)

@formula
def fixed(x: Element, y: Element) -> Three:
    return Three(-1, x * 0 - 2**70, y)

@formula
def products(x: Element, y: Element, k: U64) -> Three:
    none = (x - x) * k
    return Three(-8 * x * none - none, x * y, none - 7 * none * none)
"""


@pytest.mark.parametrize("prime", ["bn254-p", "2^127-1"])
def test_a_value_may_be_the_same_for_all_operands(prime: str, tmp_path: Path) -> None:
    path = tmp_path / "constants.py"
    path.write_text(CONSTANTS)
    words = ["build", prime, "--formula", str(path), "--target", "x86_64-linux,c"]
    assert main([*words, "-o", str(tmp_path / "out")]) == 0
    F = Field(prime)
    formulas = (compile_formula(F, one) for one in load_formulas(path))
    sums, chosen, squared, multiples, fixed, products = formulas
    p, k = F.p, 2**64 - 1
    for x, y in ((3, 5), (0, 0), (p - 1, p - 2)):
        assert sums(x, y) == (F(x**3), 0, 5)
        assert chosen(x, y, 1) == (7, F(y**3 * x), 0) and chosen(x, y, 0)[0] == 0
        s = x * x + y * y
        assert squared((x, y), (y, x)) == (0, 0, F(-y * s), F(x * s))
        assert multiples(x, y, k) == (F(3 * k), F(y**3 * x), 0)
        assert fixed(x, y) == (-1, F(-(2**70)), F(y))
        assert products(x, y, k) == (0, F(x * y), 0)


MULTIPLES = """
from fieldc.formulas import Element, I64, U64, formula

@formula
def of_sum(x: Element, y: Element, k: U64) -> Element:
    return (x + y) * k

@formula
def of_more(x: Element, k: U64) -> Element:
    return (x + 7) * k

@formula
def of_difference(x: Element, y: Element, k: U64) -> Element:
    return (x - y) * k

@formula
def of_product(x: Element, y: Element, k: I64) -> Element:
    return (x * y - x) * k
"""


OF_MULTIPLES = ("bn254-p", "2^61-1", "secp256k1-n", "0x635e1e5d")


@pytest.mark.parametrize("prime", OF_MULTIPLES)
def test_a_sum_times_a_plain_integer(prime: str, tmp_path: Path) -> None:
    """In one straight line its bounds or its proof may fail: then each step is a routine."""
    path = tmp_path / "multiples.py"
    path.write_text(MULTIPLES)
    assert main(["build", prime, "--formula", str(path), "-o", str(tmp_path / "out")]) == 0
    F = Field(prime)
    formulas = (compile_formula(F, one) for one in load_formulas(path))
    of_sum, of_more, of_difference, of_product = formulas
    p, k = F.p, 2**64 - 1
    for x, y in ((3, 5), (0, 1), (p - 1, p - 2), (p - 1, 0)):
        assert of_sum(x, y, k) == F((x + y) * k) and of_more(x, k) == F((x + 7) * k)
        assert of_difference(x, y, k) == F((x - y) * k)
        assert of_product(x, y, -(2**63)) == F((x * y - x) * -(2**63))


@needs_gcc
@pytest.mark.parametrize(
    ("prime", "word"), [*((prime, 64) for prime in OF_MULTIPLES), ("bn254-p", 32), ("2^61-1", 32)]
)
def test_a_sum_times_a_plain_integer_in_c(prime: str, word: int, tmp_path: Path) -> None:
    """Its bounds hold where each value is known to be in its range."""
    path = tmp_path / "multiples.py"
    path.write_text(MULTIPLES)
    f = FieldOfWords(find_field(prime).p, word)
    some = [(one.name, straight_lines(f, one)[0]) for one in load_formulas(path)]
    programs = [(lower(expression, ROWS), symbol, expression) for symbol, expression in some]
    text = c_prelude(f.word) + "\n".join(c_function(*each) for each in programs)
    loaded = compiled(tmp_path, text, ".c", str(GCC), *FLAGS, "-O0", "-shared", "-fPIC")
    computes(loaded, f, some)


NUMBERS = """
from fieldc.formulas import Element, U64, formula

@formula
def of_difference(x: Element, y: Element) -> Element:
    return (x - y) * 16

@formula
def negative(x: Element, y: Element) -> Element:
    return -17 * (x - y)

@formula
def less(x: Element, y: Element) -> Element:
    return y - 16 * (y - x)

@formula
def larger(x: Element, y: Element) -> Element:
    return x * (2**64 - 1) + y * 2**63

@formula
def none(x: Element, y: Element) -> Element:
    return x * 983 - y

@formula
def with_integer(x: Element, k: U64) -> Element:
    return (x - 5) * k
"""


@pytest.mark.sweep(7)
@pytest.mark.parametrize("prime", ["bn254-p", "bls12-381-r", "0x10001", "983"])
@pytest.mark.parametrize("target", ["x86_64-linux", "aarch64-linux", "c", "rust"])
def test_a_difference_times_a_number(prime: str, target: str, tmp_path: Path) -> None:
    """Its bounds hold in one straight line; a number may be larger than p, or p itself."""
    path = tmp_path / "numbers.py"
    path.write_text(NUMBERS)
    words = ["--formula", str(path), "--target", target, "-o", str(tmp_path / "out")]
    assert main(["build", prime, *words]) == 0
    f = find_field(prime)
    for one in load_formulas(path):
        kernel = straight_lines(f, one)[0].kernel
        for x, y in ((3, 5), (0, 1), (f.p - 1, f.p - 2), (f.p - 1, 0), (1, f.p - 1)):
            pairs = zip((x, y), one.ranges, strict=True)
            given = [min(value, bound.high(f)) for value, (_, bound) in pairs]
            assert kernel.run(f, *given) == kernel.meaning(f, *given), one.name


SUMS = """
from fieldc.formulas import Element, U64, accumulator, formula

Sum = accumulator(3, U64)

@formula
def of_a_sum(s: Sum) -> Element:
    return s.reduced()

@formula
def and_a_product(s: Sum, x: Element) -> Element:
    return s.reduced() * x
"""


def test_a_sum_whose_estimated_quotient_is_not_proved(tmp_path: Path) -> None:
    """Of a sum of two limbs modulo 31 bits; it is divided by R twice instead."""
    path = tmp_path / "sums.py"
    path.write_text(SUMS)
    assert main(["build", "babybear", "--formula", str(path), "-o", str(tmp_path / "out")]) == 0
    F = Field("babybear")
    of_a_sum, and_a_product = (compile_formula(F, one) for one in load_formulas(path))
    most = 3 * F.p * 2**64 - 1
    for s in (0, 1, F.p, 2**64, most - F.p, most):
        element = F(s) / F(2**64)  # a sum is of products in Montgomery form
        assert of_a_sum(s) == element and and_a_product(s, 5) == element * 5
