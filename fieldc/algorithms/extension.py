"""The quadratic extension Fp2 = Fp[u]/(u^2 - beta), where beta is no square modulo p.

A value is c0 + c1*u, two residues side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fieldc.algorithms.addition import add_if_negative
from fieldc.algorithms.karatsuba import by_halves, by_halves_and_limbs, reduction_by_limbs
from fieldc.algorithms.montgomery import reduction
from fieldc.algorithms.products import product, sum_of
from fieldc.algorithms.reduction import (
    Reduction,
    drop_limb,
    fold_limb,
    subtract_all,
    subtract_once,
)
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number, Pair, kernel
from fieldc.operations import BETAS, Operation, fp2_mul, fp2_square
from fieldc.polynomial_bounds import tighten

Finish = Callable[[Number, int], Number]
WholeProduct = Callable[[Field, Number, Number], Number]
"""A product that is not reduced."""


def check_beta(f: Field, beta: int, operation: Callable[[int], Operation]) -> None:
    """Raise DoesNotApply, naming the operation that applies, unless u^2 = beta makes a field."""
    if is_square(f, beta):
        others = [operation(b).name for b in BETAS if not is_square(f, b)]
        other = f"; {others[0]} applies" if others else ""
        raise DoesNotApply(f"u^2 = {beta} makes no field: it is a square modulo {f.short}{other}")


def is_square(f: Field, x: int) -> bool:
    """Whether an integer is a square modulo p, as 0 is."""
    return pow(x % f.p, (f.p - 1) // 2, f.p) != f.p - 1


def times(x: Number, factor: int) -> Number:
    """factor * x for a small factor, by doublings and additions."""
    total = x
    for bit in f"{factor:b}"[1:]:
        total = total + total
        total = total + x if bit == "1" else total
    return total


def with_beta(f: Field, x: Number, beta: int) -> Number:
    """beta * x modulo p, from 0 to |beta| * p, for x < p."""
    return times(x if beta > 0 else f.p - x, abs(beta))


def _multiply(f: Field, x: Pair, y: Pair, beta: int, reduce: Reduction, finish: Finish) -> Pair:
    """c0 = x0*y0 + (beta*x1)*y1 and c1 = x0*y1 + x1*y0, two sums of two products.

    Aranha, Karabina, Longa, Gebotys, Lopez (2011), 3, without its Karatsuba.
    """
    c0 = sum_of(f, (x[0], with_beta(f, x[1], beta)), y, reduce)
    c1 = sum_of(f, x, (y[1], y[0]), reduce)
    return finish(c0, f.p), finish(c1, f.p)


def _multiply_karatsuba(
    f: Field, x: Pair, y: Pair, beta: int, whole: WholeProduct, reduced: Reduction
) -> Pair:
    """Three products and two reductions: c1 = (x0 + x1)*(y0 + y1) - x0*y0 - x1*y1.

    Karatsuba (1962), with lazy reduction as by Aranha and others (2011), 3.
    """
    low, high = whole(f, x[0], y[0]), whole(f, x[1], y[1])
    both = whole(f, x[0] + x[1], y[0] + y[1])
    cross = tighten(tighten(both - low) - high)
    more = f.p * f.p * max(0, -beta)  # so that c0 is not negative
    c0 = low + more - times(high, -beta) if beta < 0 else low + times(high, beta)
    return subtract_all(reduced(f, c0), f.p), subtract_all(reduced(f, cross), f.p)


def _square(f: Field, x: Pair, beta: int, reduce: Reduction, finish: Finish) -> Pair:
    """c0 = x0*x0 + (beta*x1)*x1, of beta = -1 (x0 + x1)*(x0 - x1); c1 = (2*x0)*x1.

    The difference is not reduced where a value below 2p has n limbs.
    """
    if beta == -1:
        difference = add_if_negative(x[0] - x[1], f.p)
        if 2 * f.p < f.R:
            difference = f.p - x[1] + x[0]
        c0 = product(f, x[0] + x[1], difference, reduce)
    else:
        c0 = sum_of(f, (x[0], with_beta(f, x[1], beta)), x, reduce)
    c1 = product(f, x[0] + x[0], x[1], reduce)
    return finish(c0, f.p), finish(c1, f.p)


STEPS: dict[str, tuple[Reduction, Finish, str]] = {
    "log-jump": (fold_limb, subtract_once, "with constant rows of mu."),
    "cios": (drop_limb, subtract_once, "with a row of the reduction for each limb."),
    "subtractions": (drop_limb, subtract_all, "as by cios, and subtractions of ..., 2p, p."),
}


def extension(beta: int) -> Iterator[Kernel]:
    """Return the kernels for u^2 = beta, by sums of products and by Karatsuba."""
    for algorithm, steps in STEPS.items():
        yield from _by_sums(beta, algorithm, *steps)
    how = "three products, two reductions; 5n^2 + 2n."
    yield _by_karatsuba(beta, "karatsuba", _rows, reduction, how)


def _by_sums(
    beta: int, algorithm: str, reduce: Reduction, finish: Finish, how: str
) -> Iterator[Kernel]:
    def multiply(f: Field, x: Pair, y: Pair) -> Pair:
        check_beta(f, beta, fp2_mul)
        return _multiply(f, x, y, beta, reduce, finish)

    def square(f: Field, x: Pair) -> Pair:
        check_beta(f, beta, fp2_square)
        return _square(f, x, beta, reduce, finish)

    multiply.__doc__ = f"x*y/R with u^2 = {beta} as two sums of products, {how}"
    square.__doc__ = f"x*x/R with u^2 = {beta} as two products or sums, {how}"
    yield kernel(fp2_mul(beta), algorithm)(multiply)
    yield kernel(fp2_square(beta), algorithm)(square)


def _by_karatsuba(
    beta: int, algorithm: str, whole: WholeProduct, reduced: Reduction, how: str
) -> Kernel:
    def multiply(f: Field, x: Pair, y: Pair) -> Pair:
        check_beta(f, beta, fp2_mul)
        return _multiply_karatsuba(f, x, y, beta, whole, reduced)

    multiply.__doc__ = f"x*y/R with u^2 = {beta}: {how}"
    return kernel(fp2_mul(beta), algorithm)(multiply)


def _rows(f: Field, x: Number, y: Number) -> Number:
    return x * y


def _folded(f: Field, x: Number) -> Number:
    return reduction(f, x, fold_limb, quotients=1)


EXTENSIONS = tuple(k for beta in BETAS for k in extension(beta))
BY_PARTS = tuple(
    _by_karatsuba(beta, algorithm, whole, reduced, f"as by karatsuba, and each product {how}.")
    for beta in BETAS
    for algorithm, whole, reduced, how in (
        ("karatsuba-halves", by_halves, reduction, "by halves"),
        ("karatsuba-folds", by_halves, _folded, "by halves, reduced as by log-jump"),
        ("karatsuba-limbs", by_halves_and_limbs, reduction, "by halves, and these limb by limb"),
        (
            "karatsuba-quotients",
            by_halves_and_limbs,
            reduction_by_limbs,
            "limb by limb, those of quotients too",
        ),
    )
)
"""The same in fewer products of limbs and more sums. `x0 + x1` must have n limbs."""
