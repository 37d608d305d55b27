"""Inner products in lanes with one reduction for many terms.

A column of 64 bits takes thousands of halves of products, which are below 2^52. So one kernel adds
products to columns that stay in memory, and no carry is taken. Another one reduces the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from fieldc.algorithms.lanes import (
    DIGIT_BITS,
    LIMB_BITS,
    divide,
    excess,
    in_lanes,
    whole_product,
)
from fieldc.algorithms.reduction import subtract_all
from fieldc.field import Field
from fieldc.language import Expression, Kernel, Number
from fieldc.operands import Range, residues
from fieldc.operations import Operation

SUM = "t"
"""The operand that lies in columns."""
INNER = "inner_product"
"""The operation that `accumulate`, and `collect` once for as many terms as fit, make together."""


@dataclass(frozen=True)
class Columns:
    """The columns of a sum of products, each in a word of 64 bits."""

    count: int
    turns: int
    """The most products that a lane adds."""

    @property
    def most(self) -> int:
        """The largest value of a column: a product adds at most `count` halves to it."""
        return self.turns * self.count * ((1 << DIGIT_BITS) - 1)


def columns_of(f: Field) -> Columns:
    """The columns of products in a field, and as many products, a power of two, as they take.

    Three bits stay free: columns are reduced and compared with p before their carries are taken.
    The quotient of a sum by R is below turns*p + p, which must not need a digit more than R has.
    """
    digits = in_lanes(f)
    count = 2 * digits.n
    most = (1 << LIMB_BITS - 3) // (count * ((1 << DIGIT_BITS) - 1))
    most = min(most, digits.R // f.p - 1)
    return Columns(count, 1 << most.bit_length() - 1)


def _sums(f: Field, turns: int) -> Range:
    """The range of a sum of so many products, times 2^excess."""
    return Range(multiple=turns, powers=2, bits=excess(f))


@lru_cache(maxsize=64)
def accumulate(f: Field) -> Expression:
    """t + x*y*2^excess in columns, for residues in words of 64 bits. No carry is taken."""

    def text(f: Field, t: Number, x: Number, y: Number) -> Number:
        return t + whole_product(f, x, y)

    turns, one = columns_of(f).turns, residues(1)
    operands = ((SUM, _sums(f, turns - 1)), ("x", one), ("y", one))
    computes = Operation("accumulate", operands, _sums(f, turns), "t + x*y*2^excess")
    return Kernel(computes, "lanes", text).expression(f)


@lru_cache(maxsize=64)
def collect(f: Field) -> Expression:
    """t/2^(52D) mod p from columns: the sum of products divided by R, as excess was added."""

    def text(digits: Field, t: Number) -> Number:
        return subtract_all(divide(digits, t), digits.p)

    operands = ((SUM, _sums(f, columns_of(f).turns)),)
    computes = Operation("collect", operands, residues(1), "t/2^(52D) mod p")
    return Kernel(computes, "lanes", text).expression(in_lanes(f))
