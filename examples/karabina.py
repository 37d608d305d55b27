"""Compressed squares in the cyclotomic subgroup of BLS12-381's Fp12, for chains of squares.

K. Karabina, "Squaring in cyclotomic subgroups", Mathematics of Computation 82 (2013), 3.2: of the
six coefficients c0 + c1*w + ... + c5*w^5 over Fp2, w^6 = 1 + u, four are enough. Without c0 and c3
a square is two squares of pairs, where that of the whole value is three.

A value is given back with one inversion. Where c1 is 0 another fraction gives c3, so the mask says
whether it is:

    n = denominator(x, m)              # m is 1 where x.c1 is 0
    y = decompressed(x, m, 1/norm(n))  # 0 for 1/0
"""

from typing import NamedTuple

from fieldc.formulas import Element, Mask, choose, extend, formula

Fp2 = extend(Element, 2, -1)
Fp6 = extend(Fp2, 3, Fp2(1, 1))
Fp12 = extend(Fp6, 2, Fp6(0, 1, 0))
ROOT = Fp2(1, 1)


class Compressed(NamedTuple):
    """What is kept of a value: coefficients of powers of w."""

    c1: Fp2
    c2: Fp2
    c4: Fp2
    c5: Fp2


def squared_pair(x: Fp2, y: Fp2) -> tuple[Fp2, Fp2]:
    """The coefficients of (x + y*s)^2, s^2 = 1 + u."""
    both = x * y
    return (x + y) * (x + ROOT * y) - both - ROOT * both, 2 * both


def either(m: Mask, a: Fp2, b: Fp2) -> Fp2:
    """a where m is 1, else b."""
    return Fp2(choose(m, a[0], b[0]), choose(m, a[1], b[1]))


@formula
def compressed(x: Fp12) -> Compressed:
    """The four coefficients of x."""
    (_, c2, c4), (c1, _, c5) = x[0], x[1]
    return Compressed(c1, c2, c4, c5)


@formula
def compressed_square(x: Compressed) -> Compressed:
    """The four coefficients of the square of x, from those of x."""
    low_14, high_14 = squared_pair(x.c1, x.c4)
    low_25, high_25 = squared_pair(x.c2, x.c5)
    return Compressed(
        3 * (ROOT * high_25) + 2 * x.c1,
        3 * low_14 - 2 * x.c2,
        3 * low_25 - 2 * x.c4,
        3 * high_14 + 2 * x.c5,
    )


@formula
def denominator(x: Compressed, m: Mask) -> Fp2:
    """What c3 is a fraction of: 4*c1, or c4 where c1 is 0 and m is 1."""
    return either(m, x.c4, 4 * x.c1)


@formula
def denominator_norm(x: Compressed, m: Mask) -> Element:
    """The norm of that, an element."""
    return either(m, x.c4, 4 * x.c1).norm()


@formula
def decompressed(x: Compressed, m: Mask, n: Element) -> Fp12:
    """The whole value; n is the inverse of the denominator's norm, or 0 where that is 0."""
    c1, c2, c4, c5 = x
    both = c2 * c5
    numerator = either(m, 2 * both, ROOT * c5.square() + 3 * c2.square() - 2 * c4)
    c3 = numerator * either(m, c4, 4 * c1).inverse(n)
    c0 = ROOT * (2 * c3.square() + c1 * c5 - 3 * (c2 * c4)) + 1
    return Fp12(Fp6(c0, c2, c4), Fp6(c1, c3, c5))
