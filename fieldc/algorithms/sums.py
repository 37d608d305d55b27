"""Inner products on arrays: the two kernels of sums in columns that a field has."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms import columns as in_digits
from fieldc.algorithms import word_columns as in_words
from fieldc.algorithms.columns import Columns
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import LIMB_BITS, in_lanes
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import Expression


class NoSums(UserError, LookupError):
    """A modulus whose products have no columns."""


@dataclass(frozen=True)
class Sums:
    """Two kernels, and the fields of what they write."""

    columns: Columns
    accumulate: Expression
    held: Field
    """Of the columns."""
    collect: Expression
    result: Field
    """Of the results of `collect`."""

    @property
    def kernels(self) -> tuple[tuple[Expression, Field], ...]:
        """Both, each with its results' field."""
        return (self.accumulate, self.held), (self.collect, self.result)


def has_sums(f: Field) -> bool:
    """Whether a field has sums in columns that are proved."""
    return f.word == LIMB_BITS or f.bits < HALF_BITS


def sums_of(f: Field) -> Sums:
    """The kernels of inner products. Raises NoSums for words of 32 bits without a spare bit."""
    if not has_sums(f):
        raise NoSums(
            f"inner products on arrays of words of 32 bits take a modulus below 2^31, not {f.short}"
        )
    if f.bits < HALF_BITS:
        add, collect = in_words.accumulate(f), in_words.collect(f)
        return Sums(in_words.columns_in_words(f), add, add.field, collect, collect.field)
    columns = in_digits.columns_of(f)
    return Sums(columns, in_digits.accumulate(f), in_lanes(f), in_digits.collect(f), f)
