"""Plain products modulo p = 2^k - c whose highest limb is folded before the others are known.

The product of the top limbs is nearly all of the highest limb. So the quotient by 2^k is found
while the rest is multiplied, and one chain of additions folds all that is left.
"""

from __future__ import annotations

from fieldc.algorithms.pseudo_mersenne import choose_next
from fieldc.algorithms.reduction import subtract_once
from fieldc.algorithms.shapes import complement_of_power
from fieldc.algorithms.squaring import square_rows
from fieldc.field import Field
from fieldc.language import DoesNotApply, Integer, Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import joined


def top_product(f: Field, x: Number, y: Number) -> Number:
    """The product of the top limbs. Raises DoesNotApply where too little of x*y is in it."""
    at = f.word * (f.n - 1)
    top = f.p >> at
    times = complement_of_power(f, "top-first") << f.word * f.n - f.bits
    if f.n == 1 or top * top < f.base or times >= f.base:
        need = f"p of several limbs, the top one from 2^{f.word // 2} on"
        power = f"2^{f.word * f.n} mod p below 2^{f.word}"
        raise DoesNotApply(f"top-first needs {need}, and {power}, not {f.short}")
    return (x >> at) * (y >> at)


def rows_of_product(f: Field, x: Number, y: Number, top: Number) -> Number:
    """x*y without the upper half of `top`, the product of the top limbs."""
    w, last = f.word, f.n - 1
    t = top % f.base << 2 * w * last
    for i, y_i in enumerate(limbs(f, y)):
        row = x if i < last else x % (1 << w * last)
        t = t + (row * y_i << w * i)
    return t


def rows_of_square(f: Field, x: Number, top: Number) -> Number:
    """x*x without the upper half of `top`, the square of the top limb, as by plain_square."""
    w, xs = f.word, limbs(f, x)
    squares = top % f.base << 2 * w * (f.n - 1)
    if f.spare_bits:
        t = squares
        for i, row in enumerate(square_rows(f, x)[:-1]):
            t = t + (row << w * i)
        return t
    t = 0
    for i, x_i in enumerate(xs[:-1]):
        t = t + (x_i * (x >> w * (i + 1)) << w * (2 * i + 1))
        squares = squares + (x_i * x_i << 2 * w * i)
    return t + t + squares


def folded(f: Field, t: Number, above: Number, more: int) -> Number:
    """t + 2^(2wn-w)*above modulo p = 2^k - c, below 2p, plus more*c.

    What is above is added at limb n - 1, times 2^(w*n) mod p. The bits of this limb from k on are
    the quotient q. So of t only n - 1 limbs and a few units of another are left above limb n.
    """
    w, n, k, c = f.word, f.n, f.bits, complement_of_power(f)
    at, times = w * (n - 1), (1 << w * n) % f.p
    s = (t >> at) % f.base + above * times
    q = (s >> k - at) + more
    rest = t % (1 << at) + (s % (1 << k - at) << at)
    upper = [limb * times for limb in limbs(f, t >> w * n, n - 1)]
    units = (t >> 2 * w * n - w) * times % f.base
    low = joined(f, [*(part % f.base for part in upper), units])
    high = joined(f, [one_limb(f, q * c), *(part >> w for part in upper)])
    return rest + (low + high)


def one_limb(f: Field, product: Number) -> Number:
    """A product, whose low half is all of it where it is below 2^w."""
    fits = isinstance(product, Integer) and product.high < f.base
    return product % f.base if fits else product


def _below_twice(f: Field, x: Number, y: Number | None, more: int) -> Number:
    top = top_product(f, x, x if y is None else y)
    t = rows_of_square(f, x, top) if y is None else rows_of_product(f, x, y, top)
    return folded(f, t, top >> f.word, more)


@kernel("mul_plain", "top-first")
def multiply(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y mod p: the upper half of the product of the top limbs is folded first."""
    return subtract_once(_below_twice(f, x, y, 0), f.p)


@kernel("square_plain", "top-first")
def square(f: Field, x: Residue) -> Residue:
    """x*x mod p: the upper half of the square of the top limb is folded first."""
    return subtract_once(_below_twice(f, x, None, 0), f.p)


@kernel("mul_plain", "top-first-next")
def multiply_next(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y mod p as by top-first, with c more, so that bit k decides whether c is taken off."""
    return choose_next(f, _below_twice(f, x, y, 1))


@kernel("square_plain", "top-first-next")
def square_next(f: Field, x: Residue) -> Residue:
    """x*x mod p as by top-first, with c more, so that bit k decides whether c is taken off."""
    return choose_next(f, _below_twice(f, x, None, 1))


TOP_FIRST = multiply, square, multiply_next, square_next
