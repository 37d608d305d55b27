"""Formulas that Python compiles and calls with elements."""

from __future__ import annotations

import copy
import random
from dataclasses import astuple, dataclass, field

import pytest

from fieldc import Element as FieldElement
from fieldc import Field, compile
from fieldc.artifacts.host import OperandError
from fieldc.formulas import I64, Element, FormulaError, extend, formula
from fieldc.machine.processor import is_x86_64
from fieldc.python.elements import FieldMismatch

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="this host runs no kernels in-process")
Fp2 = extend(Element, 2, -1)


@dataclass
class Pair:
    """Two elements."""

    u: Element
    v: Element


@dataclass(kw_only=True)
class Named:
    """Two elements with names."""

    y: Element
    x: Element


@dataclass
class Partly:
    """Two elements, of which one is computed."""

    x: Element
    y: Element = field(init=False)


@formula
def doubled(a: Named) -> Named:
    """A class that is made by names alone."""
    return Named(x=2 * a.x, y=a.y + a.y + a.x - a.x)


@formula
def line(a: Element, b: Element) -> Element:
    """One straight line of code."""
    return a * b - 2 * a + 7


@formula
def turned(pair: Pair, c: Element) -> tuple[Element, Element, Element]:
    """A result that is an operand, and products of products: calls of routines."""
    return pair.v, (pair.u * c - pair.v) * c * c - 1000, (pair.u + 3) ** 5


@formula
def in_fp2(x: Fp2) -> Fp2:  # type: ignore[valid-type]
    """A square."""
    return x * x  # type: ignore[operator]


@pytest.mark.parametrize("text", ["3", "2^61-1", "2^127-1", "bn254-p"])
def test_a_formula_computes_modulo_p(text: str) -> None:
    F, draw = Field(text), random.Random(1)
    short, long = compile(F, line), compile(text, turned)
    values = [0, 1, F.p - 1, *(draw.randrange(F.p) for _ in range(4))]
    for a in values:
        for b in values:
            c = draw.randrange(F.p)
            assert short(F(a), b) == a * b - 2 * a + 7
            found = long((a, F(b)), c)
            assert isinstance(found, tuple)
            assert list(map(int, found)) == [
                b,
                ((a * c - b) * c * c - 1000) % F.p,
                (a + 3) ** 5 % F.p,
            ]


def test_elements_of_the_result_are_the_fields() -> None:
    for native in (None, False):
        F = Field("2^61-1", native=native)
        found = compile(F, line)(-1, 3)
        assert isinstance(found, FieldElement) and found.field is F and found + 1 == 7
    assert [int(one) for one in compile(F, in_fp2)([3, 4])] == [F.p - 7, 24]
    assert compile(F, turned)(iter((1, 2)), 3)[0] == 2
    assert compile(F, turned)(Pair(1, 2), 3) == compile(F, turned)([1, [2]], 3)  # type: ignore[arg-type]
    assert repr(compile(F, line)) == f"<line modulo {F.p:#x}>"


@pytest.mark.parametrize(
    ("operands", "error", "says"),
    [
        ((1,), OperandError, "line takes a, b, not 1 operand"),
        ((1, 2, 3), OperandError, "not 3 operands"),
        ((1, (2,)), OperandError, "b is one element; 1 in a sequence came"),
        ((1.5, 2), TypeError, "float"),
        (("1", 2), TypeError, "str"),
        ((None, 2), TypeError, "NoneType"),
        ((Field(17)(1), 2), FieldMismatch, "convert one with int()"),
    ],
)
def test_bad_operands(operands: tuple[object, ...], error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        compile("2^61-1", line)(*operands)  # type: ignore[arg-type]
    assert says in str(caught.value)


@pytest.mark.parametrize("operand", [1, (1,), (1, 2, 3), "12"])
def test_another_number_of_elements_is_refused(operand: object) -> None:
    with pytest.raises(OperandError, match="turned: pair is 2 elements"):
        compile("2^61-1", turned)(operand, 1)  # type: ignore[arg-type]


def test_a_data_class_is_made_by_the_names_of_its_members() -> None:
    assert list(map(int, compile(17, doubled)(Named(y=3, x=2)))) == [6, 4]  # type: ignore[arg-type]

    def first(a: Partly) -> Element:
        return a.x

    with pytest.raises(FormulaError, match="Partly is not made of its members: y has init=False"):
        formula(first)


def test_what_cannot_be_compiled() -> None:
    def plain(a: Element) -> Element:
        return a

    with pytest.raises(TypeError, match="write @formula before it"):
        compile(17, plain)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"a name, a kernel or a formula$"):
        compile(17, 3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="no algorithm"):
        compile(17, line, "cios")  # type: ignore[call-overload]
    with pytest.raises(FormulaError, match="no field modulo"):
        compile(17, in_fp2)  # -1 is a square modulo 17


def test_members_of_a_data_class_may_be_copied() -> None:
    """As astuple and asdict do: the copy of an element was one of another formula."""

    def product(p: Pair) -> Element:
        u, v = astuple(p)
        return copy.copy(u) * v

    product.__annotations__ = {"p": Pair, "return": Element}
    assert compile(Field(17), formula(product))(Pair(5, 7)) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("prime", ["2^521-1", "2^607-1", "2^89-1"])
def test_signed_products_where_a_limb_of_a_constant_is_0(prime: str) -> None:
    """R^2 mod p is a power of two: a row of products with 0 had no words."""
    f = Field(prime)

    def scaled(x: Element, k: I64) -> Element:
        return x * k

    compiled = compile(f, formula(scaled))
    for x in (1, f.p - 1, f.p // 3):
        assert [compiled(x, k) for k in (7, -(2**63))] == [f(x) * 7, f(x) * -(2**63)]
