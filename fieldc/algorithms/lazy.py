"""Values below 2p that stay below 2p: no subtraction of p after a product.

Where 4p < R the bounds close: (2p)*(2p)/R + p < 2p (Walter, "Montgomery exponentiation needs no
final subtractions", 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fieldc.algorithms.addition import add_if_negative
from fieldc.algorithms.products import product, sum_of
from fieldc.algorithms.reduction import Reduction, drop_limb, fold_limb, subtract_once
from fieldc.algorithms.squaring import square_product
from fieldc.errors import counted
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Lazy, LazyPair, Number, Residue, kernel


def has_two_spare_bits(f: Field) -> bool:
    """Return whether 4p < R, so that values below 2p stay below 2p."""
    return 4 * f.p < f.R


def check_two_spare_bits(f: Field) -> None:
    """Raise DoesNotApply unless p has two spare bits."""
    if not has_two_spare_bits(f):
        spare = counted(f.word * f.n - f.bits, "spare bit")
        need = "values below 2p stay there only with two spare bits, so that 4p < R"
        raise DoesNotApply(f"{need}: {f.short} has {spare}")


@kernel("add_lazy")
def add(f: Field, x: Lazy, y: Lazy) -> Lazy:
    """x + y, less 2p where it is 2p or more."""
    check_two_spare_bits(f)
    return subtract_once(x + y, 2 * f.p)


@kernel("sub_lazy")
def sub(f: Field, x: Lazy, y: Lazy) -> Lazy:
    """x - y, and 2p where that is negative."""
    check_two_spare_bits(f)
    return add_if_negative(x - y, 2 * f.p)


@kernel("reduce_lazy")
def reduce(f: Field, x: Lazy) -> Residue:
    """The canonical value: x, less p where it is p or more."""
    check_two_spare_bits(f)
    return subtract_once(x, f.p)


def _products(algorithm: str, step: Reduction, how: str) -> Iterator[Kernel]:
    """Return multiplication, squaring and a sum of two products, from one division by the radix."""

    def multiply(f: Field, x: Lazy, y: Lazy) -> Lazy:
        check_two_spare_bits(f)
        return product(f, x, y, step)

    def square(f: Field, x: Lazy) -> Lazy:
        check_two_spare_bits(f)
        return square_product(f, x, step)

    def sum_of_products(f: Field, x: LazyPair, y: LazyPair) -> Lazy:
        check_two_spare_bits(f)
        return sum_of(f, x, y, step)

    functions: tuple[tuple[str, str, Callable[..., Number]], ...] = (
        ("mul_lazy", "x*y/R", multiply),
        ("square_lazy", "x*x/R", square),
        ("sum_of_products_lazy", "(x[0]*y[0] + x[1]*y[1])/R", sum_of_products),
    )
    for operation, says, function in functions:
        function.__doc__ = f"{says} modulo p, not reduced, {how}"
        yield kernel(operation, algorithm)(function)


@kernel("square_lazy", "product")
def square_by_product(f: Field, x: Lazy) -> Lazy:
    """x*x/R modulo p, not reduced, as the product of x with itself: holds for every 4p < R."""
    check_two_spare_bits(f)
    return product(f, x, x, drop_limb)


LAZY = (
    add,
    sub,
    *_products("log-jump", fold_limb, "with constant rows of mu."),
    *_products("cios", drop_limb, "with a row of the reduction for each limb."),
    square_by_product,
    reduce,
)
