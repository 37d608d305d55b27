"""The algorithms in digits: for machines without a carry, at most 30 bits in a word of 64.

The texts are those of limbs, read with limbs of `digit_bits`. They divide by 2^(w*k), which is
2^excess above R = 2^(64n): one factor is read so many bits higher, and the result is divided by R.
Limbs in memory, R and contracts are those of words of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from fieldc.algorithms import STUDIED
from fieldc.algorithms.montgomery import multiply, multiply_log_jump, redc
from fieldc.algorithms.products import product, sum_of
from fieldc.algorithms.pseudo_mersenne import fold, folded_high
from fieldc.algorithms.reduction import (
    drop_limb,
    fold_limb,
    fold_limbs,
    subtract_all,
    subtract_once,
)
from fieldc.algorithms.shapes import complement_of_power
from fieldc.algorithms.squaring import square_by_rows
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import (
    BoundError,
    DoesNotApply,
    Expression,
    Kernel,
    Number,
    Pair,
    Residue,
    Wide,
    kernel,
)

MOST_BITS = 30
"""Of products of two such digits 16 fit in a word before a carry must be taken."""

Reduce = Callable[[Field, Number], Number]


class NotInDigits(UserError, LookupError):
    """The algorithm has no form in digits. The message names those that have one."""


@lru_cache(maxsize=64)
def in_digits(f: Field) -> Field:
    """Return the same modulus in digits: as few digits as hold R, of as few bits as possible."""
    bits = f.word * f.n
    count = -(-bits // MOST_BITS)
    return Field(f.p, -(-bits // count), f.name, count)


def excess(f: Field) -> int:
    """Return the bits by which the digits exceed R."""
    digits = in_digits(f)
    return digits.word * digits.n - f.word * f.n


def _multiply(function: Callable[..., Number], f: Field, x: Number, y: Number) -> Number:
    return function(in_digits(f), x, y << excess(f))


def whole_product(f: Field, x: Number, y: Number) -> Number:
    """x*y*2^excess at once, for `divide`. Raises DoesNotApply where its columns are too large."""
    _check_columns(f)
    return x * (y << excess(f))


def _check_columns(f: Field) -> None:
    digits = in_digits(f)
    if -(-f.bits // digits.word) << 2 * digits.word > f.base:
        raise DoesNotApply("a column of the whole product is larger than a word")


def divide_by_jumps(f: Field, t: Number) -> Number:
    """t/R modulo p in digits: three at a time by a constant, then one, the last two by quotients.

    Domb, "Barrett-Montgomery", hackmd.io/@Ingonyama/Barret-Montgomery. A triple leaves t three
    digits above p; each step by one digit takes one of them away.
    """
    digits = in_digits(f)
    left = digits.n - 2
    while left > 0:
        step = max(1, min(3, left - 1))
        t, left = fold_limbs(digits, t, step), left - step
    return drop_limb(digits, drop_limb(digits, t))


def divide_by_quotients(f: Field, t: Number) -> Number:
    """t/R modulo p in digits: each by a quotient."""
    digits = in_digits(f)
    for _ in range(digits.n):
        t = drop_limb(digits, t)
    return t


@kernel("mul", "sos-jumps")
def mul_jumps(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits: the whole product, then jumps of three digits."""
    return subtract_once(divide_by_jumps(f, whole_product(f, x, y)), f.p)


@kernel("mul", "sos")
def mul_sos(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits: the whole product, then the whole reduction."""
    return subtract_once(divide_by_quotients(f, whole_product(f, x, y)), f.p)


@kernel("mul", "log-jump")
def mul_log_jump(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits, with constant rows of mu and one quotient at the end."""
    return _multiply(multiply_log_jump.function, f, x, y)


@kernel("mul", "cios")
def mul_cios(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits, a row of the product, a row of the reduction."""
    return _multiply(multiply.function, f, x, y)


def _split(f: Field, x: Number) -> tuple[Field, Number, int]:
    """Return the shifts of two equal factors that add half of the excess to each, and the rest."""
    half, odd = divmod(excess(f), 2)
    return in_digits(f), x << half, odd


def _square(f: Field, x: Number, reduce: Reduce) -> Number:
    digits, root, odd = _split(f, x)
    return square_by_rows(digits, root, reduce, odd)


def whole_square(f: Field, x: Number) -> Number:
    """x^2*2^excess at once, for `divide`. Raises DoesNotApply as whole_product does."""
    _check_columns(f)
    _, root, odd = _split(f, x)
    return root * root << odd


@kernel("square", "sos-jumps")
def square_jumps(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits: the whole square, then jumps of three digits."""
    return subtract_once(divide_by_jumps(f, whole_square(f, x)), f.p)


@kernel("square", "sos")
def square_sos(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits: the whole square, then the whole reduction."""
    return subtract_once(divide_by_quotients(f, whole_square(f, x)), f.p)


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
    return _multiply(multiply.function, f, x, x)


def _sum(f: Field, x: Pair, y: Pair, reduce: Reduce) -> Number:
    above = excess(f)
    return sum_of(in_digits(f), x, (y[0] << above, y[1] << above), reduce)


@kernel("sum_of_products", "log-jump")
def sum_log_jump(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p in digits, with constant rows of mu and one quotient."""
    return subtract_once(_sum(f, x, y, fold_limb), f.p)


@kernel("sum_of_products", "cios")
def sum_cios(f: Field, x: Pair, y: Pair) -> Residue:
    """(x[0]*y[0] + x[1]*y[1])/R mod p in digits, rows of both products, a row of the reduction."""
    return subtract_all(_sum(f, x, y, drop_limb), f.p)


@kernel("mul_add", "sos-jumps")
def multiply_add_jumps(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in digits: the whole product, then jumps of three digits."""
    return subtract_all(divide_by_jumps(f, whole_product(f, x, y)) + a, f.p)


@kernel("mul_add", "sos")
def multiply_add_sos(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in digits: the whole product, then the whole reduction."""
    return subtract_all(divide_by_quotients(f, whole_product(f, x, y)) + a, f.p)


@kernel("mul_add", "log-jump")
def multiply_add_log_jump(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in digits, with constant rows of mu and one quotient at the end."""
    t = product(in_digits(f), x, y << excess(f), fold_limb)
    return subtract_all(t + a, f.p)


@kernel("mul_add", "cios")
def multiply_add_cios(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in digits, a row of the product, a row of the reduction."""
    t = product(in_digits(f), x, y << excess(f), drop_limb)
    return subtract_all(t + a, f.p)


@kernel("redc")
def reduce_wide(f: Field, x: Wide) -> Residue:
    """x/R mod p for x < p*R in digits: clear the low half digit by digit, add the high half."""
    return redc.function(in_digits(f), x << excess(f))


@kernel("to_montgomery")
def enter(f: Field, x: Residue) -> Residue:
    """x*R mod p in digits, as the Montgomery product of x and R^2."""
    return multiply.function(in_digits(f), x, (f.R2 << excess(f)) % f.p)


@kernel("from_montgomery")
def leave(f: Field, x: Residue) -> Residue:
    """x/R mod p in digits, as the Montgomery product of x and 1."""
    return multiply.function(in_digits(f), x, 1 << excess(f))


def _folded(f: Field, t: Number, high: int) -> Number:
    """t mod p = 2^k - c, given its largest value: what is above bit k times c, until below 2p."""
    _check_columns(f)
    while high >= 2 * f.p:
        t, high = fold(f, t, f.bits), folded_high(f, high, f.bits)
    return subtract_once(t, f.p)


@kernel("mul_plain", "pseudo-mersenne")
def mul_plain(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y mod p = 2^k - c in digits: the whole product, then its upper half times c."""
    complement_of_power(f)
    return _folded(f, x * y, (f.p - 1) ** 2)


@kernel("square_plain", "pseudo-mersenne")
def square_plain(f: Field, x: Residue) -> Residue:
    """x*x mod p = 2^k - c in digits: the whole square, then its upper half times c."""
    complement_of_power(f)
    return _folded(f, x * x, (f.p - 1) ** 2)


KERNELS: tuple[Kernel, ...] = (
    mul_jumps,
    mul_sos,
    mul_log_jump,
    mul_cios,
    square_jumps,
    square_sos,
    square_log_jump,
    square_cios,
    square_by_product,
    sum_log_jump,
    sum_cios,
    multiply_add_jumps,
    multiply_add_sos,
    multiply_add_log_jump,
    multiply_add_cios,
    reduce_wide,
    enter,
    leave,
    mul_plain,
    square_plain,
)
WITHOUT_PRODUCTS = ("add", "sub", "neg", "double")
"""Operations that are the same in limbs and digits."""


def readings(expression: Expression) -> list[Expression]:
    """Return the operation in digits, by every algorithm whose bounds hold.

    A studied algorithm is read as itself alone. Raises NotInDigits where there is none.
    """
    f, operation, algorithm = (
        expression.field,
        expression.kernel.operation,
        expression.kernel.algorithm,
    )
    if operation in WITHOUT_PRODUCTS:
        return [expression]
    offered = [k for k in KERNELS if k.operation == operation]
    if expression.kernel in STUDIED:
        offered = [k for k in offered if k.algorithm == algorithm]
    found = [read for k in offered for read in _traced(k, f)]
    if offered and not found:
        raise NotInDigits(
            f"{operation} by {algorithm} does not fit digits for this prime:"
            " a column is larger than a word; Montgomery form fits"
        )
    if not found:
        names = ", ".join(k.algorithm for k in KERNELS if k.operation == operation)
        works = f"there is: {names}" if names else "--target wasm32-wide takes it in limbs"
        raise NotInDigits(f"{operation} by {algorithm} is not read in digits; {works}")
    return found


def _traced(k: Kernel, f: Field) -> list[Expression]:
    try:
        return [k.expression(f)]
    except BoundError:
        return []
