"""The base line of a race: each operation as a person writes it in Python, on plain residues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from operator import mul
from typing import Any

from fieldc.field import Field
from fieldc.language import Kernel
from fieldc.operations import DIVSTEP_BITS, DIVSTEP_SHIFT, DIVSTEP_STEPS

PLAIN = "big integers"
"""The name of its algorithm, for every operation: `x*y % p`, `(x + y) % p` and so on."""
AnyInteger = Any
"""An int, or an mpz of gmpy2."""
Values = Sequence[AnyInteger]
"""The values of one operand, where they are several."""
Written = Callable[..., object]
"""From p and each operand to the result."""


def _sum_of_products(count: int) -> Written:
    return lambda p, x, y: sum(map(mul, x, y)) % p


def _fp2_mul(beta: int) -> Written:
    def multiply(p: AnyInteger, x: Values, y: Values) -> object:
        (a, b), (c, d) = x, y
        return (a * c + beta * b * d) % p, (a * d + b * c) % p

    return multiply


def _fp2_square(beta: int) -> Written:
    def square(p: AnyInteger, x: Values) -> object:
        a, b = x
        return (a * a + beta * b * b) % p, 2 * a * b % p

    return square


def _divstep_update(p: AnyInteger, x: Values, u: AnyInteger, v: AnyInteger) -> object:
    raised = 1 << DIVSTEP_BITS - 1
    return (x[0] * (u - raised) + x[1] * (v - raised)) * pow(2, -DIVSTEP_SHIFT, p) % p


def _divstep_de(p: AnyInteger, x: Values, m: Values) -> object:
    u, v, q, r = (entry - (1 << DIVSTEP_STEPS) for entry in m)
    over = pow(2, -DIVSTEP_SHIFT, p)
    return (u * x[0] + v * x[1]) * over % p, (q * x[0] + r * x[1]) * over % p


SIMPLE: dict[str, Written] = {
    "add": lambda p, x, y: (x + y) % p,
    "sub": lambda p, x, y: (x - y) % p,
    "neg": lambda p, x: -x % p,
    "double": lambda p, x: 2 * x % p,
    "mul": lambda p, x, y: x * y % p,
    "mul_add": lambda p, x, y, a: (x * y + a) % p,
    "mul_u64": lambda p, x, k: x * k % p,
    "mul_u128": lambda p, x, k: x * k % p,
    "mul_plain": lambda p, x, y: x * y % p,
    "square": lambda p, x: x * x % p,
    "square_plain": lambda p, x: x * x % p,
    "redc": lambda p, x: x % p,
    "reduce": lambda p, x: x % p,
    "difference_of_products": lambda p, x, y: (x[0] * y[0] - x[1] * y[1]) % p,
    "divstep_update": _divstep_update,
    "divstep_de": _divstep_de,
}
"""Families without parameters, `lazy` aside, which makes no difference here."""
FAMILIES: dict[str, Callable[..., Written]] = {
    "sum_of_products": _sum_of_products,
    "sum_of_products_plain": _sum_of_products,
    "fp2_mul": _fp2_mul,
    "fp2_square": _fp2_square,
    "mul_by": lambda factor: lambda p, x: factor * x % p,
    "square_times": lambda squarings: lambda p, x: pow(x, 1 << squarings, p),
}
"""Families with parameters, which these functions take by name."""


def base_line(
    kernel: Kernel, field: Field, operands: Sequence[int], number: Callable[[int], AnyInteger] = int
) -> Callable[[], object] | None:
    """A call that computes a kernel's operation in Python's own way, of numbers of some type.

    None where there is no such way: conversions to and from Montgomery form are only ours.
    """
    family, parameters = kernel.computes.family, dict(kernel.computes.parameters)
    parameters.pop("lazy", None)
    if family in FAMILIES:
        written = FAMILIES[family](**parameters)
    elif family in SIMPLE:
        written = SIMPLE[family]
    else:
        return None
    given = zip(kernel.operands, operands, strict=True)
    values = ([*map(number, bound.values(field, x))] for (_, bound), x in given)
    return partial(written, number(field.p), *(v if len(v) > 1 else v[0] for v in values))


def gmpy2_number() -> Callable[[int], AnyInteger] | None:
    """The integers of gmpy2, where it is installed."""
    try:
        number: Callable[[int], AnyInteger] = import_module("gmpy2").mpz
    except ImportError:
        return None
    return number
