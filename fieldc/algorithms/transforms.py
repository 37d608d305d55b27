"""Transforms in digits: values stay in digits from level to level, below a multiple of p.

A transform is linear in its values. So their digits keep R = 2^(64n), and are what the limbs are,
cut at other places. Roots of unity are in limbs, or in rows: a row for each digit that they
multiply.

A butterfly adds to x, and multiplies y. So only y must be in digits below 2^52: the carries of x
can wait. Where the next step only adds to results, they stay in loose digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from fieldc.algorithms.lanes import (
    DIGIT_BITS,
    LOOSE_BITS,
    cut,
    divide,
    excess,
    in_lanes,
    less_by_top,
    multiplied,
    reduced,
    spare,
    to_digits,
)
from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Expression, Kernel, Number
from fieldc.operands import Range, lazily, loosely, plain_integer, residues
from fieldc.operations import Operation
from fieldc.polynomial_bounds import tighten

CHAINED, LOOKED_UP = "next_power", "move_up"
"""What brings powers of roots: each comes from one before it, or is looked up in a table."""
LOOSE = "step_loose"
"""The step to whose results the next one only adds. Some moduli have none."""
ROLES = (
    *("enter", LOOKED_UP, "times", CHAINED, "leave"),
    *("root", "next_row", "step_one", "step_by", LOOSE),
)
"""The kernels of a transform, of which powers take one of two."""
MOST_LEVELS = 8
"""The levels that values in digits take at most before they are reduced."""
ENTERED = 2
"""What values are below on entry, in p."""
LENDING = 6
"""The fewest bits of p's highest digit with which a multiple of p can lend to lower digits."""
WAITING = LOOSE_BITS - DIGIT_BITS + 1
"""Bits of what waits below a word: the carries of all lower words."""


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
    """The operands in digits that have one element, which serves for all."""


def transform_kernels(f: Field) -> dict[str, TransformKernel]:
    """What a transform of a field of n limbs calls, by name.

    `enter` and `leave` move values from limbs to digits and back. `times` multiplies each by a
    power of a root, and `next_power` such a power by its root in rows. A power from a table enters
    as values do, and then `move_up` brings values to digits. `step_by` is a butterfly
    with one root for all elements, in rows, and `step_loose` the same where carries wait. `root`
    gives the last row, the root where R is 2^(52D), and `next_row` each one before it. `step_one`
    is a butterfly with the root 1. Raises NoDigits.
    """
    digits, lazy = in_lanes(f), loose_of(f)
    steps = [_by_rows(digits.n, lazy)] + [_loosely_by_rows(digits.n, lazy)] * has_loose(f)
    made = (
        TransformKernel(cut.expression(f), (), digits),
        TransformKernel(_move_up(f), (), digits),
        TransformKernel(_times(f), (), digits),
        TransformKernel(_next_power(digits.n).expression(digits), (), digits),
        TransformKernel(_leave(f, _carried(digits.n, lazy)), ("x",), f),
        TransformKernel(_root(f), (), digits),
        TransformKernel(next_row.expression(digits), (), digits),
        TransformKernel(_by_one(digits.n).expression(digits), (), digits),
        *(TransformKernel(step.expression(digits), (), digits, ("w",)) for step in steps),
    )
    return dict(zip(ROLES if has_loose(f) else ROLES[:-1], made, strict=True))


@lru_cache(maxsize=64)
def lazy_of(f: Field) -> int:
    """k where values between the levels of a transform are below (k + 1)*p.

    A product with rows is below (D + 1)*p for D digits. Raises NoDigits.
    """
    if f.n < 2:
        raise NoDigits(f"transforms in digits take a modulus above 2^64, not {f.short}")
    if f.bits % DIGIT_BITS == 0:
        raise NoDigits(f"a modulus of {f.bits} bits fills its digits, for {f.short}")
    digits = in_lanes(f)
    lazy = 2 * (digits.n + 1)
    if (lazy + 1) * f.p <= digits.R:
        try:
            _times(f)
            return lazy
        except BoundError:
            pass
    raise NoDigits(f"digits have too little room for the values of a transform, for {f.short}")


def loose_of(f: Field) -> int:
    """k where values with waiting carries are below (k + 1)*p: after as many levels as there are.

    Or lazy_of(f), where what is left of them after a step is more than digits hold, or where p's
    highest digit has nothing to lend.
    """
    digits = in_lanes(f)
    most = ENTERED + (MOST_LEVELS - 1) * (digits.n + 2) - 1
    fits = (_carried(digits.n, most) + 1) * f.p <= digits.R
    lends = (f.bits - 1) % DIGIT_BITS + 1 >= LENDING
    return most if fits and lends else lazy_of(f)


def has_loose(f: Field) -> bool:
    """Whether carries may wait from level to level."""
    return loose_of(f) > lazy_of(f)


def _carried(count: int, lazy: int) -> int:
    """k where results of the step by rows are below (k + 1)*p, for x below (lazy + 1)*p."""
    return lazy - lazy // 2 + count + 1


def _by_rows(count: int, lazy: int) -> Kernel:
    """The step with a root in as many rows as there are digits, row i for digit i."""

    def text(
        f: Field, x: Number, y: tuple[Number, ...], w: tuple[Number, ...]
    ) -> tuple[Number, Number]:
        """x + t and x - t, not reduced; from a large x about half of the most is taken first."""
        t = drop_limb(f, _sum_of_rows(y, w))
        return _both(f, less_by_top(f, x, lazy // 2 * f.p, WAITING), t, (count + 1) * f.p)

    return _step("butterfly_rows", text, count, lazy, lazily(2, _carried(count, lazy)))


def _loosely_by_rows(count: int, lazy: int) -> Kernel:
    """The same for results below (lazy + 1)*p, whose carries wait."""
    before = lazy - count - 2

    def text(
        f: Field, x: Number, y: tuple[Number, ...], w: tuple[Number, ...]
    ) -> tuple[Number, Number]:
        """x + t and x - t, not reduced; p more than t may be, so that no digit is negative."""
        return _both(f, x, drop_limb(f, _sum_of_rows(y, w)), (count + 2) * f.p)

    return _step("butterfly_loose", text, count, before, loosely(2, lazy))


def _step(
    family: str, text: Callable[..., tuple[Number, Number]], count: int, lazy: int, results: Range
) -> Kernel:
    """A butterfly by rows, for x in loose digits: t = (sum of y_i*w_i)/2^52.

    A digit times a row is below 2^52*p, so t is below (D + 1)*p: rows have done what the
    reduction of a product does, and one digit is left to drop.
    """

    def compute(f: Field, x: int, y: tuple[int, ...], w: tuple[int, ...]) -> tuple[int, int]:
        t = sum(y_i * w_i for y_i, w_i in zip(y, w, strict=True)) * f.mu
        return x + t, x - t

    digits = plain_integer(DIGIT_BITS, count=count)
    computes = Operation(
        family,
        (("x", loosely(1, lazy)), ("y", digits), ("w", residues(count))),
        results,
        "x + t, x - t mod p for t = (y0*w0 + y1*w1 + ...)/2^52",
        compute,
        {"lazy": lazy},
    )
    return Kernel(computes, "rows", cast(Callable[..., Number], text))


def _sum_of_rows(digits: tuple[Number, ...], rows: tuple[Number, ...]) -> Number:
    """Each digit times its row."""
    total: Number = 0
    for digit, row in zip(digits, rows, strict=True):
        total = total + digit * row
    return total


def _next_power(count: int) -> Kernel:
    """Products with a root for each element, in rows."""

    def text(f: Field, x: tuple[Number, ...], w: tuple[Number, ...]) -> Number:
        """(sum of x_i*w_i)/2^52, below (D + 1)*p."""
        return drop_limb(f, _sum_of_rows(x, w))

    computes = Operation(
        "mul_rows",
        (("x", plain_integer(DIGIT_BITS, count=count)), ("w", residues(count))),
        lazily(1, count),
        "(x0*w0 + x1*w1 + ...)/2^52 mod p",
        lambda f, x, w: sum(x_i * w_i for x_i, w_i in zip(x, w, strict=True)) * f.mu,
        {"lazy": count},
    )
    return Kernel(computes, "rows", cast(Callable[..., Number], text))


def _both(f: Field, x: Number, t: Number, most: int) -> tuple[Number, Number]:
    """x + t and x - t for t of at most so much, a multiple of p."""
    return t + x, (most - t) + x


def _by_one(count: int) -> Kernel:
    """The step with the root 1, for values of which the step by rows takes twice as large ones."""
    lazy = 2 * (count + 1)

    def text(f: Field, x: Number, y: Number) -> tuple[Number, Number]:
        """x + y and x - y, not reduced."""
        return x + y, x + (lazy // 2 * f.p - y)

    below = lazily(1, lazy // 2 - 1)
    computes = Operation(
        "butterfly_one",
        (("x", below), ("y", below)),
        lazily(2, lazy),
        "x + y, x - y mod p",
        lambda f, x, y: (x + y, x - y),
        {"lazy": lazy},
    )
    return Kernel(computes, "lanes", cast(Callable[..., Number], text))


def _times(f: Field) -> Expression:
    """Products of residues with what `move_up` gives, or `next_power`, which gives less."""
    computes = Operation(
        "mul_into",
        (("x", residues(1)), ("w", _moved_up(f))),
        lazily(1),
        "x*w/R mod p",
        lambda f, x, w: x * w * f.R_inverse,
        {"lazy": 1},
    )
    return Kernel(computes, "lanes", lambda f, x, w: divide(f, x * w)).expression(in_lanes(f))


def _moved_up(f: Field) -> Range:
    """Residues of limbs times 2^excess."""
    return lazily(1, (1 << excess(f)) - 1)


def _move_up(f: Field) -> Expression:
    """x*2^excess in digits, which is not reduced."""
    by = excess(f)
    says, meaning = f"x*2^{by}", cast(Callable[..., int], lambda f, x: x << by)
    computes = Operation("move_up", (("x", residues(1)),), _moved_up(f), says, meaning, {})
    return Kernel(computes, "lanes", lambda f, x: x << by).expression(f)


def _root(f: Field) -> Expression:
    """The same element in digits, where R is 2^(52D): the last row."""
    return multiplied(1 << spare(f), to_digits.function).expression(f)


def _drop_one(f: Field, x: Number) -> Number:
    return subtract_once(drop_limb(f, x), f.p)


next_row = Kernel(
    Operation(
        "drop_digit", (("x", residues(1)),), residues(1), "x/2^52 mod p", lambda f, x: x * f.mu
    ),
    "lanes",
    _drop_one,
)
"""The row before one."""


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
