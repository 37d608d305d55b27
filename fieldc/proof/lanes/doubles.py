"""Doubles that hold integers: exact values, and the one rounding that is known.

A double is an integer here, a multiple of 2^scale. It has 53 bits: a result of at most 2^(53+scale)
is exact, in whatever way the processor rounds. Nothing here is near the largest or smallest double.

One rounding is known. From 2^104 up to 2^105 doubles are the multiples of 2^52. So a*b + 2^104,
rounded to zero, is a*b - L + 2^104, where L is the low half of a*b.

The bits of a double from 2^(52+s) up to 2^(53+s) are (1075 + s)*2^52, and above that what it has
above 2^(52+s), over 2^s (IEEE 754).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.word import DIGIT, Word
from fieldc.proof.lanes.words import Lane

FRACTION, BIAS = 52, 1075
"""Bits of a double's fraction; the exponent of a double from 2^52 up."""
HIGH_ONE = 1 << DIGIT + FRACTION


@dataclass(frozen=True, eq=False)
class Double:
    """An integer from `low` to `high`, a multiple of 2^scale."""

    value: Polynomial
    low: int
    high: int
    scale: int = 0


def decoded(word: Word) -> Double:
    """A word's bits as a double: of a constant, or of one from 2^52 up to 2^53.

    Raises ProofError for other words, and for no integer.
    """
    if word.number is None:
        least = BIAS << FRACTION
        if word.sign_of or not least <= word.low <= word.high < least + (1 << FRACTION):
            raise ProofError("takes a word for a double")
        moved, more = dict(word.value), (1 << FRACTION) - least
        add_to(moved, {ONE: more})
        return Double(moved, word.low + more, word.high + more)
    bits = word.number % (1 << 64)
    exponent, fraction = bits >> FRACTION & 0x7FF, bits % (1 << FRACTION)
    if bits == 0:
        return Double({}, 0, 0)
    scale = exponent - BIAS
    number = fraction | 1 << FRACTION
    if not -FRACTION <= scale <= 2 * FRACTION or number % (1 << max(0, -scale)):
        raise ProofError("a double that is no integer, or a large one")
    value = (number << scale if scale > 0 else number >> -scale) * (-1 if bits >> 63 else 1)
    return Double({ONE: value}, value, value, max(scale, 0))


def from_integer(lane: Lane, word: Word) -> Double:
    """The double of a word without a sign, which must have no more than 53 bits."""
    if word.sign_of:
        raise ProofError("a mask as a double")
    if word.low < 0:
        word = lane.tight(word)
    if word.low < 0:
        raise ProofError("a word as a double that may be negative")
    return _exact(lane, Double(word.value, word.low, word.high))


def difference(lane: Lane, a: Double, b: Double) -> Double:
    """a - b, which must be exact."""
    value = dict(a.value)
    add_to(value, b.value, -1)
    return _exact(lane, Double(value, a.low - b.high, a.high - b.low, min(a.scale, b.scale)))


def fused(lane: Lane, a: Double, b: Double, c: Double, to_zero: bool) -> Double:
    """a*b + c of digits a and b: exact, or rounded to zero where c is 2^104."""
    if min(a.low, b.low) < 0 or max(a.high, b.high) >= 1 << DIGIT or a.scale or b.scale:
        raise ProofError("multiplies doubles that are no digits")
    value = product(a.value, b.value)
    add_to(value, c.value)
    low, high = a.low * b.low + c.low, a.high * b.high + c.high
    if not (to_zero and c.low == c.high == HIGH_ONE):
        return _exact(lane, Double(value, low, high))
    x, y = (Word(factor.value, factor.low, factor.high) for factor in (a, b))
    add_to(value, lane.low_half(x, y).value, -1)
    return Double(value, HIGH_ONE, high >> FRACTION << FRACTION, FRACTION)


def bits_of(lane: Lane, double: Double) -> Word:
    """The word of a double's bits."""
    scale = double.scale
    least = 1 << FRACTION + scale
    double = double if least <= double.low and double.high < 2 * least else _tight(lane, double)
    if not least <= double.low <= double.high < 2 * least:
        raise ProofError("the bits of a double whose exponent is not known")
    value = dict(double.value)
    add_to(value, {ONE: -least})
    exponent = (BIAS + scale) << FRACTION
    bits: Polynomial = {m: Fraction(c, 1 << scale) if scale else c for m, c in value.items()}
    add_to(bits, {ONE: exponent})
    low, high = ((end - least >> scale) + exponent for end in (double.low, double.high))
    return Word(bits, low, high)


def _exact(lane: Lane, double: Double) -> Double:
    """The double, if it surely has no more than 53 bits."""
    most = 1 << FRACTION + 1 + double.scale
    if not -most <= double.low <= double.high <= most:
        double = _tight(lane, double)
    if not -most <= double.low <= double.high <= most:
        raise ProofError("a double that may be rounded")
    return double


def _tight(lane: Lane, double: Double) -> Double:
    word = lane.tight(Word(double.value, double.low, double.high))
    return replace(double, low=word.low, high=word.high)
