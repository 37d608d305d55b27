"""Squaring: each pair of limbs is multiplied once, n(n + 1)/2 products instead of n^2."""

from __future__ import annotations

from fieldc.algorithms.montgomery import last_difference, reduction
from fieldc.algorithms.products import product
from fieldc.algorithms.reduction import (
    Reduction,
    drop_limb,
    drop_limb_near,
    fold_complement,
    fold_limb,
    subtract_once,
)
from fieldc.field import Field
from fieldc.language import Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import tighten


def square_rows(f: Field, x: Number, doubled: int = 0) -> list[Number]:
    """Yield row i = x_i * (x_i + 2*(the limbs above i)); x^2 = sum of row_i * 2^(w*i).

    Row i starts at limb 2i of the square, so i limbs may be dropped before it is added. The sum is
    2^doubled as much.
    """
    return [
        (x_i << doubled) * (x_i + (2 * (x >> f.word * (i + 1)) << f.word)) << f.word * i
        for i, x_i in enumerate(limbs(f, x))
    ]


def square_product(
    f: Field, x: Number, reduce: Reduction, doubled: int = 0, added: int = 0, quotients: int = 1
) -> Number:
    """2^doubled * x^2 / R modulo p, not reduced: the bounds say how large it may be.

    `reduce` divides by the radix, and quotients at the last limbs; `added` waits with the last row.
    """
    *rows, last = square_rows(f, x, doubled)
    t: Number = 0
    for i, row in enumerate(rows):
        t = reduce(f, t + row) if i < f.n - quotients else drop_limb(f, t + row)
    return drop_limb(f, t + (last + added))


def square_by_rows(
    f: Field, x: Number, reduce: Reduction, doubled: int = 0, added: int = 0
) -> Number:
    """The same mod p, if one subtraction is enough."""
    return subtract_once(square_product(f, x, reduce, doubled, added), f.p)


@kernel("square", "cios")
def square(f: Field, x: Residue) -> Residue:
    """x*x/R mod p: rows of doubled cross products between rows of the reduction."""
    return square_by_rows(f, x, drop_limb)


@kernel("square", "log-jump")
def square_log_jump(f: Field, x: Residue) -> Residue:
    """x*x/R mod p: rows of doubled cross products, constant rows of mu, one quotient at the end."""
    return square_by_rows(f, x, fold_limb)


@kernel("square", "log-jump-complement")
def square_complement(f: Field, x: Residue) -> Residue:
    """x*x/R mod p as by log-jump, with rows of p - mu and complements, for mu near p."""
    return square_by_rows(f, x, fold_complement, added=f.fold_rest)


@kernel("square", "last-difference")
def square_last_difference(f: Field, x: Residue) -> Residue:
    """x*x/R mod p as by cios, but the last row of p is subtracted, and p added if that borrows."""
    *rows, last = square_rows(f, x)
    t: Number = 0
    for row in rows:
        t = drop_limb(f, t + row)
    return last_difference(f, t + last)


@kernel("square", "product")
def square_by_product(f: Field, x: Residue) -> Residue:
    """x*x/R mod p as the product of x with itself, where the bounds of rows are too wide."""
    return subtract_once(product(f, x, x, drop_limb), f.p)


def whole_square(f: Field, x: Number) -> Number:
    """x*x: the products of different limbs, doubled at once, and the squares of limbs.

    Menezes, van Oorschot, Vanstone, "Handbook of applied cryptography" (1996), 14.16, in an order
    without doubled carries.
    """
    w, xs = f.word, limbs(f, x)
    cross: Number = 0
    squares: Number = 0
    for i, x_i in enumerate(xs):
        cross = cross + (x_i * (x >> w * (i + 1)) << w * (2 * i + 1))
        squares = squares + (x_i * x_i << 2 * w * i)
    return tighten(2 * cross + squares)


def plain_square(f: Field, x: Number) -> Number:
    """x*x by n(n + 1)/2 products: of doubled limbs where 2p < R, otherwise doubled afterwards.

    A doubled sum takes additions with carry, 2n of them; doubled limbs take n shifts of two words,
    but a limb more where 2x has one.
    """
    w, xs = f.word, limbs(f, x)
    t: Number = 0
    if f.spare_bits:
        for i, row in enumerate(square_rows(f, x)):
            t = t + (row << w * i)
        return tighten(t)
    squares: Number = 0
    for i, x_i in enumerate(xs):
        t = t + (x_i * (x >> w * (i + 1)) << w * (2 * i + 1))
        squares = squares + (x_i * x_i << 2 * w * i)
    t = tighten(t)
    return tighten(t + t + squares)


@kernel("square", "sos")
def square_sos(f: Field, x: Residue) -> Residue:
    """x*x/R mod p: the whole square, then a row for each quotient."""
    t = whole_square(f, x)
    for _ in range(f.n):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


@kernel("square", "near-radix")
def square_near_radix(f: Field, x: Residue) -> Residue:
    """x*x/R mod p for p = R - c with c of one limb: the whole square, then two products a limb."""
    return subtract_once(reduction(f, whole_square(f, x), drop_limb_near), f.p)
