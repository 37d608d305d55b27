"""Parts of towers in double width: products that are not reduced, their sums, and one reduction.

D. F. Aranha, K. Karabina, P. Longa, C. H. Gebotys, J. López, "Faster explicit formulas for
computing pairings over ordinary curves" (2011), 3. Here sums of wide numbers need no corrections:
they are integers modulo R^2, and exact, because what they mean is far from R^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from fieldc.algorithms.montgomery import reduction
from fieldc.algorithms.reduction import subtract_once
from fieldc.field import Field
from fieldc.language import Kernel, Number, Pair, limbs
from fieldc.operations import WIDE_SUMS, fp2_mul_wide, redc_lazy, wide_sum
from fieldc.polynomial_bounds import tighten

MULTIPLE = 2
"""The reduction takes numbers below so many times p*R."""


def whole_product(f: Field, x: Number, y: Number) -> Number:
    """x*y, of 2n limbs; row by row."""
    t: Number = 0
    for i, y_i in enumerate(limbs(f, y)):
        t = t + (x * y_i << f.word * i)
    return tighten(t)


def _multiply(f: Field, x: Pair, y: Pair) -> Pair:
    """x*y with u^2 = -1, by three products: Karatsuba (1962); modulo R^2."""
    low, high = whole_product(f, x[0], y[0]), whole_product(f, x[1], y[1])
    both = whole_product(f, x[0] + x[1], y[0] + y[1])
    return _modulo(f, low - high), _modulo(f, both - low - high)


def _modulo(f: Field, x: Number) -> Number:
    return x % (f.R * f.R)


def _redc(f: Field, x: Number) -> Number:
    """x/R mod p for x < 2*p*R: clear the low half limb by limb, add the high half.

    Montgomery (1985), REDC. The sum is below 3p: two subtractions, of p, not of constants more.
    """
    t = reduction(f, x)
    for _ in range(MULTIPLE):
        t = subtract_once(t, f.p)
    return t


def _sums() -> Iterator[Kernel]:
    """The sums of wide numbers, what is added first."""
    for plus, minus in WIDE_SUMS:
        operation = wide_sum(plus, minus)

        def total(f: Field, *values: Number, plus: int = plus) -> Number:
            t: Number = 0
            for i, value in enumerate(values):
                t = t + value if i < plus else t - value
            return _modulo(f, t)

        total.__doc__ = f"{operation.says}."
        yield Kernel(operation, "words", total)


MULTIPLY = Kernel(
    fp2_mul_wide(lazy=3),
    "karatsuba",
    cast(Callable[..., Number], _multiply),  # of two values
)
REDUCE = Kernel(redc_lazy(lazy=MULTIPLE - 1), "redc", _redc)
SUMS = tuple(_sums())
TOWERS = (MULTIPLY, REDUCE, *SUMS)
