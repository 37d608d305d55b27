"""Products in lanes for short primes: a lane's word of 64 bits holds every number whole.

Factors have at most 32 bits, so that one instruction multiplies them. Nothing is cut into digits
and no word overflows.
"""

from __future__ import annotations

from functools import lru_cache

from fieldc.algorithms.reduction import fold_limb
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number

HALF_BITS = 32
"""Bits of a factor: half a lane."""
WORD_BITS = 64


@lru_cache(maxsize=64)
def in_halves(f: Field) -> Field:
    """The same modulus in one word of 32 bits. Its products and q*p together fit 64 bits.

    Raises DoesNotApply for a modulus of 32 bits or more, and for a field in digits.
    """
    if f.word != WORD_BITS or f.bits >= HALF_BITS:
        raise DoesNotApply(f"words in lanes take a modulus below 2^31 in limbs, not {f.label}")
    return Field(f.p, HALF_BITS, f.name, 1)


def product_in_words(f: Field, x: Number, y: Number) -> Number:
    """x*y/R mod p for R = 2^64, below 2p: one half by a constant, the other by a quotient."""
    half = in_halves(f)
    t = fold_limb(half, x * y)
    q = t % half.base * half.n0 % half.base
    return (t + q * half.p) >> half.word


def is_in_words(f: Field, kernel: Kernel) -> bool:
    """Whether a kernel's numbers are whole words: sums where p has a spare bit, these products."""
    is_sum = kernel.operation in ("add", "sub", "neg", "double")
    return f.word == WORD_BITS and f.bits < WORD_BITS and (is_sum or kernel.algorithm == "words")
