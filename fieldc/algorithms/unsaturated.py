"""The algorithms in digits: for machines without a carry, at most 30 bits in a word of 64.

The texts are those of limbs, read with limbs of `digit_bits`. They divide by 2^(w*k), which is
2^excess above R = 2^(64n): one factor is read so many bits higher, and the result is divided by R.
Limbs in memory, R and contracts are those of words of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from fieldc.algorithms.montgomery import multiply, multiply_log_jump, redc
from fieldc.algorithms.products import sum_by_rows
from fieldc.algorithms.reduction import drop_limb, fold_limb, subtract_all, subtract_once
from fieldc.algorithms.squaring import square_by_rows
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Kernel, Number, Pair, Residue, Trace, Wide, kernel

MOST_BITS = 30
"""Of products of two such digits 16 fit in a word before a carry must be taken."""

Reduce = Callable[[Field, Number], Number]


class NotInDigits(UserError, LookupError):
    """The algorithm has no reading in digits; the message names those that have one."""


@lru_cache(maxsize=64)
def in_digits(f: Field) -> Field:
    """The same modulus in digits: as few as hold R, each with as few bits as that allows."""
    bits = f.word * f.n
    count = -(-bits // MOST_BITS)
    return Field(f.p, -(-bits // count), f.name, count)


def excess(f: Field) -> int:
    """The bits by which the digits are more than R."""
    digits = in_digits(f)
    return digits.word * digits.n - f.word * f.n


def _multiply(text: Callable[..., Number], f: Field, x: Number, y: Number) -> Number:
    return text(in_digits(f), x, y << excess(f))


@kernel("mul", "log-jump")
def mul_log_jump(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits, with constant rows of mu and one quotient at the end."""
    return _multiply(multiply_log_jump.text, f, x, y)


@kernel("mul", "cios")
def mul_cios(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits, a row of the product, a row of the reduction."""
    return _multiply(multiply.text, f, x, y)


def _square(f: Field, x: Number, reduce: Reduce) -> Number:
    """Half of the excess on each of the equal factors; what is odd of it doubles the rows."""
    half, odd = divmod(excess(f), 2)
    return square_by_rows(in_digits(f), x << half, reduce, odd)


@kernel("square", "log-jump")
def square_log_jump(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits: doubled cross products, constant rows of mu, one quotient."""
    return _square(f, x, fold_limb)


@kernel("square", "cios")
def square_cios(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits: doubled cross products between rows of the reduction."""
    return _square(f, x, drop_limb)


@kernel("square", "product")
def square_by_product(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits, as the product of x with itself."""
    return _multiply(multiply.text, f, x, x)


def _sum(f: Field, x: Pair, y: Pair, reduce: Reduce) -> Number:
    above = excess(f)
    return sum_by_rows(in_digits(f), x, (y[0] << above, y[1] << above), reduce)


@kernel("sum_of_products", "log-jump")
def sum_log_jump(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p in digits, with constant rows of mu and one quotient."""
    return subtract_once(_sum(f, x, y, fold_limb), f.p)


@kernel("sum_of_products", "cios")
def sum_cios(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p in digits, rows of both products, a row of the reduction."""
    return subtract_all(_sum(f, x, y, drop_limb), f.p)


@kernel("redc")
def reduce_wide(f: Field, x: Wide) -> Residue:
    """x/R mod p for x < p*R in digits: clear the low half digit by digit, add the high half."""
    return redc.text(in_digits(f), x << excess(f))


@kernel("to_montgomery")
def enter(f: Field, x: Residue) -> Residue:
    """x*R mod p in digits, as the Montgomery product of x and R^2."""
    return multiply.text(in_digits(f), x, (f.R2 << excess(f)) % f.p)


@kernel("from_montgomery")
def leave(f: Field, x: Residue) -> Residue:
    """x/R mod p in digits, as the Montgomery product of x and 1."""
    return multiply.text(in_digits(f), x, 1 << excess(f))


KERNELS: tuple[Kernel, ...] = (
    mul_log_jump,
    mul_cios,
    square_log_jump,
    square_cios,
    square_by_product,
    sum_log_jump,
    sum_cios,
    reduce_wide,
    enter,
    leave,
)
"""Of one operation's algorithms the first that its bounds allow is the default."""
ALIKE = {"two-subtractions": "cios", "log-jump-complement": "log-jump"}
"""Algorithms of limbs whose reading in digits has another name."""
WITHOUT_PRODUCTS = ("add", "sub", "neg", "double")
"""Operations that are the same in limbs and in digits."""


def read_in_digits(trace: Trace) -> Trace:
    """The same operation in digits, by the same algorithm unless its bounds do not hold there.

    Raises NotInDigits for an algorithm that is not among KERNELS.
    """
    f, operation = trace.field, trace.kernel.operation
    if operation in WITHOUT_PRODUCTS:
        return trace
    offered = [k for k in KERNELS if k.operation == operation]
    wanted = ALIKE.get(trace.kernel.algorithm, trace.kernel.algorithm)
    if wanted not in [k.algorithm for k in offered]:
        names = ", ".join(k.algorithm for k in offered) or "nothing"
        raise NotInDigits(f"{operation} by {wanted} is not read in digits; there is: {names}")
    for k in sorted(offered, key=lambda k: k.algorithm != wanted):
        try:
            return k.trace(f)
        except BoundError:
            continue
    raise NotInDigits(f"{operation} for {f.label} has no reading in digits")


def can_read_in_digits(trace: Trace) -> bool:
    """Whether read_in_digits reads it."""
    try:
        read_in_digits(trace)
    except NotInDigits:
        return False
    return True
