"""Jacobian addition on y^2 = x^3 + a*x + b: "add-2007-bl" of the Explicit-Formulas Database.

https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian.html#addition-add-2007-bl
11 products and 5 squares. Right where p and q are neither equal, opposite nor infinite.
"""

from typing import NamedTuple

from fieldc.formulas import Element, formula


class Jacobian(NamedTuple):
    """(X : Y : Z) for the point (X/Z^2, Y/Z^3)."""

    x: Element
    y: Element
    z: Element


@formula
def add_2007_bl(p: Jacobian, q: Jacobian) -> Jacobian:
    """p + q."""
    Z1Z1 = p.z**2
    Z2Z2 = q.z**2
    U1 = p.x * Z2Z2
    U2 = q.x * Z1Z1
    S1 = p.y * q.z * Z2Z2
    S2 = q.y * p.z * Z1Z1
    H = U2 - U1
    I = (2 * H) ** 2  # noqa: E741
    J = H * I
    r = 2 * (S2 - S1)
    V = U1 * I
    X3 = r**2 - J - 2 * V
    Y3 = r * (V - X3) - 2 * S1 * J
    Z3 = ((p.z + q.z) ** 2 - Z1Z1 - Z2Z2) * H
    return Jacobian(X3, Y3, Z3)
