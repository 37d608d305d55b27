"""Karatsuba's product, at one level or down to limbs, then Montgomery's reduction.

Karatsuba, Ofman, "Multiplication of many-digital numbers by automatic computers" (1962). Each saved
product of limbs costs about ten sums more: for processors with one slow multiplier.
"""

from __future__ import annotations

from collections.abc import Callable

from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Integer, Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import tighten, tighten_below

Multiply = Callable[[Number, Number], Number]
"""How parts of two numbers are multiplied."""


@kernel("mul", "karatsuba")
def multiply_karatsuba(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: three products of halves instead of four, then a row for each quotient."""
    t = by_halves(f, x, y)
    for _ in range(f.n):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


@kernel("mul", "karatsuba-limbs")
def multiply_karatsuba_limbs(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p by halves, and halves limb by limb: n(n + 2)/8 products three times, for even n.

    The lower half is reduced first, while the others are multiplied.
    """
    count = (f.n + 1) // 2
    low, middle, high = _parts(f, x, y, lambda a, b: by_limbs(f, a, b, count))
    t = low
    for _ in range(count):
        t = drop_limb(f, t)
    t = tighten(t + middle + (high << f.word * count))
    for _ in range(f.n - count):
        t = drop_limb(f, t)
    return subtract_once(tighten(t), f.p)


def by_halves(f: Field, x: Number, y: Number) -> Number:
    """x*y for numbers of n limbs, by three products of halves."""
    return _joined(f, *_parts(f, x, y, _rows))


def by_halves_and_limbs(f: Field, x: Number, y: Number) -> Number:
    """x*y for numbers of n limbs, by three products of halves, each limb by limb."""
    count = (f.n + 1) // 2
    return _joined(f, *_parts(f, x, y, lambda a, b: by_limbs(f, a, b, count)))


def _joined(f: Field, low: Number, middle: Number, high: Number) -> Number:
    bits = f.word * ((f.n + 1) // 2)
    return tighten(low + (high << 2 * bits) + (middle << bits))


def by_limbs(f: Field, x: Number, y: Number, count: int) -> Number:
    """x*y for numbers of `count` limbs: for each pair of limbs one product instead of two.

    A. Weimerskirch, C. Paar, "Generalizations of the Karatsuba algorithm for efficient
    implementations" (2006), 3.
    """
    w, xs, ys = f.word, limbs(f, x, count), limbs(f, y, count)
    squares = [a * b for a, b in zip(xs, ys, strict=True)]
    t: Number = 0
    for i, square in enumerate(squares):
        t = t + (square << 2 * w * i)
    for j in range(count):
        for i in range(j):
            both = _with_carries(xs[i] + xs[j], ys[i] + ys[j], w, _rows)
            middle = tighten_below(both - squares[i] - squares[j], (*xs, *ys))
            t = t + (middle << w * (i + j))
    return tighten(t)


def reduction_by_limbs(f: Field, x: Number) -> Number:
    """x/R modulo p as by redc, in two steps of half of the limbs, for an even n.

    A step's quotients are found by the lower limbs of p. Their product with the upper limbs is made
    limb by limb: for each pair one product instead of two.
    """
    if f.n % 2:
        need = "quotients of half of the limbs need an even number of limbs"
        raise DoesNotApply(f"{need}: {f.short} has {f.n}")
    t: Number = x % f.R
    for _ in range(2):
        t = _drop_half(f, t, f.n // 2)
    return tighten(t) + (x >> f.word * f.n)


def _drop_half(f: Field, t: Number, count: int) -> Number:
    """t / 2^(w*count) mod p."""
    w, low, high = f.word, f.p % (1 << f.word * count), f.p >> f.word * count
    quotients: Number = 0
    for i in range(count):
        q = t * f.n0 % f.base
        quotients = quotients + (q << w * i)
        t = (t + q * low) >> w
    return t + _times_constant(f, quotients, high, count)


def _times_constant(f: Field, x: Number, y: int, count: int) -> Number:
    """x*y limb by limb: x0*y1 + x1*y0 = x0*y0 + x1*y1 - (x0 - x1)*(y0 - y1)."""
    w, xs, ys = f.word, limbs(f, x, count), [y >> f.word * i & f.base - 1 for i in range(count)]
    products = [a * b for a, b in zip(xs, ys, strict=True)]
    t: Number = 0
    for i, one in enumerate(products):
        t = t + (one << 2 * w * i)
    for j in range(count):
        for i in range(j):
            x_less, y_less = xs[i] - xs[j], ys[i] - ys[j]
            lost = (x_less < 0) * abs(y_less) << w  # x_less is its limb less 2^w, where negative
            product = x_less % f.base * abs(y_less)
            middle = products[i] + products[j]
            middle = middle + product - lost if y_less < 0 else middle + lost - product
            t = t + (tighten_below(middle, xs) << w * (i + j))
    return tighten(t)


def _parts(f: Field, x: Number, y: Number, multiply: Multiply) -> tuple[Number, Number, Number]:
    """x*y as a low, a middle and a high part, each half of n limbs above the one before."""
    if f.n == 1:
        raise DoesNotApply(f"karatsuba halves the limbs of p: {f.short} has only one")
    if any(isinstance(a, Integer) and a.high >= f.R for a in (x, y)):
        need = "karatsuba multiplies sums of two elements, which must fit the limbs of p"
        raise DoesNotApply(f"{need}: {f.short} has no spare bit")
    bits = f.word * ((f.n + 1) // 2)
    (x0, x1), (y0, y1) = ((a % (1 << bits), a >> bits) for a in (x, y))
    low, high = multiply(x0, y0), multiply(x1, y1)
    # Its highest limb is kept, though it is 0: the proof then has no carry that two words share.
    both = _with_carries(x0 + x1, y0 + y1, bits, multiply)
    middle = tighten_below(both - low - high, (x0, x1, y0, y1))
    return low, middle, high


def _rows(x: Number, y: Number) -> Number:
    return x * y


def _with_carries(x: Number, y: Number, bits: int, multiply: Multiply) -> Number:
    """x*y for factors with one extra bit each: a bit times a number is a selection."""
    (x0, x1), (y0, y1) = ((a % (1 << bits), a >> bits) for a in (x, y))
    cross = (0 - x1 < 0) * y0 + (0 - y1 < 0) * x0
    return multiply(x0, y0) + (cross << bits) + ((0 - x1 < 0) * y1 << 2 * bits)
