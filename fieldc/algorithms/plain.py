"""Products and remainders of plain residues: x stands for x, not for x*R.

An algorithm here is a way to reduce a number whose largest value is known. `reduce` is that alone,
of x < p*R; `mul_plain`, `square_plain` and `sum_of_products_plain` reduce what they multiplied.
"""

from __future__ import annotations

from collections.abc import Callable

from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.scanning import schoolbook
from fieldc.algorithms.squaring import plain_square
from fieldc.field import Field
from fieldc.integers import with_bounds
from fieldc.language import (
    Integer,
    Kernel,
    NeedsIntegers,
    Number,
    Pair,
    Residue,
    Wide,
    kernel,
    limbs,
)
from fieldc.polynomial_bounds import tighten

PlainReduction = Callable[[Field, Number, int], Number]
"""x mod p, given x and its largest value."""


def with_products(name: str, reduction: PlainReduction) -> tuple[Kernel, ...]:
    """The kernels of an algorithm: after a product, after a square, and alone."""

    def mul_plain(f: Field, x: Residue, y: Residue) -> Residue:
        return reduction(f, schoolbook(f, x, y), (f.p - 1) ** 2)

    def square_plain(f: Field, x: Residue) -> Residue:
        return reduction(f, plain_square(f, x), (f.p - 1) ** 2)

    def reduce(f: Field, x: Wide) -> Residue:
        return reduction(f, x, f.p * f.R - 1)

    texts = mul_plain, square_plain, reduce
    for text in texts:
        text.__doc__ = reduction.__doc__
    return tuple(kernel(text.__name__, name)(text) for text in texts)


def sum_with(name: str, reduction: PlainReduction) -> Kernel:
    """The sum of two products with one reduction."""

    def sum_of_products_plain(f: Field, x: Pair, y: Pair) -> Residue:
        t: Number = 0
        rows = zip(limbs(f, y[0]), limbs(f, y[1]), strict=True)
        for i, (first, second) in enumerate(rows):
            t = t + (x[0] * first << f.word * i)
            t = t + (x[1] * second << f.word * i)
        return reduction(f, tighten(t), 2 * (f.p - 1) ** 2)

    sum_of_products_plain.__doc__ = reduction.__doc__
    return kernel("sum_of_products_plain", name)(sum_of_products_plain)


def _barrett(f: Field, x: Number, high: int) -> Number:
    """x mod p by an estimate of x/p from the upper half and a constant; what is left is a few p.

    Barrett (1986), as in Menezes, van Oorschot, Vanstone, "Handbook of applied cryptography"
    (1996), 14.42: of both products only the columns that matter, n^2 + 4n + 1 products.
    """
    n, w = f.n, f.word
    constant = f.R**2 // f.p
    if f.spare_bits == w - 1 and isinstance(x, Integer):
        # The top limb of a product is at most 3 then. Bounds in fractions do not show the halves of
        # products to be 0 that are 0 because it is whole: so it is taken for any word.
        x = with_bounds(x, (0, (1 << w * -(-x.high.bit_length() // w)) - 1))
    q: Number = 0
    for i, x_i in enumerate(limbs(f, x >> w * (n - 1), n + 1)):
        below = n - 1 - i  # columns of this row that are left out
        q = q + (x_i * (constant >> w * max(below, 0)) << w * max(-below, 0))
    q = tighten(q >> 2 * w)
    return subtract_all(tighten(x - q * f.p), f.p)


def quotient_and_remainder(x: Number, p: int) -> int:
    """x mod p by Python's own division, which words do not have."""
    if isinstance(x, Integer):
        raise NeedsIntegers("division is the base line: it runs on Python's integers only")
    return x % p


def _division(f: Field, x: Number, high: int) -> Number:
    """x mod p by division of big integers: the base line, on Python's integers only."""
    return quotient_and_remainder(x, f.p)


@kernel("mul", "division")
def multiply_by_division(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p by division of big integers: the base line, on Python's integers only."""
    return quotient_and_remainder(x * y * f.R_inverse, f.p)


BARRETT = with_products("barrett", _barrett)
DIVISION = with_products("division", _division)
