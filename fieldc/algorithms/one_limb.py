"""Montgomery's reduction of one limb, as a difference: t/R = (t - q*p)/R with q = t/p mod R.

The low limbs of t and q*p are equal, so the result is the difference of their high limbs. It lies
between -p and p: one conditional sum ends it, and no carry leaves a limb, even of a prime without
a spare bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fieldc.algorithms.addition import either, known
from fieldc.algorithms.reduction import subtract_once
from fieldc.algorithms.shapes import shift_of_quotient
from fieldc.field import Field
from fieldc.language import DoesNotApply, Integer, Kernel, Number, Pair, Residue, Wide, kernel

HighLimbs = Callable[[Field, Number], tuple[Number, Number]]
"""Two numbers, the second one below p, whose difference is t/R modulo p."""


def _by_product(f: Field, t: Number) -> tuple[Number, Number]:
    """The high limbs of t and of q*p: two products."""
    q = t % f.base * f.p_inverse % f.base
    return t >> f.word, q * f.p >> f.word


def _by_shifts(f: Field, t: Number) -> tuple[Number, Number]:
    """The same for p = 2^w - 2^k + 1 without a product; 1/p = 2^k + 1 mod 2^w, since 2k >= w.

    The lower k bits of q are those of t. So q*p = 2^w*q - 2^k*q + q, less t's low limb, is
    2^w*(q - (q >> w - k) - c), where c is the carry of the sum that makes q.
    """
    k = shift_of_quotient(f)
    t = t + (t % f.base << k) % f.base
    q = t % f.base
    return t >> f.word, known(q - (q >> f.word - k), 0, f.p - 1)


def _reduced(f: Field, t: Number, highs: HighLimbs, most: int = 1) -> Number:
    """t/R mod p for t < p*R, or 2p*R where that is the most."""
    if f.n > 1:
        need = "high-limbs and shifted-quotient need p of one limb"
        raise DoesNotApply(f"{need}: {f.short} has {f.n} limbs")
    high, other = highs(f, t)
    if most > 1 and not (isinstance(high, Integer) and high.high < f.p):
        high = subtract_once(high, f.p)
    return either(known(high - other, 1 - f.p, f.p - 1), f.p)


def _kernels(name: str, highs: HighLimbs, has_sums: bool) -> Iterator[Kernel]:
    """The kernels of a way to get the high limbs, with a sum of two products or without."""

    def mul(f: Field, x: Residue, y: Residue) -> Residue:
        return _reduced(f, x * y, highs)

    def square(f: Field, x: Residue) -> Residue:
        return _reduced(f, x * x, highs)

    def sum_of_products(f: Field, x: Pair, y: Pair) -> Residue:
        return _reduced(f, x[0] * y[0] + x[1] * y[1], highs, most=2)

    def redc(f: Field, x: Wide) -> Residue:
        return _reduced(f, x, highs)

    def to_montgomery(f: Field, x: Residue) -> Residue:
        return _reduced(f, x * f.R2, highs)

    def from_montgomery(f: Field, x: Residue) -> Residue:
        return _reduced(f, x, highs)

    texts: list[tuple[Callable[..., Number], str]] = [
        (mul, "x*y/R mod p"),
        (square, "x*x/R mod p"),
        (redc, "x/R mod p for x < p*R"),
        (to_montgomery, "x*R mod p"),
        (from_montgomery, "x/R mod p"),
    ]
    if has_sums:
        texts.append((sum_of_products, "(x[0]*y[0] + x[1]*y[1])/R mod p"))
    for text, says in texts:
        text.__doc__ = f"{says}: {(highs.__doc__ or '').strip()}"
        yield kernel(text.__name__, name)(text)


ONE_LIMB = (
    *_kernels("shifted-quotient", _by_shifts, has_sums=False),
    *_kernels("high-limbs", _by_product, has_sums=True),
)
"""Of primes of one limb: the difference of high limbs. Sums take fewer instructions by a product:
27 by shifts, 23 by products modulo Goldilocks."""
