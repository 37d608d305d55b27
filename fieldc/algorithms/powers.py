"""Repeated squaring, and products with small constants."""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.algorithms.reduction import (
    Reduction,
    drop_limb,
    fold_limb,
    subtract_all,
    subtract_down,
)
from fieldc.algorithms.squaring import square_product
from fieldc.field import Field
from fieldc.language import Kernel, Number, Residue, kernel
from fieldc.operations import FACTORS, SQUARINGS, mul_by, square_times


def _squared(f: Field, x: Number, count: int, reduce: Reduction) -> Number:
    """x^(2^count)/R^(2^count - 1); between squarings below R/2, or below p if that is more."""
    for _ in range(count):
        x = subtract_down(square_product(f, x, reduce), f.p, max(f.R // 2, f.p))
    return subtract_all(x, f.p)


def _squarings(count: int) -> Iterator[Kernel]:
    for algorithm, reduce, how in (
        ("log-jump", fold_limb, "rows of mu"),
        ("cios", drop_limb, "a row of the reduction for each limb"),
    ):

        def function(f: Field, x: Residue, reduce: Reduction = reduce) -> Residue:
            return _squared(f, x, count, reduce)

        function.__doc__ = f"{count} squarings, values kept below R/2 between them, with {how}."
        yield kernel(square_times(count), algorithm)(function)


def _small_product(factor: int) -> Kernel:
    def function(f: Field, x: Residue) -> Residue:
        return subtract_all(x * factor, f.p)

    function.__doc__ = f"{factor}*x mod p: a row, and subtractions of ..., 2p, p."
    return kernel(mul_by(factor))(function)


POWERS = tuple(k for count in SQUARINGS for k in _squarings(count))
SMALL_PRODUCTS = tuple(map(_small_product, FACTORS))
