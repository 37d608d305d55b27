"""Shapes of primes: what of a prime's form saves work, found from the number."""

from __future__ import annotations

from fieldc.field import Field
from fieldc.language import DoesNotApply


def complement_of_power(f: Field) -> int:
    """c where p = 2^k - c, k the bits of p and c of one limb and of less than half of p's bits.

    Raises DoesNotApply for other primes.
    """
    c = (1 << f.bits) - f.p
    if c >= f.base or c * c >= 1 << f.bits:
        raise DoesNotApply(f"pseudo-mersenne needs p = 2^k - c with c of one limb, not {f.label}")
    return c
