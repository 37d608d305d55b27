"""Sums of products with one reduction: one row of each product, then one of the reduction."""

from __future__ import annotations

from collections.abc import Callable

from fieldc.algorithms.reduction import drop_limb, fold_limb, subtract_once
from fieldc.field import Field
from fieldc.language import Number, Pair, Residue, kernel, limbs


def sum_by_rows(f: Field, x: Pair, y: Pair, reduce: Callable[[Field, Number], Number]) -> Number:
    """The sum before its last subtraction; `reduce` divides by the radix until the last limb."""
    *lower, last = zip(limbs(f, y[0]), limbs(f, y[1]), strict=True)
    t: Number = 0
    for a, b in lower:
        t = reduce(f, t + x[0] * a + x[1] * b)
    return drop_limb(f, t + x[0] * last[0] + x[1] * last[1])


@kernel("sum_of_products", "log-jump")
def sum_log_jump(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p with constant rows of mu and one quotient; 3n^2 + 1."""
    return subtract_once(sum_by_rows(f, x, y, fold_limb), f.p)


@kernel("sum_of_products", "cios")
def sum_cios(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p: rows of both products, a row of the reduction; 3n^2 + n.

    One reduction for a sum: Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit formulas for
    computing pairings over ordinary curves" (2011), 3; here rows alternate as in multiply.
    """
    return subtract_once(sum_by_rows(f, x, y, drop_limb), f.p)


@kernel("sum_of_products", "two-subtractions")
def sum_without_spare_bits(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p as by cios, where the sum may reach 3p."""
    t = subtract_once(sum_by_rows(f, x, y, drop_limb), f.p)
    return subtract_once(t, f.p)
