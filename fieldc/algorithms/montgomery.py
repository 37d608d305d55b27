"""Montgomery multiplication and reduction. R = 2^(w*n); x*y means x*y/R mod p."""

from __future__ import annotations

from fieldc.algorithms.addition import either, has_spare_bit
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
from fieldc.integers import with_bounds
from fieldc.language import DoesNotApply, Integer, Number, Residue, Wide, kernel, limbs


@kernel("mul", "cios")
def multiply(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: a row of the product, a row of the reduction, drop a limb; 2n^2 + n products.

    Koc, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms" (1996), 5.
    """
    t: Number = 0
    for y_i in limbs(f, y):
        t = drop_limb(f, t + x * y_i)
    return subtract_once(t, f.p)


@kernel("mul", "log-jump")
def multiply_log_jump(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p with constant rows of mu and one quotient at the end; 2n^2 + 1 products.

    Domb, "Barrett-Montgomery", hackmd.io/@Ingonyama/Barret-Montgomery.
    """
    *lower, last = limbs(f, y)
    t: Number = 0
    for y_i in lower:
        t = fold_limb(f, t + x * y_i)
    t = drop_limb(f, t + x * last)
    return subtract_once(t, f.p)


@kernel("mul", "log-jump-complement")
def multiply_complement(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p as by log-jump, with rows of p - mu and complements; 2n^2 + 1 products.

    For mu near p: of any prime with a spare bit mu or p - mu is small enough.
    """
    *lower, last = limbs(f, y)
    t: Number = 0
    for y_i in lower:
        t = fold_complement(f, t + x * y_i)
    # The constant waits with the last row, where no carry of t runs through it.
    t = drop_limb(f, t + (x * last + f.fold_rest))
    return subtract_once(t, f.p)


@kernel("mul", "near-radix")
def multiply_near_radix(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p as by cios, for p = R - c with c of one limb: n^2 + 2n products."""
    t: Number = 0
    for y_i in limbs(f, y):
        t = drop_limb_near(f, t + x * y_i)
    return subtract_once(t, f.p)


@kernel("mul", "last-difference")
def multiply_last_difference(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p as by cios, but the last row of p is subtracted, and p added if that borrows."""
    *lower, last = limbs(f, y)
    t: Number = 0
    for y_i in lower:
        t = drop_limb(f, t + x * y_i)
    return last_difference(f, t + x * last)


def last_difference(f: Field, t: Number) -> Number:
    """t / 2^w mod p for t / 2^w below p: less the row of p that clears the lowest limb.

    The lowest limbs of t and q*p are equal. So the last difference is that of the row, not one of p
    that waits for it.
    """
    if not has_spare_bit(f):
        raise DoesNotApply(f"last-difference needs a spare bit, so that 2p < R, not {f.short}")
    q = t % f.base * f.p_inverse % f.base
    high = t >> f.word
    if isinstance(high, Integer) and 0 < high.high < f.p:
        high = with_bounds(high, (0, f.p - 1))  # n limbs, for the sign of what follows
    return either(high - (q * f.p >> f.word), f.p)


def reduction(f: Field, x: Number, drop: Reduction = drop_limb, quotients: int = 0) -> Number:
    """x/R modulo p: clear the low half limb by limb, then add the high half.

    Montgomery (1985), REDC; the high half waits so that no carry runs through it. `drop` clears a
    limb, a quotient each of so many last ones.
    """
    t: Number = x % f.R
    for i in range(f.n):
        t = drop(f, t) if i < f.n - quotients else drop_limb(f, t)
    return t + (x >> f.word * f.n)


@kernel("redc")
def redc(f: Field, x: Wide) -> Residue:
    """x/R mod p for x < p*R: clear the low half limb by limb, then add the high half.

    Montgomery (1985), REDC.
    """
    return subtract_once(reduction(f, x), f.p)


@kernel("to_montgomery")
def to_montgomery(f: Field, x: Residue) -> Residue:
    """x*R mod p, as the Montgomery product of x and R^2."""
    return subtract_once(product(f, x, f.R2, drop_limb), f.p)


@kernel("from_montgomery")
def from_montgomery(f: Field, x: Residue) -> Residue:
    """x/R mod p, as the Montgomery product of x and 1."""
    return subtract_once(product(f, x, 1, drop_limb), f.p)
