"""The language: what it does not have, and kernels run on Python's integers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import pytest
from primes import expected, named_field, ranged

from fieldc.algorithms import KERNELS, choose
from fieldc.field import Field
from fieldc.integers import Condition
from fieldc.language import (
    Expression,
    Integer,
    Kernel,
    LanguageError,
    Number,
    Pair,
    Residue,
    Wide,
    kernel,
)

SMALL = Field(13, 2)


# What the language does not have


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (lambda x: x if x < 0 else -1, "straight-line"),
        (lambda x: 1 if x - 3 < 0 else x, "straight-line"),
        (lambda x: x and 1, "straight-line"),
        (lambda x: not x, "straight-line"),
        (lambda x: x % 10, "power of two, not 10"),
        (lambda x: x % 3, "power of two, not 3"),
        (lambda x: x % -4, "power of two.* not -4"),
        (lambda x: x < 5, "compares with 0"),
        (lambda x: x < x, "compare"),
        (lambda x: x >> x, "no shift or modulus depends on data"),
        (lambda x: x << (x < 0), "no shift or modulus depends on data"),
        (lambda x: 7 % x, "no shift or modulus depends on data"),
        (lambda x: 1 << x, "no shift or modulus depends on data"),
    ],
)
def test_a_forbidden_construct_is_a_one_line_error(
    text: Callable[[Integer], object], says: str
) -> None:
    with pytest.raises(LanguageError, match=says) as error:
        text(ranged(-5, 100))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        lambda x: 1 if x == 0 else 2,
        lambda x: 1 if x != 0 else 2,
        lambda x: x % 0,
        lambda x: x % x,
        lambda x: x >> -1,
        lambda x: x << -1,
        lambda x: x + 0.5,
    ],
    ids=["equal", "unequal", "mod 0", "mod x", "shift -1", "left -1", "float"],
)
def test_other_constructs_that_must_be_refused(text: Callable[[Integer], object]) -> None:
    with pytest.raises(LanguageError):
        text(ranged(-5, 100))


@pytest.mark.parametrize("text", [lambda x: x // 2, lambda x: x**2, lambda x: x & 1, int, range])
def test_other_operators_do_not_exist(text: Callable[[Integer], object]) -> None:
    with pytest.raises(TypeError):
        text(ranged(-5, 100))


def test_a_kernel_must_say_what_it_returns() -> None:
    def nothing(f: Field, x: Residue):  # type: ignore[no-untyped-def]
        return x

    text: Callable[..., Number] = nothing
    with pytest.raises(LanguageError, match="nothing must say what it returns"):
        kernel("nothing")(text)


@pytest.mark.parametrize(
    ("hint", "returned", "says"),
    [
        (Residue, (1, 2), "several returns 2 values, not 1"),
        (Residue, (), "several returns 0 values, not 1"),
        (Pair, 1, "several returns 1 value, not 2"),
        (Residue, [1], "several returns a list; return a tuple"),
        (Pair, [1, 2], "several returns a list; return a tuple"),
        (Residue, ((1, 2),), "computes with integers, not with a tuple"),
        (Pair, ([1], 2), "computes with integers, not with a list"),
        (Residue, {1: 2}, "computes with integers, not with a dict"),
        (Pair, (1, True), "several returns a bool, which is no integer"),
        (Residue, None, "computes with integers, not with a NoneType"),
    ],
)
def test_a_kernel_returns_as_many_integers_as_it_says(
    hint: object, returned: object, says: str
) -> None:
    def several(f: Field, x: Residue) -> object:
        return returned

    several.__annotations__.update(x=Residue, **{"return": hint})
    made = kernel("several")(cast(Any, several))
    for use in (made.expression, lambda f: made.run(f, 3)):
        with pytest.raises(LanguageError, match=says):
            use(SMALL)


def test_a_condition_is_not_a_number() -> None:
    condition = ranged(-1, 1) < 0
    assert isinstance(condition, Condition)
    for wrong in (lambda: bool(condition), lambda: 1 if condition else 2):
        with pytest.raises(LanguageError, match="select"):
            wrong()  # type: ignore[no-untyped-call]


# Running on Python's integers


@pytest.mark.parametrize("k", KERNELS, ids=lambda k: f"{k.operation}-{k.algorithm}")
def test_an_operand_out_of_range_is_an_error(k: Kernel) -> None:
    for f in (SMALL, named_field("secp256k1-p"), named_field("bls12-381-p", 32)):
        R = 1 << f.word * f.n
        largest = {"redc": f.p * R - 1, "sum_of_products": (f.p - 1) * (R + 1)}
        highest = [largest.get(k.operation, f.p - 1)] * len(k.operands)
        assert k.run(f, *highest) % f.p == expected(k.operation, f, *highest)
        for i, (name, bound) in enumerate(k.operands):
            for wrong in (-1, highest[i] + 1, 1 << 2000):
                limits = bound.says if wrong > 0 else bound.says.replace("<", ">= 0 and <")
                says = re.escape(f"{k.operation}: {name} must be {limits}, not")
                values = [*highest[:i], wrong, *highest[i + 1 :]]
                with pytest.raises(LanguageError, match=says) as e:
                    k.run(f, *values)
                assert "\n" not in str(e.value)


def test_contracts_of_the_operands() -> None:
    f = named_field("bls12-381-p")
    redc = choose(f, "redc")
    assert redc.inputs[0].high == f.p * 2**384 - 1
    assert [bound.limbs(f) for _, bound in redc.kernel.operands] == [12]
    assert {bound.says for k in KERNELS for _, bound in k.operands} == {
        "< p",
        "< p*R",
        "two values < p",
    }

    @kernel("mixed")
    def mixed(f: Field, x: Wide, y: Residue) -> Residue:
        return y

    assert [(n, bound.limbs(f)) for n, bound in mixed.operands] == [("x", 12), ("y", 6)]
    assert isinstance(mixed.expression(f), Expression)
    assert mixed.run(f, 5, 7) == 7
