"""Sums of products with one reduction: a row of each product, then one of the reduction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fieldc.algorithms.reduction import (
    Reduction,
    drop_limb,
    fold_limb,
    subtract_all,
    subtract_once,
)
from fieldc.field import Field
from fieldc.language import Kernel, Number, Pair, Residue, kernel, limbs
from fieldc.operations import MOST_TERMS, sum_of_products


def sum_of(
    f: Field, x: Sequence[Number], y: Sequence[Number], reduce: Reduction, quotients: int = 1
) -> Number:
    """(x[0]*y[0] + x[1]*y[1] + ...)/R modulo p.

    Quotients drop so many last limbs, `reduce` the others.
    """
    t: Number = 0
    for i, column in enumerate(zip(*(limbs(f, value) for value in y), strict=True)):
        t = _with_rows(t, x, column)
        t = reduce(f, t) if i < f.n - quotients else drop_limb(f, t)
    return t


def product(f: Field, x: Number, y: Number, reduce: Reduction) -> Number:
    """x*y/R modulo p: the sum of one product."""
    return sum_of(f, (x,), (y,), reduce)


def _with_rows(t: Number, x: Sequence[Number], column: Sequence[Number]) -> Number:
    for row, limb in zip(x, column, strict=True):
        t = t + row * limb
    return t


@kernel("sum_of_products", "log-jump")
def sum_log_jump(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p with constant rows of mu and one quotient; 3n^2 + 1."""
    return subtract_once(sum_of(f, x, y, fold_limb), f.p)


@kernel("sum_of_products", "cios")
def sum_cios(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p: rows of both products, a row of the reduction; 3n^2 + n.

    One reduction for a sum: Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit formulas for
    computing pairings over ordinary curves" (2011), 3; here rows alternate as in multiply.
    """
    return subtract_once(sum_of(f, x, y, drop_limb), f.p)


@kernel("sum_of_products", "two-subtractions")
def sum_without_spare_bits(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p as by cios, where the sum may reach 3p."""
    t = subtract_once(sum_of(f, x, y, drop_limb), f.p)
    return subtract_once(t, f.p)


def _sums(count: int) -> Iterator[Kernel]:
    """Return the kernels for `count` products, with as many subtractions as the bounds need."""

    def log_jump(f: Field, x: Sequence[Number], y: Sequence[Number]) -> Number:
        return subtract_once(sum_of(f, x, y, fold_limb), f.p)

    def cios(f: Field, x: Sequence[Number], y: Sequence[Number]) -> Number:
        return subtract_once(sum_of(f, x, y, drop_limb), f.p)

    def subtractions(f: Field, x: Sequence[Number], y: Sequence[Number]) -> Number:
        return subtract_all(sum_of(f, x, y, drop_limb), f.p)

    what = f"The sum of {count} products, /R mod p"
    functions: dict[str, tuple[Callable[..., Number], str]] = {
        "log-jump": (log_jump, f"with constant rows of mu; {count + 1}n^2 + 1."),
        "cios": (cios, f"with a row of the reduction for each limb; {count + 1}n^2 + n."),
        "subtractions": (subtractions, "as by cios, and subtractions of ..., 2p, p by its bound."),
    }
    for algorithm, (function, how) in functions.items():
        function.__doc__ = f"{what}, {how}"
        yield Kernel(sum_of_products(count), algorithm, function)


SUMS = tuple(k for count in range(3, MOST_TERMS + 1) for k in _sums(count))


def _negated(f: Field, x: Pair) -> Pair:
    """p minus the second value, p for 0: one subtraction instead of one for each limb."""
    return x[0], f.p - x[1]


@kernel("difference_of_products", "log-jump")
def difference_log_jump(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + (p - x[1])*y[1])/R mod p with constant rows of mu; 3n^2 + 1."""
    return subtract_once(sum_of(f, _negated(f, x), y, fold_limb), f.p)


@kernel("difference_of_products", "cios")
def difference_cios(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + (p - x[1])*y[1])/R mod p with a row of the reduction for each limb; 3n^2 + n."""
    return subtract_once(sum_of(f, _negated(f, x), y, drop_limb), f.p)


@kernel("difference_of_products", "subtractions")
def difference_without_spare_bits(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + (p - x[1])*y[1])/R mod p as by cios, as many subtractions as bounds ask."""
    return subtract_all(sum_of(f, _negated(f, x), y, drop_limb), f.p)


DIFFERENCES = (difference_log_jump, difference_cios, difference_without_spare_bits)


@kernel("mul_add", "log-jump")
def multiply_add_log_jump(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p with constant rows of mu; a is added before p is subtracted; 2n^2 + 1."""
    return subtract_all(product(f, x, y, fold_limb) + a, f.p)


@kernel("mul_add", "cios")
def multiply_add_cios(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p with a row of the reduction for each limb; a is added before p is subtracted.

    The product is below p + p^2/R, so two subtractions are enough; 2n^2 + n products.
    """
    return subtract_all(product(f, x, y, drop_limb) + a, f.p)


MULTIPLY_ADD = (multiply_add_log_jump, multiply_add_cios)
