"""Arithmetic in lanes for primes of one word: every number is a word of 64 bits, or two of them.

One instruction multiplies factors of 32 bits. Nothing is cut into digits of 52 bits. A flag says
that a sum is above 2^64, or that a difference is negative.
"""

from __future__ import annotations

from functools import lru_cache

from fieldc.algorithms.reduction import drop_limb, fold_limb, subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number
from fieldc.polynomial_bounds import tighten

HALF_BITS = 32
"""Bits of a factor: half a lane."""
WORD_BITS = 64
HALF, WORD = 1 << HALF_BITS, 1 << WORD_BITS
GOLDILOCKS = WORD - HALF + 1
MERSENNE_BITS = 61
MERSENNE = (1 << MERSENNE_BITS) - 1


def sum_in_words(f: Field, x: Number, y: Number) -> Number:
    """x + y mod p; without a spare bit as x - (p - y), since no word holds x + y."""
    _check_word(f)
    if f.bits < f.word:
        return subtract_once(x + y, f.p)
    d = x - (f.p - y)
    return d + (d < 0) * f.p


def product_in_words(f: Field, x: Number, y: Number) -> Number:
    """x*y/R mod p: primes below 2^31, and for R = 2^64 Goldilocks and 2^61 - 1.

    Raises DoesNotApply for other primes, and for a field in digits.
    """
    if f.word == WORD_BITS and f.p in SHAPES:
        return SHAPES[f.p](f, *_whole_product(x, y))
    if f.word == HALF_BITS:
        check_halves(f)
        return subtract_once(drop_limb(f, x * y), f.p)
    half = in_halves(f)
    t = fold_limb(half, x * y)
    q = t % HALF * half.n0 % HALF
    return subtract_once((t + q * f.p) >> HALF_BITS, f.p)


@lru_cache(maxsize=64)
def in_halves(f: Field) -> Field:
    """The same modulus in one word of 32 bits. Its products and q*p together fit 64 bits.

    Raises DoesNotApply for a modulus of 32 bits or more, and for a field in digits.
    """
    if f.word != WORD_BITS or f.bits >= HALF_BITS:
        what = "a modulus below 2^31, 2^61 - 1 or 2^64 - 2^32 + 1, in limbs"
        raise DoesNotApply(f"products of words in lanes take {what}, not {f.short}")
    return Field(f.p, HALF_BITS, f.name, 1)


def _whole_product(x: Number, y: Number) -> tuple[Number, Number]:
    """(low, high) with low + high*2^64 = x*y: no sum of halves is above 2^64."""
    (x0, x1), (y0, y1) = ((each % HALF, each >> HALF_BITS) for each in (x, y))
    least = x0 * y0
    first = x1 * y0 + (least >> HALF_BITS)
    second = y1 * x0 + first % HALF
    low = (second % HALF << HALF_BITS) + least % HALF
    return low, tighten(x1 * y1 + (first >> HALF_BITS) + (second >> HALF_BITS))


def _goldilocks(f: Field, low: Number, high: Number) -> Number:
    """(low + high*2^64)/2^64 mod p for p = 2^64 - 2^32 + 1: sums alone.

    With a = low/p mod 2^64 = low + low*2^32 mod 2^64, that is high less the high half of a*p, which
    is a - (a >> 32) - carry.
    """
    total = low + (low % HALF << HALF_BITS)
    a, carry = total % WORD, total >> WORD_BITS
    d = high + carry - tighten(a - (a >> HALF_BITS))
    return d + (d < 0) * f.p


def _mersenne(f: Field, low: Number, high: Number) -> Number:
    """(low + high*2^64)/2^64 mod p for p = 2^61 - 1: low/2^64 = low/8, a rotation."""
    spare = WORD_BITS - MERSENNE_BITS
    turned = (low >> spare) + (low % (1 << spare) << MERSENNE_BITS - spare)
    t = high + turned
    return subtract_once((t >> MERSENNE_BITS) + t % (1 << MERSENNE_BITS), f.p)


SHAPES = {GOLDILOCKS: _goldilocks, MERSENNE: _mersenne}
"""Longer primes, whose products are reduced by sums."""


def check_halves(f: Field) -> None:
    """Raise DoesNotApply unless elements of 32 bits have a spare bit."""
    if f.word == HALF_BITS and f.bits >= HALF_BITS:
        raise DoesNotApply(f"arrays of 32-bit words take a modulus below 2^31, not {f.short}")


def _check_word(f: Field) -> None:
    check_halves(f)
    if f.word not in (HALF_BITS, WORD_BITS) or f.n > 1:
        raise DoesNotApply(f"words in lanes take a modulus of one limb, not {f.short}")


def is_in_words(f: Field, kernel: Kernel) -> bool:
    """Whether a kernel's numbers are words: differences, and what `words` is the algorithm of."""
    if f.word not in (HALF_BITS, WORD_BITS) or f.n > 1:
        return False
    return kernel.algorithm == "words" or kernel.operation in ("sub", "neg")
