"""Inner products in lanes with one reduction for many terms.

A column of 64 bits takes thousands of halves of products, which are below 2^52. So one kernel adds
products to columns, and no carry is taken. Another one reduces the columns. A modulus of one limb
needs three columns, which stay in registers. Primes below 2^31 need two columns of halves of 32
bits; for theirs see word_columns.py.
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
from fieldc.language import DoesNotApply, Expression, Kernel, Number
from fieldc.operands import Range, lazily, residues
from fieldc.operations import Operation

SUM = "t"
"""The operand that lies in columns."""
ACCUMULATE, COLLECT = "accumulate", "collect"
"""The two kernels of sums in columns."""
INNER = "inner_product"
"""The operation that `accumulate`, and `collect` once for as many terms as fit, make together."""
LANE_TOWERS = {"bls12-381-p": 1, "bn254-p": 9}
"""Fields whose extension of degree 12 is computed in lanes: ξ - u for each.

A second factor is part of ξ*y, so it is at most (ξ - u + 1)*p (crates/fieldc/src/tower/lanes).
"""
TOWER_TERMS = 15
"""The most products in a coefficient: three times five of them, in a cyclotomic square."""
FEW = 3
"""The columns of products of one limb: a loop holds so many in registers."""


@dataclass(frozen=True)
class Columns:
    """The columns of a sum of products, each in a word of 64 bits."""

    count: int
    turns: int
    """How often a lane adds."""
    bits: int = DIGIT_BITS
    """How far columns are apart."""
    terms: int = 1
    """The products that a lane adds in a turn."""
    multiple: int = 0
    """Of sums of residues moved up, times factors below so many p; else 0."""

    @property
    def in_words(self) -> bool:
        """Whether they are two, of words."""
        return self.bits != DIGIT_BITS

    @property
    def are_held(self) -> bool:
        """Whether they stay in registers during a loop: few, or those of products in a tower."""
        return self.count <= FEW or bool(self.multiple)

    @property
    def word(self) -> int:
        """Bits of the words that elements have."""
        return LIMB_BITS // self.terms

    @property
    def growth(self) -> int:
        """The most that a turn adds to a column: one half, or as many as there are columns."""
        return (1 if self.in_words else self.count) * ((1 << self.bits) - 1)

    @property
    def most(self) -> int:
        """The largest value of a column."""
        return self.turns * self.growth


def columns_of(f: Field) -> Columns:
    """The columns of products in a field, and as many products, a power of two, as they take.

    Three bits stay free: columns are reduced and compared with p before their carries are taken.
    The quotient of a sum by R is below turns*p + p, which must not need a digit more than R has.
    """
    digits = in_lanes(f)
    count = FEW if f.n == 1 else 2 * digits.n
    most = (1 << LIMB_BITS - 3) // (count * ((1 << DIGIT_BITS) - 1))
    most = min(most, digits.R // f.p - 1)
    turns = 1 << most.bit_length() - 1
    if f.n == 1:  # as many as hold the sum
        count = -(-(turns * (f.p - 1) ** 2).bit_length() // DIGIT_BITS)
    return Columns(count, turns)


def moved(f: Field) -> int:
    """By how many bits the sums in columns are moved up: 0 for one limb, so that they are few."""
    return 0 if f.n == 1 else excess(f)


def _sums(f: Field, turns: int, multiple: int = 0) -> Range:
    """The range of a sum of so many products, as far as they are moved up."""
    return Range(multiple=turns * max(1, multiple), powers=2, bits=moved(f))


def columns_of_multiples(f: Field, multiple: int, turns: int) -> Columns:
    """Columns of up to `turns` products, whose second factors are below multiple*p; of two limbs.

    Raises DoesNotApply where a column or R has no room for them.
    """
    columns = Columns(2 * in_lanes(f).n, turns, multiple=multiple)
    if f.n < 2 or columns.most >> LIMB_BITS - 3 or multiple * f.p > in_lanes(f).R:
        raise DoesNotApply(f"no columns of {f.short} take {turns} products of {multiple}p")
    return columns


def columns_of_tower(f: Field) -> Columns | None:
    """The columns of products in a tower, if it is computed in lanes."""
    if f.name not in LANE_TOWERS:
        return None
    return columns_of_multiples(f, LANE_TOWERS[f.name] + 2, TOWER_TERMS)


@lru_cache(maxsize=64)
def accumulate(f: Field) -> Expression:
    """t + x*y*2^excess in columns, for residues in words of 64 bits. No carry is taken.

    Of one limb, t + x*y.
    """

    def text(f: Field, t: Number, x: Number, y: Number) -> Number:
        return t + (whole_product(f, x, y) if moved(f) else x * y)

    turns, one = columns_of(f).turns, residues(1)
    operands = ((SUM, _sums(f, turns - 1)), ("x", one), ("y", one))
    said = "t + x*y*2^excess" if moved(f) else "t + x*y"
    computes = Operation(ACCUMULATE, operands, _sums(f, turns), said)
    return Kernel(computes, "lanes", text).expression(f)


@lru_cache(maxsize=64)
def accumulate_digits(f: Field) -> Expression:
    """t + x*y in columns, for x and y below 2p in digits. R is 2^(52D), of two limbs and more.

    `collect` takes these columns too: excess is 4 bits at least, so (2p)^2 is below p^2*2^excess.
    """
    turns, lazy = columns_of(f).turns, lazily(1)
    operands = ((SUM, _sums(f, turns - 1)), ("x", lazy), ("y", lazy))
    computes = Operation(ACCUMULATE, operands, _sums(f, turns), "t + x*y")

    def text(digits: Field, t: Number, x: Number, y: Number) -> Number:
        return t + x * y

    return Kernel(computes, "lanes", text).expression(in_lanes(f))


@lru_cache(maxsize=64)
def accumulate_multiples(f: Field, columns: Columns) -> Expression:
    """t + x*y in columns, in digits: x < p*2^excess is a residue moved up, y is below multiple*p.

    So t/2^(52D) is a sum of products divided by R = 2^(64n).
    """
    before, after = (_sums(f, columns.turns - i, columns.multiple) for i in (1, 0))
    y = Range(multiple=columns.multiple)
    operands = ((SUM, before), ("x", Range(bits=excess(f))), ("y", y))
    computes = Operation(ACCUMULATE, operands, after, "t + x*y")

    def text(digits: Field, t: Number, x: Number, y: Number) -> Number:
        return t + x * y

    return Kernel(computes, "lanes", text).expression(in_lanes(f))


@lru_cache(maxsize=64)
def collect(f: Field, columns: Columns | None = None) -> Expression:
    """t/2^(52D) mod p from columns: the sum of products divided by R, as excess was added.

    Of one limb, t/2^64 mod p: t is moved up here.
    """
    columns = columns or columns_of(f)
    above = excess(f) - moved(f)

    def text(digits: Field, t: Number) -> Number:
        if above:
            t = _moved_up(digits, t, above)
        return subtract_all(divide(digits, t), digits.p)

    operands = ((SUM, _sums(f, columns.turns, columns.multiple)),)
    said = "t/2^64 mod p" if above else "t/2^(52D) mod p"
    computes = Operation(COLLECT, operands, residues(1), said)
    return Kernel(computes, "lanes", text).expression(in_lanes(f))


def _moved_up(digits: Field, t: Number, bits: int) -> Number:
    """t*2^bits modulo p: what is above R is folded, so that the quotient by R is below 2p or so."""
    low, high = t % digits.R, t >> digits.word * digits.n
    return low * (1 << bits) + high * ((digits.R << bits) % digits.p)
