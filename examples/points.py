"""Point addition and doubling, line by line from the Explicit-Formulas Database.

https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-0.html
https://hyperelliptic.org/EFD/g1p/auto-twisted-extended-1.html
"""

from typing import NamedTuple

from fieldc.formulas import Element, formula


class Jacobian(NamedTuple):
    """(X : Y : Z) for the point (X/Z^2, Y/Z^3) of y^2 = x^3 + b."""

    x: Element
    y: Element
    z: Element


class Affine(NamedTuple):
    """A point (x, y)."""

    x: Element
    y: Element


class Extended(NamedTuple):
    """(X : Y : Z : T) with x = X/Z, y = Y/Z, x*y = T/Z, of -x^2 + y^2 = 1 + d*x^2*y^2."""

    x: Element
    y: Element
    z: Element
    t: Element


@formula
def madd_2007_bl(p: Jacobian, q: Affine) -> Jacobian:
    """p + q, "madd-2007-bl": 7 products and 4 squares."""
    Z1Z1 = p.z**2
    U2 = q.x * Z1Z1
    S2 = q.y * p.z * Z1Z1
    H = U2 - p.x
    HH = H**2
    I = 4 * HH  # noqa: E741
    J = H * I
    r = 2 * (S2 - p.y)
    V = p.x * I
    X3 = r**2 - J - 2 * V
    Y3 = r * (V - X3) - 2 * p.y * J
    Z3 = (p.z + H) ** 2 - Z1Z1 - HH
    return Jacobian(X3, Y3, Z3)


@formula
def dbl_2009_l(p: Jacobian) -> Jacobian:
    """2*p where a = 0, "dbl-2009-l": 2 products and 5 squares."""
    A = p.x**2
    B = p.y**2
    C = B**2
    D = 2 * ((p.x + B) ** 2 - A - C)
    E = 3 * A
    F = E**2
    X3 = F - 2 * D
    Y3 = E * (D - X3) - 8 * C
    Z3 = 2 * p.y * p.z
    return Jacobian(X3, Y3, Z3)


@formula
def dbl_2001_b(p: Jacobian) -> Jacobian:
    """2*p where a = -3, "dbl-2001-b": 3 products and 5 squares."""
    delta = p.z**2
    gamma = p.y**2
    beta = p.x * gamma
    alpha = 3 * (p.x - delta) * (p.x + delta)
    X3 = alpha**2 - 8 * beta
    Z3 = (p.y + p.z) ** 2 - gamma - delta
    Y3 = alpha * (4 * beta - X3) - 8 * gamma**2
    return Jacobian(X3, Y3, Z3)


@formula
def edwards_add(p: Extended, q: Extended, k: Element) -> Extended:
    """p + q where a = -1, with k = 2*d: "add-2008-hwcd-3", 9 products. Right for all points."""
    A = (p.y - p.x) * (q.y - q.x)
    B = (p.y + p.x) * (q.y + q.x)
    C = p.t * k * q.t
    D = 2 * p.z * q.z
    E = B - A
    F = D - C
    G = D + C
    H = B + A
    return Extended(E * F, G * H, F * G, E * H)
