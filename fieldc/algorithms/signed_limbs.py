"""Montgomery form modulo primes of few powers of two: rows of signed limbs, most of them 0 or 1.

p = a - b, limb by limb. A limb of p, with the carry from below, goes into a as it is. Or its
difference from 2^w goes into b, with a carry of 1. Limbs that are 0 or 1 need no product. The
compiler tries all ways and takes the one with the least work.
"""

from __future__ import annotations

from fieldc.algorithms.montgomery import reduction
from fieldc.algorithms.reduction import subtract_once
from fieldc.algorithms.shapes import signed_row, signed_rows
from fieldc.algorithms.squaring import plain_square
from fieldc.field import Field
from fieldc.language import DoesNotApply, Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import tighten


def check(f: Field) -> None:
    """Raise DoesNotApply where signed limbs do not save a third of the reduction's products."""
    shape = signed_rows(f)
    if not shape.applies:
        raise DoesNotApply(f"signed-limbs saves too little modulo {f.short}: {shape.reason}")


def drop_limb_signed(f: Field, t: Number) -> Number:
    """t / 2^w mod p as by drop_limb: rows of a are added, rows of b subtracted."""
    r, a, b = signed_row(f)
    q = t * f.n0 % f.base
    return tighten((t >> f.word * r) + q * a - q * b) >> f.word * (1 - r)


@kernel("mul", "signed-limbs")
def multiply(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p as by cios, with signed limbs of p."""
    check(f)
    t: Number = 0
    for y_i in limbs(f, y):
        t = drop_limb_signed(f, t + x * y_i)
    return subtract_once(t, f.p)


def signed_square(f: Field, x: Number) -> Number:
    """x*x/R modulo p, not reduced: the whole square, then a row for each limb dropped."""
    check(f)
    return reduction(f, plain_square(f, x), drop_limb_signed)


@kernel("square", "signed-limbs")
def square(f: Field, x: Residue) -> Residue:
    """x*x/R mod p: the whole square, then a row of signed limbs for each limb dropped."""
    return subtract_once(signed_square(f, x), f.p)


SIGNED_LIMBS = (multiply, square)
