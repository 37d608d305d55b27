"""Products of numbers in digits, with fewer multiplications than there are pairs of digits.

A multiplication costs more than an addition, of which processors do several at once. Numbers are
taken in three parts, and of two parts the mixed products come from one product of sums:

    a_i*b_j + a_j*b_i = (a_i + a_j)*(b_i + b_j) - a_i*b_i - a_j*b_j

Weimerskirch, Paar, "Generalizations of the Karatsuba algorithm" (2006). The sums may wrap; what the
columns are at last is smaller than a word, so it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, zip_longest

from fieldc.language import LanguageError
from fieldc.words.build import Builder
from fieldc.words.program import Value

PARTS = 3
Digits = Sequence[Value]


def product(build: Builder, a: Digits, b: Digits) -> list[Value]:
    """The columns of a*b. Raises LanguageError where one may be larger than a word."""
    short, long = sorted((a, b), key=len)
    blocks = [(at, long[at : at + len(short)]) for at in range(0, len(long), len(short))]
    pieces = [(at, _in_parts(build, short, block)) for at, block in blocks]
    return _sum(build, _limits(short, long), pieces)


def fits(build: Builder, a: Digits, b: Digits) -> bool:
    """Whether every column of a*b is a word."""
    return max(_limits(a, b)) <= build.top


def square(build: Builder, a: Digits, is_doubled: bool = False) -> list[Value]:
    """The columns of a*a, or of 2*a*a: products of different digits once, and doubled."""
    twice = [build.add(x, x, build.no_carry)[0] for x in a]
    first = twice if is_doubled else a
    pieces = []
    for i, x in enumerate(first):
        row = [a[i], *twice[i + 1 :]]
        pieces.append((2 * i, [build.mul_low(x, y, "m", x.high * y.high) for y in row]))
    return _sum(build, _limits(first, a), pieces)


def _in_parts(build: Builder, a: Digits, b: Digits) -> list[Value]:
    if len(a) < PARTS or len(b) < len(a):
        return _by_pairs(build, a, b)
    m = len(a) // PARTS
    cuts = [slice(0, m), slice(m, 2 * m), slice(2 * m, None)]
    parts = [(a[cut], b[cut]) for cut in cuts]
    squares = [_by_pairs(build, x, y) for x, y in parts]
    pieces = [(2 * m * i, square) for i, square in enumerate(squares)]
    for i, j in combinations(range(PARTS), 2):
        (x0, y0), (x1, y1) = parts[i], parts[j]
        mixed = _by_pairs(build, _added(build, x0, x1), _added(build, y0, y1))
        limits = [p + q for p, q in zip(_limits(x0, y1), _limits(x1, y0), strict=True)]
        anything = [build.top] * len(mixed)
        left = _without(build, mixed, squares[i], anything)
        pieces.append((m * (i + j), _without(build, left, squares[j], limits)))
    return _sum(build, _limits(a, b), pieces)


def _by_pairs(build: Builder, a: Digits, b: Digits) -> list[Value]:
    """Columns modulo the word: a product for each pair of digits."""
    columns = [build.constant(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            term = build.mul_low(x, y, "m", min(x.high * y.high, build.top))
            columns[i + j] = build.add(columns[i + j], term, build.no_carry)[0]
    return columns


def _limits(a: Digits, b: Digits) -> list[int]:
    """The largest value of each column of a*b."""
    limits = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            limits[i + j] += x.high * y.high
    return limits


def _sum(
    build: Builder, limits: Sequence[int], pieces: Sequence[tuple[int, Digits]]
) -> list[Value]:
    """Columns from pieces, each at its place; none is negative, so no sum is above its limit."""
    if max(limits) > build.top:
        raise LanguageError("a column of products is larger than a word")
    columns = [build.constant(0)] * len(limits)
    for at, piece in pieces:
        for place, value in enumerate(piece, at):
            limit = limits[place]
            columns[place] = build.add(columns[place], value, build.no_carry, limit)[0]
    return columns


def _added(build: Builder, a: Digits, b: Digits) -> list[Value]:
    zero = build.constant(0)
    pairs = zip_longest(a, b, fillvalue=zero)
    return [build.add(x, y, build.no_carry)[0] for x, y in pairs]


def _without(build: Builder, a: Digits, b: Digits, limits: Sequence[int]) -> list[Value]:
    """a - b, column by column, modulo the word, as far as there are limits of the difference."""
    pairs = zip_longest(a, b, fillvalue=build.constant(0))
    return [
        build.sub(x, y, build.no_carry, limit)[0]
        for (x, y), limit in zip(pairs, limits, strict=False)
    ]
