"""Plain residues modulo p = 2^k - c, c of one limb: 2^k is c mod p, so upper halves fold down."""

from __future__ import annotations

from fieldc.algorithms.lazy import check_two_spare_bits
from fieldc.algorithms.plain import sum_with, with_products
from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.scanning import schoolbook
from fieldc.algorithms.shapes import complement_of_power
from fieldc.algorithms.squaring import plain_square
from fieldc.field import Field
from fieldc.language import Lazy, Number, kernel, select


def fold(f: Field, x: Number, at: int) -> Number:
    """Fold x at bit `at`: the part above it times 2^at mod p, plus the rest."""
    return x % (1 << at) + (x >> at) * ((1 << at) % f.p)


def folded_high(f: Field, high: int, at: int) -> int:
    """Return the largest result of a fold of values up to `high`."""
    return min(high, (1 << at) - 1) + (high >> at) * ((1 << at) % f.p)


def fold_points(f: Field, high: int) -> list[int]:
    """Return the bits at which to fold values up to `high` until they are below 2p.

    First at the border of limb n, where a row of n products needs no shift, if 2^(w*n) mod p has
    one limb and is no power of two; then at bit k.
    """
    k, c = f.bits, complement_of_power(f)
    border = f.word * f.n
    above = c << border - k
    points: list[int] = []
    while high >= 2 * f.p:
        is_first = not points and above < f.base and (above & above - 1 or border == k)
        at = border if is_first else k
        high = folded_high(f, high, at)
        points.append(at)
    return points


def folded(f: Field, x: Number, high: int) -> Number:
    """x modulo p, below 2p, given its largest value."""
    for at in fold_points(f, high):
        x = fold(f, x, at)
    return x


def _pseudo_mersenne(f: Field, x: Number, high: int) -> Number:
    """x mod p for p = 2^k - c: low + 2^(w*n)*high = low + (2^(w*n) mod p)*high, and once more.

    Crandall, US patent 5159632 (1992). A row of n products folds the upper half, one product what
    is left above bit k; then one subtraction.
    """
    return subtract_all(folded(f, x, high), f.p)


def _next_multiple(f: Field, x: Number, high: int) -> Number:
    """x mod p for p = 2^k - c: the last fold takes the part above bit k and one more.

    So the sum is c or 2^k more than x mod p, and bit k says which. That is taken off: nothing is
    compared with p, and no limb is chosen from two.
    """
    k, c = f.bits, complement_of_power(f, "next-multiple")
    for at in fold_points(f, high)[:-1]:
        x, high = fold(f, x, at), folded_high(f, high, at)
    multiple = ((x >> k) + 1) * c
    if ((high >> k) + 1) * c < f.base:
        multiple = multiple % f.base  # the low half of the product is all of it
    return choose_next(f, x % (1 << k) + multiple)


def choose_next(f: Field, t: Number) -> Number:
    """t - c mod p for c <= t < 2^k + p: t - c where t is below 2^k, otherwise t - 2^k."""
    whole = f.bits - f.bits % f.word
    below = (t >> whole) - (1 << f.bits - whole) < 0
    return select(below, t - complement_of_power(f), t - (1 << f.bits))


@kernel("mul_plain_lazy", "pseudo-mersenne")
def multiply_lazy(f: Field, x: Lazy, y: Lazy) -> Lazy:
    """x*y modulo p = 2^k - c, below 2p: the same without the subtraction."""
    check_two_spare_bits(f)
    return folded(f, schoolbook(f, x, y), (2 * f.p - 1) ** 2)


@kernel("square_plain_lazy", "pseudo-mersenne")
def square_lazy(f: Field, x: Lazy) -> Lazy:
    """x*x modulo p = 2^k - c, below 2p: the same without the subtraction."""
    check_two_spare_bits(f)
    return folded(f, plain_square(f, x), (2 * f.p - 1) ** 2)


PSEUDO_MERSENNE = (
    *with_products("pseudo-mersenne", _pseudo_mersenne),
    sum_with("pseudo-mersenne", _pseudo_mersenne),
)
NEXT_MULTIPLE = (
    *with_products("next-multiple", _next_multiple),
    sum_with("next-multiple", _next_multiple),
)
LAZY_FOLDS = (multiply_lazy, square_lazy)
