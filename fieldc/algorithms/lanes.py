"""The algorithms of lanes: digits of 52 bits, whose products a vector instruction adds by halves.

A text takes a field in one of two ways. In words of 64 bits, residues are in Montgomery form with
R = 2^(64n): one factor is read `excess` bits higher, so that dropping all digits divides by R. In
digits of 52 bits, R is 2^52 to the number of digits, and the excess is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import cast

from fieldc.algorithms.addition import add, add_if_negative, double, neg, sub
from fieldc.algorithms.lane_words import check_halves, product_in_words, sum_in_words
from fieldc.algorithms.lazy import add as add_lazy
from fieldc.algorithms.lazy import check_two_spare_bits
from fieldc.algorithms.lazy import reduce as reduce_lazy
from fieldc.algorithms.lazy import sub as sub_lazy
from fieldc.algorithms.reduction import drop_limb, fold_limbs, subtract_all, subtract_once
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import (
    BoundError,
    DoesNotApply,
    Expression,
    Kernel,
    Lazy,
    Number,
    Pair,
    Residue,
    kernel,
    select,
)
from fieldc.operands import lazily, residues
from fieldc.operations import OPERATIONS, Operation, simple

DIGIT_BITS = 52
"""Bits that a lane multiplies: those of a double's fraction (AVX-512 IFMA)."""
LOOSE_BITS = 62
"""Bits of a word of loose digits, where carries wait: those of a digit, and room for sums."""
LIMB_BITS = 64
MOST_BITS = 768
"""The longest modulus: its digits leave room for values below 4p."""


class NoLanes(UserError, LookupError):
    """The operation has no kernel on arrays; the message names those that have one."""


@lru_cache(maxsize=64)
def in_lanes(f: Field) -> Field:
    """The same modulus in digits of 52 bits, as many as hold R; such a field is itself.

    Raises DoesNotApply for a modulus of more than MOST_BITS, or in words of 32 bits without a
    spare bit.
    """
    check_halves(f)
    if f.bits > MOST_BITS:
        raise DoesNotApply(
            f"kernels on arrays take a modulus of up to {MOST_BITS} bits, not of {f.bits}"
        )
    if f.word == DIGIT_BITS:
        return f
    return Field(f.p, DIGIT_BITS, f.name, -(-f.word * f.n // DIGIT_BITS))


def excess(f: Field) -> int:
    """Return the bits by which the digits exceed R."""
    digits = in_lanes(f)
    return digits.word * digits.n - f.word * f.n


def jumps(digits: Field) -> list[int]:
    """How many digits each jump drops, the two last digits being left to quotients.

    A jump of k digits leaves t as much as k digits above p, so each is shorter than what is left.
    Where its constant is almost p and k digits follow, t would stay above 2p: it is one shorter.
    Products of lazy values add up to 5p*p/R.
    """
    room = (digits.p >> digits.word - 1) + 8 * digits.p**2 // digits.R
    is_almost_p = digits.p - pow(digits.mu, 3, digits.p) < room
    left, found = digits.n - 2, list[int]()
    while left > 0:
        found.append(max(1, min(2 if is_almost_p and left == 4 else 3, left - 1)))
        left -= found[-1]
    return found


def divide(f: Field, t: Number) -> Number:
    """t/R modulo p, below no more than bounds tell: jumps by constants, then two quotients.

    Domb, "Barrett-Montgomery", hackmd.io/@Ingonyama/Barret-Montgomery.
    """
    digits = in_lanes(f)
    for count in jumps(digits):
        t = fold_limbs(digits, t, count)
    return drop_limb(digits, drop_limb(digits, t))


def divide_by_quotients(f: Field, t: Number) -> Number:
    """t/R modulo p, a quotient for each digit: as many products, one after the other.

    For a full-bit prime: jumps leave t above 2p there, by less than a part in 2^50.
    """
    digits = in_lanes(f)
    for _ in range(digits.n):
        t = drop_limb(digits, t)
    return t


def whole_product(f: Field, x: Number, y: Number) -> Number:
    """x*y*2^excess."""
    return x * (y << excess(f))


def whole_square(f: Field, x: Number) -> Number:
    """x^2*2^excess; the excess is even, for 52 and the word are."""
    root = x << excess(f) // 2
    return root * root


@kernel("add", "words")
def add_words(f: Field, x: Residue, y: Residue) -> Residue:
    """x + y mod p for p of one limb: every number is a word."""
    return sum_in_words(f, x, y)


@kernel("double", "words")
def double_words(f: Field, x: Residue) -> Residue:
    """2*x mod p for p of one limb: every number is a word."""
    return sum_in_words(f, x, x)


@kernel("mul", "words")
def multiply_words(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in words, for the primes of product_in_words."""
    return product_in_words(f, x, y)


@kernel("square", "words")
def square_words(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in words, for the primes of product_in_words."""
    return product_in_words(f, x, x)


@kernel("mul_add", "words")
def multiply_add_words(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in words, for the primes of product_in_words."""
    return sum_in_words(f, product_in_words(f, x, y), a)


@kernel("mul", "lanes")
def multiply(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits of 52 bits: the whole product, jumps of up to three digits."""
    return subtract_once(divide(f, whole_product(f, x, y)), f.p)


@kernel("square", "lanes")
def square(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits of 52 bits: doubled cross products, jumps of up to three digits."""
    return subtract_once(divide(f, whole_square(f, x)), f.p)


@kernel("mul", "lanes-quotients")
def multiply_quotients(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p in digits of 52 bits: the whole product, a quotient for each digit."""
    return subtract_once(divide_by_quotients(f, whole_product(f, x, y)), f.p)


@kernel("square", "lanes-quotients")
def square_quotients(f: Field, x: Residue) -> Residue:
    """x*x/R mod p in digits of 52 bits: doubled cross products, a quotient for each digit."""
    return subtract_once(divide_by_quotients(f, whole_square(f, x)), f.p)


@kernel("mul_add", "lanes")
def multiply_add(f: Field, x: Residue, y: Residue, a: Residue) -> Residue:
    """x*y/R + a mod p in digits of 52 bits."""
    return subtract_all(divide(f, whole_product(f, x, y)) + a, f.p)


@kernel("mul_lazy", "lanes")
def multiply_lazy(f: Field, x: Lazy, y: Lazy) -> Lazy:
    """x*y/R modulo p in digits of 52 bits, not reduced."""
    check_two_spare_bits(in_lanes(f))
    return divide(f, whole_product(f, x, y))


@kernel("square_lazy", "lanes")
def square_lazy(f: Field, x: Lazy) -> Lazy:
    """x*x/R modulo p in digits of 52 bits, not reduced."""
    check_two_spare_bits(in_lanes(f))
    return divide(f, whole_square(f, x))


def _butterfly(lazy: int) -> Operation:
    """The step for residues, or for x and y below (lazy + 1)*p."""
    bound, results = lazily(1, lazy), lazily(2, lazy)
    return Operation(
        "butterfly",
        (("x", bound), ("y", bound), ("w", residues(1))),
        results,
        "x + y*w/R, x - y*w/R mod p",
        lambda f, x, y, w: (x + y * w * f.R_inverse, x - y * w * f.R_inverse),
        {"lazy": lazy} if lazy else {},
    )


LAZY_BUTTERFLY = 4
"""Values of a butterfly in digits are below 5p."""
BUTTERFLIES = {each.name: each for each in map(_butterfly, (0, LAZY_BUTTERFLY))}
"""The step of a number-theoretic transform, which kernels on arrays alone have."""
MUL_ADD_LAZY = simple("mul_add", lazy=1)
"""x*y/R + a of values below 2p, which arrays alone have too."""
ARRAY_OPERATIONS = OPERATIONS | BUTTERFLIES | {MUL_ADD_LAZY.name: MUL_ADD_LAZY}
"""Every operation by name."""


@kernel(MUL_ADD_LAZY, "lanes")
def multiply_add_lazy(f: Field, x: Lazy, y: Lazy, a: Lazy) -> Lazy:
    """x*y/R + a modulo p in digits of 52 bits, less 2p where it is 2p or more."""
    check_two_spare_bits(in_lanes(f))
    return subtract_once(divide(f, whole_product(f, x, y)) + a, 2 * f.p)


def less_by_top(f: Field, x: Number, c: int, waiting: int = 0) -> Number:
    """x, or x - c where the highest digits of x, in units of less than p/4, say that x >= c.

    Where carries of so many bits are `waiting`, units are less than p/4 by so many bits.
    """
    place = DIGIT_BITS * (max(0, f.bits - 3 - waiting) // DIGIT_BITS)
    if not place:
        return subtract_once(x, c)
    least = -(-c >> place)
    return select((x >> place) - least < 0, x, x - c)


def sum_and_difference(f: Field, x: Number, t: Number) -> tuple[Number, Number]:
    """x + t and x - t mod p."""
    return subtract_once(x + t, f.p), add_if_negative(x - t, f.p)


@kernel(BUTTERFLIES["butterfly"], "words")
def butterfly_words(f: Field, x: Residue, y: Residue, w: Residue) -> Pair:
    """x + y*w/R and x - y*w/R mod p in words, for the primes of product_in_words."""
    t = product_in_words(f, y, w)
    return sum_in_words(f, x, t), add_if_negative(x - t, f.p)


@kernel(BUTTERFLIES["butterfly"], "lanes")
def butterfly(f: Field, x: Residue, y: Residue, w: Residue) -> Pair:
    """x + y*w/R and x - y*w/R mod p in digits of 52 bits."""
    return sum_and_difference(f, x, subtract_once(divide(f, whole_product(f, y, w)), f.p))


@kernel(BUTTERFLIES["butterfly"], "lanes-quotients")
def butterfly_quotients(f: Field, x: Residue, y: Residue, w: Residue) -> Pair:
    """x + y*w/R and x - y*w/R mod p in digits of 52 bits: a quotient for each digit."""
    t = divide_by_quotients(f, whole_product(f, y, w))
    return sum_and_difference(f, x, subtract_once(t, f.p))


def butterfly_below(lazy: int) -> Kernel:
    """The step for x and y below (lazy + 1)*p, lazy even."""

    def text(f: Field, x: Number, y: Number, w: Number) -> tuple[Number, Number]:
        """x + y*w/R and x - y*w/R modulo p in digits of 52 bits, not reduced.

        The product is below lazy/2*p, and less_by_top leaves x less than p above that: no sum is
        compared.
        """
        half = lazy // 2 * f.p
        t = divide(f, whole_product(f, y, w))
        x = less_by_top(f, x, half)
        return x + t, x + (half - t)

    return Kernel(_butterfly(lazy), "lanes", cast(Callable[..., Number], text))


butterfly_lazy = butterfly_below(LAZY_BUTTERFLY)


def spare(f: Field) -> int:
    """The bits by which a field's digits are more than its limbs of 64 bits."""
    digits = in_lanes(f)
    return digits.word * digits.n - LIMB_BITS * -(-f.bits // LIMB_BITS)


ONE = residues(1)
TO_DIGITS = Operation(
    "to_digits", (("x", ONE),), ONE, "x*2^spare mod p", lambda f, x: x << spare(f)
)
FROM_DIGITS = Operation(
    "from_digits",
    (("x", lazily(1)),),
    ONE,
    "x/2^spare mod p",
    lambda f, x: x * pow(2, -spare(f), f.p),
)


@kernel(TO_DIGITS, "lanes")
def to_digits(f: Field, x: Residue) -> Residue:
    """The same element with R = 2^(52D): the product with 2^(52D + spare), divided by 2^(52D)."""
    digits = in_lanes(f)
    t = x * ((digits.R << spare(f)) % f.p)
    return subtract_once(divide(digits, t), f.p)


@kernel(FROM_DIGITS, "lanes")
def from_digits(f: Field, x: Lazy) -> Residue:
    """The same element with R = 2^(64n): the product with 2^(52D - spare), divided by 2^(52D)."""
    digits = in_lanes(f)
    t = x * (digits.R * pow(2, -spare(f), f.p) % f.p)
    return subtract_once(divide(digits, t), f.p)


CONVERSIONS: tuple[Kernel, ...] = (to_digits, from_digits)
"""From limbs of 64 bits to digits of 52, and back; an element stays the same."""


def multiplied(factor: int, text: Callable[..., Number]) -> Kernel:
    """A kernel of a known multiple of x mod p."""

    def compute(f: Field, x: int) -> int:
        return factor * x

    says, parameters = f"{factor}*x mod p", {"factor": factor}
    computes = Operation("mul_by", (("x", ONE),), ONE, says, compute, parameters)
    return Kernel(computes, "lanes", text)


def reduced(lazy: int, text: Callable[..., Number]) -> Kernel:
    """A kernel of x mod p for x below (lazy + 1)*p."""
    operands, parameters = (("x", lazily(1, lazy)),), {"lazy": lazy}
    computes = Operation("reduce", operands, ONE, "x mod p", lambda f, x: x, parameters)
    return Kernel(computes, "lanes", text)


cut = multiplied(1, cast(Callable[..., Number], lambda f, x: x))
"""The same number, from limbs to digits: R stays 2^(64n)."""
join = reduced(1, cast(Callable[..., Number], lambda f, x: subtract_once(x, f.p)))
"""The number mod p, for digits of values below 2p."""

LANES: tuple[Kernel, ...] = (
    add_words,
    add,
    sub,
    neg,
    double_words,
    double,
    multiply_words,
    multiply,
    multiply_quotients,
    square_words,
    square,
    square_quotients,
    multiply_add_words,
    multiply_add,
    butterfly_words,
    butterfly,
    butterfly_quotients,
    add_lazy,
    sub_lazy,
    multiply_lazy,
    square_lazy,
    multiply_add_lazy,
    butterfly_lazy,
    reduce_lazy,
)
"""The operations of lanes; of several algorithms the first whose bounds hold is taken."""


def in_lanes_by(f: Field, operation: str) -> Expression:
    """An operation by the first algorithm whose bounds hold.

    Raises NoLanes for an operation that has no kernel here, BoundError where no bounds hold.
    """
    in_lanes(f)
    refused: BoundError | None = None
    for offered in LANES:
        if offered.operation == operation:
            try:
                return offered.expression(f)
            except BoundError as error:
                refused = refused or error
    if refused is not None:
        raise refused
    names = ", ".join(dict.fromkeys(k.operation for k in LANES))
    raise NoLanes(f"{operation} has no kernel on arrays; there is {names}")
