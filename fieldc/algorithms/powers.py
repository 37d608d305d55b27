"""Repeated squaring, and products with small constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fieldc.algorithms.one_limb import ONE_LIMB
from fieldc.algorithms.reduction import (
    Reduction,
    drop_limb,
    fold_complement,
    fold_limb,
    subtract_all,
    subtract_down,
)
from fieldc.algorithms.signed_limbs import signed_square
from fieldc.algorithms.squaring import square_product
from fieldc.field import Field
from fieldc.integers import with_bounds
from fieldc.language import Integer, Kernel, Number, Residue, kernel
from fieldc.operations import FACTORS, SQUARINGS, mul_by, square_times

Square = Callable[[Field, Number], Number]
"""x*x/R modulo p, of x below R/2 or p; not reduced."""


def _by_rows(reduce: Reduction, has_rest: bool = False) -> Square:
    """The square by rows between those of a reduction; one by complements leaves a rest."""
    return lambda f, x: square_product(f, x, reduce, added=f.fold_rest if has_rest else 0)


SQUARES: dict[str, tuple[Square, str]] = {
    "log-jump": (_by_rows(fold_limb), "rows of mu"),
    "log-jump-complement": (_by_rows(fold_complement, has_rest=True), "rows of p - mu"),
    "cios": (_by_rows(drop_limb), "a row of the reduction for each limb"),
    "signed-limbs": (signed_square, "a row of signed limbs for each limb dropped"),
    **{
        k.algorithm: (k.function, "the difference of high limbs")
        for k in ONE_LIMB
        if k.operation == "square"
    },
}
"""The squares that are repeated, by their algorithms, and with what they are reduced."""


def _squarings(count: int) -> Iterator[Kernel]:
    for algorithm, (square, how) in SQUARES.items():

        def function(f: Field, x: Residue, square: Square = square) -> Residue:
            t: Number = x
            for _ in range(count):
                t = _whole(subtract_down(square(f, t), f.p, max(f.R // 2, f.p)))
            return subtract_all(t, f.p)

        function.__doc__ = f"{count} squarings, values between them below R/2 or p, with {how}."
        yield kernel(square_times(count), algorithm)(function)


def _whole(t: Number) -> Number:
    """A value between, as a number of its own: later bounds do not ask what made it."""
    return with_bounds(t, (t.low, t.high), is_whole=True) if isinstance(t, Integer) else t


def _small_product(factor: int) -> Kernel:
    def function(f: Field, x: Residue) -> Residue:
        return subtract_all(x * factor, f.p)

    function.__doc__ = f"{factor}*x mod p: a row, and subtractions of ..., 2p, p."
    return kernel(mul_by(factor))(function)


POWERS = tuple(k for count in SQUARINGS for k in _squarings(count))
SMALL_PRODUCTS = tuple(map(_small_product, FACTORS))
