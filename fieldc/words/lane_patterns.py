"""Expressions that lanes compute as a whole."""

from __future__ import annotations

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.language import Integer, LanguageError


def cleared(whole: Integer) -> tuple[Integer, Integer] | None:
    """(t, q*p) of t + q*p where q is chosen so that its lowest digit becomes 0."""
    if whole.op != "add":
        return None
    t, product = whole.args
    if product.op != "mul":
        return None
    q, p = product.args
    if p.op != "constant" or q.op != "mod" or q.amount != DIGIT_BITS:
        return None
    multiplied, n0 = q.args[0], 1
    if multiplied is not t:  # n0 of 1 leaves no product
        if multiplied.op != "mul" or multiplied.args[0] is not t:
            return None
        if multiplied.args[1].op != "constant":
            return None
        n0 = multiplied.args[1].high
    return (t, product) if (n0 * p.high + 1) % (1 << DIGIT_BITS) == 0 else None


def corrected(node: Integer) -> tuple[Integer, Integer] | None:
    """(d, c) of d + (d < 0)*c."""
    if node.op != "add":
        return None
    d, masked = node.args
    if masked.condition is None or masked.op != "masked":
        return None
    if masked.condition.difference is not d or masked.args[0].op != "constant":
        raise LanguageError("lanes correct d by a constant where d is negative")
    return d, masked.args[0]
