"""Products by half limbs: every factor is below 2^(w/2), so that a product is one word.

For processors that multiply halves of words faster than whole ones: Neoverse N1's multiplier starts
a product of 32 bits each cycle, and is busy for three cycles with each half of a product of 64.
"""

from __future__ import annotations

from fieldc.algorithms.reduction import subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import joined, tighten

Aligned = tuple[Number, Number]
"""even + odd * 2^(w/2): sums of products that begin at a limb, and in the middle of one."""


@kernel("mul", "half-limbs")
def multiply_half_limbs(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: a row of the product and one of the reduction for each half limb of y."""
    even, odd = _digits(f, x)
    t: Aligned = (0, 0)
    for y_i in _in_turn(f, y):
        t = _drop_half_limb(f, (t[0] + even * y_i, t[1] + odd * y_i))
    return _whole(f, t)


@kernel("square", "half-limbs")
def square_half_limbs(f: Field, x: Residue) -> Residue:
    """x*x/R mod p: the square by half limbs, then a row for each half limb of the quotient."""
    even, odd = _square(f, x)
    t = even % f.R, odd % f.R
    for _ in range(2 * f.n):
        t = _drop_half_limb(f, t)
    bits = f.word * f.n
    return _whole(f, (t[0] + (even >> bits), t[1] + (odd >> bits)))


def _digits(f: Field, x: Number) -> Aligned:
    """The lower and the upper halves of the limbs, each half in a limb of its own."""
    if f.word % 2:
        raise DoesNotApply(f"half-limbs needs words of an even number of bits, not of {f.word}")
    half = f.word // 2
    parts = limbs(f, x)
    return joined(f, [part % (1 << half) for part in parts]), joined(f, [p >> half for p in parts])


def _in_turn(f: Field, x: Number) -> list[Number]:
    """The half limbs of a number, lowest first."""
    half = f.word // 2
    return [half_limb for x_i in limbs(f, x) for half_limb in (x_i % (1 << half), x_i >> half)]


def _square(f: Field, x: Number) -> Aligned:
    """x*x: each product of different half limbs once, then doubled."""
    w = f.word
    even, odd = _digits(f, x)
    cross: Number = 0
    squares: Number = 0
    mixed: Number = 0
    for i, (low, high) in enumerate(zip(limbs(f, even), limbs(f, odd), strict=True)):
        cross = cross + (low * (even >> w * (i + 1)) << w * (2 * i + 1))
        cross = cross + (high * (odd >> w * (i + 1)) << w * (2 * i + 2))
        squares = squares + (low * low << 2 * w * i) + (high * high << w * (2 * i + 1))
        mixed = mixed + (low * odd << w * i)
    cross, mixed = tighten(cross), tighten(mixed)
    return tighten(cross + cross + squares), tighten(mixed + mixed)


def _drop_half_limb(f: Field, t: Aligned) -> Aligned:
    """t / 2^(w/2) mod p: even sums become odd ones, since their lower half limb is cleared."""
    half = f.word // 2
    even, odd = t
    p_even, p_odd = _digits(f, f.p)
    q = even % (1 << half) * (f.n0 % (1 << half)) % (1 << half)
    even = even + q * p_even
    return odd + (q * p_odd + (even % f.base >> half)), even >> f.word


def _whole(f: Field, t: Aligned) -> Number:
    """The number, below p."""
    return subtract_once(tighten(t[0] + (t[1] << f.word // 2)), f.p)


HALF_LIMBS = (multiply_half_limbs, square_half_limbs)
