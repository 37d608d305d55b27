"""Inner products of primes below 2^31: two columns, for the halves of sums of one or two products.

Elements lie in words of 64 bits, or in words of 32, two to a lane. T = t0 + t1*2^32 is the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import cast

from fieldc.algorithms.columns import ACCUMULATE, COLLECT, SUM, Columns
from fieldc.algorithms.lane_words import HALF, HALF_BITS, WORD_BITS, in_halves
from fieldc.algorithms.reduction import subtract_all
from fieldc.field import Field
from fieldc.language import Expression, Kernel, Number
from fieldc.operands import Range, residues
from fieldc.operations import Operation

TURN_BITS = 16
"""A lane adds up to 2^16 times: columns stay below 2^48."""
Twice = tuple[Number, Number]
"""Both columns, or the two elements that share a lane."""


def columns_in_words(f: Field) -> Columns:
    """The two columns of products of words: of two products, where two elements share a lane."""
    return Columns(2, 1 << TURN_BITS, HALF_BITS, WORD_BITS // f.word)


def _columns(turns: int) -> Range:
    return Range(2, multiple=turns, powers=0, bits=HALF_BITS)


def _added(t: Twice, product: Number) -> Twice:
    return t[0] + product % HALF, t[1] + (product >> HALF_BITS)


def _one(f: Field, t: Twice, x: Number, y: Number) -> Twice:
    return _added(t, x * y)


def _two(f: Field, t: Twice, x: Twice, y: Twice) -> Twice:
    return _added(t, x[0] * y[0] + x[1] * y[1])


@lru_cache(maxsize=64)
def accumulate(f: Field) -> Expression:
    """(t0, t1) + the halves of the products of a lane. No carry is taken."""
    columns = columns_in_words(f)
    factor = residues(columns.terms)
    operands = ((SUM, _columns(columns.turns - 1)), ("x", factor), ("y", factor))
    computes = Operation(ACCUMULATE, operands, _columns(columns.turns), "t + x*y")
    text = cast(Callable[..., Number], _one if columns.terms == 1 else _two)
    return Kernel(computes, "words", text).expression(_in_words(f))


@lru_cache(maxsize=64)
def collect(f: Field) -> Expression:
    """(t0 + t1*2^32)/R mod p, in a word of 64 bits: two quotients of 32 bits divide by 2^64."""
    correction = (1 << WORD_BITS) % f.p

    def text(words: Field, t: tuple[Number, Number]) -> Number:
        total = _drop_half(words, _drop_half(words, t[0]) + t[1])
        if f.word == HALF_BITS:  # R is 2^32
            total = _drop_half(words, total * correction)
        return subtract_all(total, f.p)

    says = f"(t0 + t1*2^32)/2^{f.word} mod p"
    operands = ((SUM, _columns(columns_in_words(f).turns)),)
    return Kernel(Operation(COLLECT, operands, residues(1), says), "words", text).expression(
        _in_words(f)
    )


def _drop_half(words: Field, t: Number) -> Number:
    """t/2^32 modulo p: a multiple of p makes the low half 0."""
    q = t % HALF * in_halves(words).n0 % HALF
    return (t + q * words.p) >> HALF_BITS


def _in_words(f: Field) -> Field:
    """The modulus in a word of 64 bits."""
    return f if f.word == WORD_BITS else Field(f.p, WORD_BITS, f.name)
