"""The tower of BLS12-381 as data, and products in it.

u^2 = -1, v^3 = 1 + u, w^2 = v. Other curves have other roots. What makes no field is refused.
"""

from typing import NamedTuple

from fieldc.formulas import Element, extend, formula

Fp2 = extend(Element, 2, -1)
Fp6 = extend(Fp2, 3, Fp2(1, 1))
Fp12 = extend(Fp6, 2, Fp6(0, 1, 0))


class Line(NamedTuple):
    """A line through points of the twist: a + b*v + c*v*w."""

    a: Fp2
    b: Fp2
    c: Fp2


@formula
def fp2_mul(x: Fp2, y: Fp2) -> Fp2:
    """x * y."""
    return x * y


@formula
def fp2_square(x: Fp2) -> Fp2:
    """x * x."""
    return x.square()


@formula
def fp6_mul(x: Fp6, y: Fp6) -> Fp6:
    """x * y."""
    return x * y


@formula
def fp12_mul(x: Fp12, y: Fp12) -> Fp12:
    """x * y."""
    return x * y


@formula
def fp12_square(x: Fp12) -> Fp12:
    """x * x."""
    return x.square()


@formula
def fp12_cyclotomic_square(x: Fp12) -> Fp12:
    """x * x for x of the cyclotomic subgroup, where a final exponentiation works."""
    return x.cyclotomic_square()


@formula
def fp12_mul_line(x: Fp12, line: Line) -> Fp12:
    """x times a line. Products with 0 are left out."""
    return x * Fp12(Fp6(line.a, line.b, 0), Fp6(0, line.c, 0))


@formula
def fp12_conjugate(x: Fp12) -> Fp12:
    """The inverse of x in the cyclotomic subgroup."""
    return x.conjugate()


@formula
def fp12_frobenius(x: Fp12) -> Fp12:
    """x^p, by constants of the prime."""
    return x.frobenius()


@formula
def fp12_frobenius_2(x: Fp12) -> Fp12:
    """x^(p^2)."""
    return x.frobenius(2)


@formula
def fp12_norm(x: Fp12) -> Element:
    """The norm of x, which is 0 for 0 only."""
    return x.norm()


@formula
def fp12_inverse(x: Fp12, n: Element) -> Fp12:
    """1/x, where n is the inverse of the norm of x."""
    return x.inverse(n)
