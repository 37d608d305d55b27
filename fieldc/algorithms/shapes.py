"""Shapes of primes: forms of a prime that save work, found from the number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fieldc.errors import counted
from fieldc.field import Field
from fieldc.language import DoesNotApply

MOST_POWERS = 6
"""The most powers of two, added or subtracted, in a prime of few powers."""


@dataclass(frozen=True)
class Shape:
    """A form that a prime may have, and the reason why it has it or not."""

    name: str
    applies: bool
    reason: str
    """One line: the prime in this form, or what is missing."""
    saves: str
    """What an algorithm for the shape leaves out."""


def shapes(f: Field) -> tuple[Shape, ...]:
    """Every shape, in a fixed order, for a prime in limbs of its word."""
    return near_power(f), few_powers(f), signed_rows(f), simple_quotient(f), shifted_quotient(f)


def near_power(f: Field) -> Shape:
    """Whether p = 2^k - c, k the bits of p, and c of one limb and of less than half of p's bits."""
    c = (1 << f.bits) - f.p
    applies = c < f.base and c * c < 1 << f.bits
    return Shape(
        "near-power",
        applies,
        f"2^{f.bits} - {c}: p = 2^k - c, c of one limb"
        if applies
        else f"2^{f.bits} - p has {c.bit_length()} bits, more than a limb or half of p's bits",
        "plain residues: the upper half of a product folds by one row, n + 1 products",
    )


def few_powers(f: Field) -> Shape:
    """Whether p is a sum or difference of a few powers of two."""
    powers = list(signed_powers(f.p))
    applies = len(powers) <= MOST_POWERS
    return Shape(
        "few-powers",
        applies,
        f"{_written(powers)}: {len(powers)} powers of two"
        if applies
        else f"p takes {len(powers)} powers of two, {MOST_POWERS} at most",
        "plain residues are reduced by sums alone",
    )


def simple_quotient(f: Field) -> Shape:
    """Whether n0 is 1 or -1."""
    low, ones = f.p % f.base, f.base - 1
    applies = low in (1, ones)
    return Shape(
        "simple-quotient",
        applies,
        f"n0 = {1 if low == ones else -1}: p is {-1 if low == ones else 1} modulo 2^{f.word}"
        if applies
        else f"p is {low:#x} modulo 2^{f.word}, not 1 or -1",
        "rows of Montgomery's reduction multiply only the upper limbs of p",
    )


def shifted_quotient(f: Field) -> Shape:
    """Whether p = 2^w - 2^k + 1 of one limb of w bits, and k at least w/2."""
    c = f.complement + 1
    is_power, k = c & c - 1 == 0, c.bit_length() - 1
    applies = f.n == 1 and is_power and 2 * k >= f.word
    return Shape(
        "shifted-quotient",
        applies,
        f"2^{f.word} - 2^{k} + 1: p = 2^w - 2^k + 1 of one limb, k at least {-(-f.word // 2)}"
        if applies
        else f"p is not 2^{f.word} - 2^k + 1 with k at least {-(-f.word // 2)}",
        "the quotient of Montgomery's reduction and its product with p are shifts and sums",
    )


def shift_of_quotient(f: Field) -> int:
    """k where p = 2^w - 2^k + 1 of one limb, k at least w/2. Raises DoesNotApply otherwise."""
    shape = shifted_quotient(f)
    if not shape.applies:
        raise DoesNotApply(
            f"shifted-quotient needs p = 2^w - 2^k + 1, one limb of w bits: {shape.reason}"
        )
    return f.complement.bit_length()


def signed_rows(f: Field) -> Shape:
    """Whether signed limbs save a third of the products of Montgomery's reduction."""
    _, a, b = signed_row(f)
    quotient = f.n0 not in (1, f.base - 1)
    signed = quotient + _products(f, a) + _products(f, b)
    most = 2 * (f.n + 1) // 3
    applies = 3 * signed <= 2 * (f.n + 1)
    return Shape(
        "signed-limbs",
        applies,
        f"a step of Montgomery's reduction takes {counted(signed, 'product')} with signed limbs, "
        f"{quotient + _products(f, f.p)} without"
        f"{'' if applies else f'; they are offered for at most {most}'}",
        "rows of the reduction have signed limbs, most of them 0 or 1",
    )


def _products(f: Field, value: int) -> int:
    """Limbs that are multiplied: all but 0 and 1."""
    return sum(limb not in (0, 1) for limb in f.limbs(value, f.n + 1))


def signed_parts(value: int, limbs_: list[int], base: int) -> tuple[int, int]:
    """(a, b) with a - b = value, of the fewest products: each limb is one of a's or one of b's."""
    plans: dict[int, tuple[int, int, int]] = {0: (0, 0, 0)}
    for i, limb in enumerate(limbs_):
        found: dict[int, tuple[int, int, int]] = {}
        for carry, (cost, a, b) in plans.items():
            up, over = (limb + carry) % base, (limb + carry) // base
            ways = [(over, cost + work(up), a + (up * base**i), b)]
            if up:
                ways.append((over + 1, cost + work(base - up), a, b + (base - up) * base**i))
            for new, *plan in ways:
                found[new] = min(found.get(new, (1 << 30, 0, 0)), (plan[0], plan[1], plan[2]))
        plans = found
    top = base ** len(limbs_)
    return min((cost + 2 * carry, a + carry * top, b) for carry, (cost, a, b) in plans.items())[1:]


def work(limb: int) -> int:
    """What a limb of a row costs, in additions: a product, or one for the additions alone."""
    if limb in (0, 1):
        return 2 * limb
    return 6


def signed_row(f: Field) -> tuple[int, int, int]:
    """(r, a, b): t + q*p is 2^w*(t >> w) + q*(a - b)*2^(w*r) where q clears the lowest limb.

    r is 1 where n0 is 1, for q is the lowest limb then, and 0 otherwise.
    """
    r = 1 if f.n0 == 1 else 0
    value = (f.p + r) >> f.word * r
    return r, *signed_parts(value, f.limbs(value), f.base)


def complement_of_power(f: Field, algorithm: str = "pseudo-mersenne") -> int:
    """c where p = 2^k - c, k the bits of p and c of one limb and of less than half of p's bits.

    Raises DoesNotApply for other primes.
    """
    near = near_power(f)
    if not near.applies:
        raise DoesNotApply(
            f"{algorithm} needs p = 2^k - c with c of one limb, not {f.short}: {near.reason}"
        )
    return (1 << f.bits) - f.p


def signed_powers(c: int) -> Iterator[tuple[int, int]]:
    """(sign, exponent) of the powers of two that make c, no two of them neighbours."""
    power = 0
    while c:
        if c & 1:
            sign = 2 - c % 4
            yield sign, power
            c -= sign
        c, power = c >> 1, power + 1


def _written(powers: list[tuple[int, int]]) -> str:
    """A sum of powers of two as one writes it, the highest first."""
    (_, first), *rest = reversed(powers)
    return f"2^{first}" + "".join(
        f" {'+' if sign > 0 else '-'} {f'2^{power}' if power else 1}" for sign, power in rest
    )
