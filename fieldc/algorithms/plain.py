"""Products and remainders of plain residues: x stands for x, not for x*R.

An algorithm here is a way to reduce x < p*R; `reduce` is that alone, `mul_plain` after a product.
"""

from __future__ import annotations

from collections.abc import Callable

from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.scanning import schoolbook
from fieldc.field import Field
from fieldc.language import Integer, Kernel, NeedsIntegers, Number, Residue, Wide, kernel, limbs
from fieldc.polynomial_bounds import tighten


def with_product(name: str, reduction: Callable[[Field, Number], Number]) -> tuple[Kernel, Kernel]:
    """The kernels of an algorithm: after a product, and alone."""

    def mul_plain(f: Field, x: Residue, y: Residue) -> Residue:
        return reduction(f, schoolbook(f, x, y))

    def reduce(f: Field, x: Wide) -> Residue:
        return reduction(f, x)

    mul_plain.__doc__ = reduce.__doc__ = reduction.__doc__
    return kernel("mul_plain", name)(mul_plain), kernel("reduce", name)(reduce)


def _barrett(f: Field, x: Number) -> Number:
    """x mod p by an estimate of x/p from the upper half and a constant; what is left is a few p.

    Barrett (1986), as in Menezes, van Oorschot, Vanstone, "Handbook of applied cryptography"
    (1996), 14.42: of both products only the columns that matter, n^2 + 4n + 1 products.
    """
    n, w = f.n, f.word
    constant = f.R**2 // f.p
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


def _division(f: Field, x: Number) -> Number:
    """x mod p by division of big integers: the base line, on Python's integers only."""
    return quotient_and_remainder(x, f.p)


@kernel("mul", "division")
def multiply_by_division(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p by division of big integers: the base line, on Python's integers only."""
    return quotient_and_remainder(x * y * f.R_inverse, f.p)


BARRETT = with_product("barrett", _barrett)
DIVISION = with_product("division", _division)
