"""Addition, subtraction, negation and doubling: the same in and out of Montgomery form."""

from __future__ import annotations

from fieldc.algorithms.reduction import subtract_once
from fieldc.field import Field
from fieldc.language import Number, Residue, kernel


@kernel("add")
def add(f: Field, x: Residue, y: Residue) -> Residue:
    """x + y mod p."""
    return subtract_once(x + y, f.p)


@kernel("double")
def double(f: Field, x: Residue) -> Residue:
    """2*x mod p."""
    return subtract_once(x + x, f.p)


@kernel("double", "shifts")
def double_by_shifts(f: Field, x: Residue) -> Residue:
    """2*x mod p by shifts of pairs of limbs: no chain of carries before the subtraction."""
    return subtract_once(2 * x, f.p)


@kernel("sub")
def sub(f: Field, x: Residue, y: Residue) -> Residue:
    """x - y mod p."""
    return add_if_negative(x - y, f.p)


@kernel("neg")
def neg(f: Field, x: Residue) -> Residue:
    """-x mod p; the negative of 0 is 0, never p."""
    return add_if_negative(0 - x, f.p)


def add_if_negative(d: Number, p: Number) -> Number:
    """d mod p for -p <= d < p: the borrow of d is the mask on p."""
    return d + (d < 0) * p
