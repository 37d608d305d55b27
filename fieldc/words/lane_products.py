"""Columns of products in lanes, half by half."""

from __future__ import annotations

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.language import Integer
from fieldc.words.lane_steps import LaneBuilder
from fieldc.words.program import Value

Totals = tuple[list[Value], list[Value]]
"""Columns that low halves are added to, and those of high halves, which may be the same."""


def limit_of(node: Integer, place: int) -> int:
    """No column is negative, so that one is at most what it makes of the whole number."""
    return node.high >> DIGIT_BITS * place


def add_product(
    build: LaneBuilder,
    total: Totals,
    factors: tuple[list[Value], list[Value]],
    places: tuple[int, int],
    whole: Integer,
) -> None:
    """Add a product of digits from a place on, row by row, to columns that make `whole` at last.

    Columns below the second place are left out.
    """
    (digits, row), (place, skipped) = factors, places
    for i, j, half in build.style.halves(len(digits), len(row)):
        at, columns = place + i + j + half, total[half]
        if skipped <= at < len(columns):
            limit = limit_of(whole, at)
            columns[at] = build.half(half, columns[at], digits[i], row[j], limit)


def square(build: LaneBuilder, digits: list[Value], node: Integer, count: int) -> list[Value]:
    """Products of different digits once and doubled, then the squares of digits."""
    total = [build.constant(0)] * count
    pairs = build.style.pairs(len(digits))
    for same in (False, True):
        for i, j in [(i, i) for i in range(len(digits))] if same else pairs:
            for at in (i + j, i + j + 1):
                if at < len(total):
                    half, limit = at - i - j, limit_of(node, at)
                    total[at] = build.half(half, total[at], digits[i], digits[j], limit)
        if not same:
            total = joined(build, total, total, node)
    return total


def constant_less(build: LaneBuilder, constant: Integer, columns: list[Value]) -> list[Value]:
    """Columns of a constant less these, none negative: each lends to the one below it."""
    found, lent, last = list[Value](), 0, len(columns) - 1
    for at, column in enumerate(columns):
        above = constant.high >> DIGIT_BITS * at
        digit = (above if at == last else above & (1 << DIGIT_BITS) - 1) - lent
        lent = 0 if at == last else max(0, -(digit - column.high >> DIGIT_BITS))
        found.append(build.rest(digit + (lent << DIGIT_BITS), column))
    return found


def joined(build: LaneBuilder, low: list[Value], high: list[Value], node: Integer) -> list[Value]:
    """The sums of both halves' columns, which make a node."""
    both = enumerate(zip(low, high, strict=True))
    return [build.sum(a, b, limit_of(node, at)) for at, (a, b) in both]
