"""Plain residues modulo primes near a power of two: reduction by sums instead of products."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from fieldc.algorithms.plain import with_products
from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.shapes import signed_powers
from fieldc.field import Field
from fieldc.language import DoesNotApply, Number

MOST_DIGITS = 16
"""Digits of a prime to which Solinas' sums are applied; more make more sums than limbs."""
MOST_SUMS = 40
"""Digits that go into one place; the most of the named primes are P-384's 10."""


def _solinas(f: Field, x: Number, high: int) -> Number:
    """x mod p for p = 2^a - 2^b + ...: sums of numbers made of x's digits, and differences.

    Solinas, "Generalized Mersenne numbers" (1999): a digit above p is a row of -1, 0, 1, ... below.
    """
    size, rows = digit_rows(f)
    digits = [(x >> size * i) % (1 << size) for i in range(-(-2 * f.n * f.word // size))]
    plus, minus = (list(_gathered(digits, rows, size, sign)) for sign in (1, -1))
    count = f.bits // size
    low = x % (1 << size * count)
    enough = -(-(len(minus) << f.bits) // f.p)  # of p, so that the difference is not negative
    return subtract_all(sum(plus, low) + enough * f.p - sum(minus), f.p)


def digit_rows(f: Field) -> tuple[int, list[list[int]]]:
    """(g, rows): row i is what 2^(g*(k + i)) is mod p, digit by digit, for p of k digits of g bits.

    Raises DoesNotApply where p has no such form.
    """
    terms = list(signed_powers((1 << f.bits) - f.p))
    size = gcd(f.bits, *(power for _, power in terms))
    count = f.bits // size
    if count > MOST_DIGITS:
        need = (
            f"solinas needs p = 2^a - 2^b + ..., all exponents multiples of a/{MOST_DIGITS} or more"
        )
        raise DoesNotApply(f"{need}: those of {f.short} are multiples of {size}, and a is {f.bits}")
    first = [sum(sign for sign, power in terms if power == size * j) for j in range(count)]
    rows = [first]
    for _ in range(-(-2 * f.n * f.word // size) - count - 1):
        *lower, top = rows[-1]
        rows.append([a + top * b for a, b in zip([0, *lower], first, strict=True)])
        if max(sum(map(abs, column)) for column in zip(*rows, strict=True)) > MOST_SUMS:
            what = f"modulo {f.short} a digit of a result is a sum of more than {MOST_SUMS}"
            raise DoesNotApply(f"solinas needs p = 2^a - 2^b + ... of few terms: {what}")
    return size, rows


def _gathered(
    digits: list[Number], rows: list[list[int]], size: int, sign: int
) -> Iterator[Number]:
    """Numbers of one digit a place, until every digit stands where its row wants it."""
    count = len(rows[0])
    wanted = [
        [digits[count + i] for i, row in enumerate(rows) for _ in range(sign * row[j])]
        for j in range(count)
    ]
    for k in range(max(map(len, wanted))):
        yield sum(column[k] << size * j for j, column in enumerate(wanted) if k < len(column))


SOLINAS = with_products("solinas", _solinas)
