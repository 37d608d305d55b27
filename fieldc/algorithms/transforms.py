"""Transforms in digits: values stay in digits from level to level, below a multiple of p.

A transform is linear in its values. So their digits keep R = 2^(64n), and are what the limbs are,
cut at other places. Roots of unity are in limbs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from fieldc.algorithms.lanes import (
    DIGIT_BITS,
    butterfly_below,
    butterfly_lazy,
    cut,
    in_lanes,
    multiplied,
    reduced,
    spare,
    to_digits,
)
from fieldc.algorithms.reduction import subtract_once
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Expression, Number
from fieldc.polynomial_bounds import tighten

MOST_LAZY = 32
"""Values are below (k + 1)*p for an even k up to this."""

ROLES = ("enter", "leave", "root", "step", "step_by")
"""The kernels of a transform."""


class NoDigits(UserError, LookupError):
    """A modulus whose values cannot stay in digits between the levels of a transform."""


@dataclass(frozen=True)
class TransformKernel:
    """One of the kernels of a transform, on elements in limbs and in digits."""

    expression: Expression
    in_digits: tuple[str, ...]
    """The operands in digits; the others are in limbs."""
    result: Field
    """Of the words of the results."""
    shared: tuple[str, ...] = ()
    """The operands in digits of which one block of eight elements serves for all."""


def transform_kernels(f: Field) -> dict[str, TransformKernel]:
    """What a transform of a field of n limbs calls, by name.

    `enter` and `leave` move values from limbs to digits and back. `step` has a root in limbs for
    each element. `step_by` has one root for all, which `root` moves to digits: there R is
    2^(52D), and values stay below 5p. Raises NoDigits.
    """
    digits, between = in_lanes(f), step(f)
    lazy = between.kernel.computes.parameters["lazy"]
    entered = TransformKernel(_enter(f), (), digits)
    left = TransformKernel(_leave(f, lazy), ("x",), f)
    root = TransformKernel(_root(f), (), digits)
    step_by = TransformKernel(butterfly_lazy.expression(digits), (), digits, ("w",))
    made = entered, left, root, TransformKernel(between, ("x", "y"), digits), step_by
    return dict(zip(ROLES, made, strict=True))


@lru_cache(maxsize=64)
def step(f: Field) -> Expression:
    """x + y*w/R and x - y*w/R for x and y below the least (k + 1)*p at which results stay.

    Raises NoDigits: the closer p is to R, the larger is k.
    """
    if f.n < 2:
        raise NoDigits(f"transforms in digits take a modulus above 2^64, not {f.short}")
    if f.bits % DIGIT_BITS == 0:
        raise NoDigits(f"a modulus of {f.bits} bits fills its digits, for {f.short}")
    for lazy in range(4, MOST_LAZY + 1, 2):
        if (lazy + 1) * f.p > in_lanes(f).R:
            break
        try:
            return butterfly_below(lazy).expression(f)
        except BoundError:
            continue
    raise NoDigits(f"digits have too little room for the values of a transform, for {f.short}")


def _enter(f: Field) -> Expression:
    """The same number in digits."""
    return cut.expression(f)


def _root(f: Field) -> Expression:
    """The same element in digits, where R is 2^(52D)."""
    return multiplied(1 << spare(f), to_digits.function).expression(f)


def _leave(f: Field, lazy: int) -> Expression:
    """x mod p for x below (lazy + 1)*p: a digit tells x/p, or 1 less; or else comparisons do."""

    def by_quotient(f: Field, x: Number) -> Number:
        place = _highest_place(f)
        q = (x >> place) * ((1 << place + DIGIT_BITS) // f.p) >> DIGIT_BITS
        return subtract_once(tighten(x - q * f.p), f.p)

    def by_comparisons(f: Field, x: Number) -> Number:
        for i in reversed(range(lazy.bit_length())):
            x = subtract_once(x, f.p << i)
        return x

    fits = (lazy + 1) * f.p >> _highest_place(f) < 1 << DIGIT_BITS
    text = by_quotient if fits else by_comparisons
    return reduced(lazy, cast(Callable[..., Number], text)).expression(f)


def _highest_place(f: Field) -> int:
    """Where the highest digit begins in which p has two bits or more."""
    return DIGIT_BITS * ((f.bits - 2) // DIGIT_BITS)
