"""The numbers in names of operations."""

from __future__ import annotations

BETAS = (-1, -2, -5, 2, 3, 5, 7, 11, 13, 17)
"""u^2 of the quadratic extensions that are offered; the first one has the plain names.

-5 is BLS12-377's, 5 that of Pallas and Vesta, 13 and 17 are those of MNT4-753 and MNT4-298.
"""
SQUARINGS = (2, 4, 8)
"""Squarings in one kernel."""
FACTORS = (3, 4, 5, 8, 12)
"""Small constants that have a kernel."""
MOST_TERMS = 6
"""Products that one kernel sums."""


def named(operation: str, beta: int) -> str:
    """The operation's name: fp2_mul for u^2 = -1, fp2_mul_minus_5, fp2_mul_13."""
    if beta == -1:
        return operation
    return f"{operation}_{'minus_' if beta < 0 else ''}{abs(beta)}"
