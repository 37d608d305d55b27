"""The base line of a race: each operation as a person writes it in Python, on plain residues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from operator import mul
from typing import Any

from fieldc.algorithms.names import BETAS, FACTORS, MOST_TERMS, SQUARINGS, named
from fieldc.field import Field
from fieldc.language import Kernel

PLAIN = "x*y % p"
"""The name of its algorithm."""
Number = Any
"""An int, or an mpz of gmpy2."""
Values = Sequence[Number]
"""The values of one operand."""
Written = Callable[..., object]
"""From p and the values of each operand to the result."""


def _sum_of_products(p: Number, x: Values, y: Values) -> Number:
    return sum(map(mul, x, y)) % p


def _fp2_product(beta: int) -> Written:
    def multiply(p: Number, x: Values, y: Values) -> object:
        (a, b), (c, d) = x, y
        return (a * c + beta * b * d) % p, (a * d + b * c) % p

    return multiply


def _fp2_square(beta: int) -> Written:
    def square(p: Number, x: Values) -> object:
        a, b = x
        return (a * a + beta * b * b) % p, 2 * a * b % p

    return square


ONE: dict[str, Written] = {
    "add": lambda p, x, y: (x + y) % p,
    "sub": lambda p, x, y: (x - y) % p,
    "neg": lambda p, x: -x % p,
    "double": lambda p, x: 2 * x % p,
    "mul": lambda p, x, y: x * y % p,
    "mul_plain": lambda p, x, y: x * y % p,
    "square": lambda p, x: x * x % p,
    "redc": lambda p, x: x % p,
    "reduce": lambda p, x: x % p,
    **{f"mul_by_{k}": lambda p, x, k=k: k * x % p for k in FACTORS},
    **{f"square_times_{k}": lambda p, x, k=k: pow(x, 1 << k, p) for k in SQUARINGS},
}
"""Operations on single values."""
SEVERAL: dict[str, Written] = {
    "sum_of_products": _sum_of_products,
    **{f"sum_of_products_{k}": _sum_of_products for k in range(3, MOST_TERMS + 1)},
    "difference_of_products": lambda p, x, y: (x[0] * y[0] - x[1] * y[1]) % p,
    **{named("fp2_mul", beta): _fp2_product(beta) for beta in BETAS},
    **{named("fp2_square", beta): _fp2_square(beta) for beta in BETAS},
}
"""Operations on several values side by side."""


def base_line(
    kernel: Kernel, field: Field, operands: Sequence[int], number: Callable[[int], Number] = int
) -> Callable[[], object] | None:
    """A call that computes a kernel's operation in Python's own way, of numbers of some type.

    None where there is no such way: conversions to and from Montgomery form are only ours.
    """
    name, p = kernel.operation.removesuffix("_lazy"), number(field.p)
    if name in ONE:
        return partial(ONE[name], p, *map(number, operands))
    if name not in SEVERAL:
        return None
    given = zip(kernel.operands, operands, strict=True)
    values = ([*map(number, bound.values(field, x))] for (_, bound), x in given)
    return partial(SEVERAL[name], p, *values)


def gmpy2_number() -> Callable[[int], Number] | None:
    """The integers of gmpy2, where it is installed."""
    try:
        number: Callable[[int], Number] = import_module("gmpy2").mpz
    except ImportError:
        return None
    return number
