"""Karatsuba's product at one level, then Montgomery's reduction."""

from __future__ import annotations

from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Number, Residue, kernel
from fieldc.polynomial_bounds import tighten, tighten_below


@kernel("mul", "karatsuba")
def multiply_karatsuba(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: three products of halves instead of four, then a row for each quotient.

    Karatsuba, Ofman, "Multiplication of many-digital numbers by automatic computers" (1962).
    """
    if f.n == 1:
        raise DoesNotApply("karatsuba takes halves: it needs two limbs")
    bits = f.word * ((f.n + 1) // 2)
    (x0, x1), (y0, y1) = ((a % (1 << bits), a >> bits) for a in (x, y))
    low, high = x0 * y0, x1 * y1
    # Its highest limb is kept, though it is 0: the proof then has no carry that two words share.
    middle = tighten_below(_with_carries(x0 + x1, y0 + y1, bits) - low - high)
    t = tighten(low + (high << 2 * bits) + (middle << bits))
    for _ in range(f.n):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


def _with_carries(x: Number, y: Number, bits: int) -> Number:
    """x*y for factors with one extra bit each: a bit times a number is a selection."""
    (x0, x1), (y0, y1) = ((a % (1 << bits), a >> bits) for a in (x, y))
    cross = (0 - x1 < 0) * y0 + (0 - y1 < 0) * x0
    return x0 * y0 + (cross << bits) + ((0 - x1 < 0) * y1 << 2 * bits)
