"""What kernels on arrays of a field compute, beside the operations that every field has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from fieldc.algorithms.columns import (
    LANE_TOWERS,
    accumulate_digits,
    accumulate_multiples,
    collect,
    columns_of_tower,
)
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.sums import has_sums, sums_of
from fieldc.algorithms.transforms import NoDigits, transform_kernels
from fieldc.artifacts.digit_arrays import moves
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.operations import Operation
from fieldc.targets.vectors.offers import conversions


@lru_cache(maxsize=16)
def operations_on(p: int, word: int) -> tuple[Operation, ...]:
    """Sums in columns, what changes the layout, and what transforms and towers call."""
    names = (name for name in LANE_TOWERS if find_field(name).p == p)
    return tuple(each.kernel.computes for each in _expressions(Field(p, word, next(names, ""))))


def _expressions(f: Field) -> Iterator[Expression]:
    if has_sums(f):
        yield from (expression for expression, _ in sums_of(f).kernels)
    if f.word == HALF_BITS:
        return
    yield from (each.expression for each in conversions(f).values())
    if f.n > 1:
        yield accumulate_digits(f)
    if (columns := columns_of_tower(f)) is not None:
        yield from (accumulate_multiples(f, columns), collect(f, columns))
    yield from (expression for expression, *_ in moves(f).values())
    try:
        yield from (each.expression for each in transform_kernels(f).values())
    except NoDigits:
        return
