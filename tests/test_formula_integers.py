"""Integers in formulas: whatever Python takes for an index, such as those of numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import fieldc
from fieldc.catalogue import find_field
from fieldc.formulas import U64, Element, FormulaError, Mask, accumulator, choose, extend, formula
from fieldc.formulas.formula import Formula

F = find_field("bls12-381-p")


class Seven:
    """An integer by its index only."""

    def __index__(self) -> int:
        return 7


KINDS = {"int64": np.int64(7), "uint8": np.uint8(7), "array": np.array(7), "index": Seven()}
Fp2 = extend(Element, np.int64(2), np.int64(-1))  # type: ignore[arg-type]
Nine = accumulator(np.int64(9))  # type: ignore[arg-type]


class Results(NamedTuple):
    """One for each way to write an integer."""

    sum: Element
    reflected_sum: Element
    difference: Element
    reflected_difference: Element
    product: Element
    reflected_product: Element
    power: Element
    constant: Element
    chosen: Element


def of_elements(k: Any) -> Formula:
    """Everything that takes an integer, but extensions."""

    @formula
    def together(m: Mask, x: Element) -> Results:
        return Results(x + k, k + x, x - k, k - x, x * k, k * x, x**k, k, choose(m, k, x))

    return together


def of_pairs(k: Any) -> Formula:
    """The same of values of an extension."""

    @formula
    def together(x: Element) -> tuple[Fp2, Fp2, Fp2, Fp2, Fp2]:  # type: ignore[valid-type]
        u = Fp2(x, k)
        return u + k, k - u, k * u, u * k, u.frobenius(k)

    return together


@pytest.mark.parametrize("made", [of_elements, of_pairs])
@pytest.mark.parametrize("kind", KINDS)
def test_an_integer_of_any_type_is_one(made: Callable[[Any], Formula], kind: str) -> None:
    of_python = made(7).over(F)
    assert made(KINDS[kind]).over(F).text() == of_python.text()
    values = [x * F.R % F.p for x in (100, 200)[: of_python.inputs]]
    assert of_python.evaluate(F, values)[0] * F.R_inverse % F.p in (107, 207)


def test_a_sum_holds_so_many_products_by_any_integer() -> None:
    @formula
    def more(s: Nine, x: Element, y: Element) -> Nine:  # type: ignore[valid-type]
        return s.plus(x, y)  # type: ignore[attr-defined,no-any-return]

    assert Nine.terms == 9


@pytest.mark.parametrize("other", [np.bool_(True), np.float64(7), np.array([7, 7]), "7", 7.0])
def test_what_is_no_integer_is_refused(other: Any) -> None:
    def product(x: Element) -> Element:
        return x * other

    def reflected(x: Element) -> Element:
        return other * x  # type: ignore[no-any-return]

    for function in (product, reflected):
        with pytest.raises(FormulaError, match="not with "):
            formula(function)


def test_a_truth_value_is_no_integer() -> None:
    with pytest.raises(FormulaError, match="write 0 or 1"):

        @formula
        def product(x: Element) -> Element:
            return x * True


def test_an_element_of_python_is_refused_with_what_works() -> None:
    """`fieldc.Element` is a number; a formula's elements are those of `fieldc.formulas`."""
    three = fieldc.Field("2^127-1")(3)
    texts: list[Callable[[Any, Any], Any]] = [
        lambda m, x: x * three,
        lambda m, x: three - x,
        lambda m, x: three,
        lambda m, x: choose(m, x, three),
        lambda m, x: Fp2(x, three).norm(),
    ]
    for text in texts:
        text.__name__ = "f"
        text.__annotations__.update(m=Mask, x=Element, **{"return": Element})
        with pytest.raises(FormulaError, match=r"a fieldc\.Element.*: convert it with int\(\)"):
            formula(text)


def test_the_element_of_python_as_a_type() -> None:
    said = r"of f is of type fieldc\.Element: import Element from fieldc\.formulas"
    for operand, result in ((fieldc.Element, Element), (Element, fieldc.Element)):

        def f(x: Any) -> Any:
            return x

        f.__annotations__.update(x=operand, **{"return": result})
        with pytest.raises(FormulaError, match=said):
            formula(f)


def test_what_is_no_result() -> None:
    for kind, said in ((Mask, "a mask"), (U64, "a plain integer")):

        def f(x: Element, k: Any) -> Any:
            return k

        f.__annotations__.update(k=kind, **{"return": kind})
        with pytest.raises(FormulaError, match=f"f returns {said}, which is no result"):
            formula(f)
