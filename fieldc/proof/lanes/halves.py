"""Lanes of two elements: words of 32 bits in the halves of one of 64.

Products read the low half of a lane. What adds and compares halves does so in both, modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fieldc.proof.algebra.equations import add_to
from fieldc.proof.lanes.word import HALF, Word
from fieldc.proof.lanes.words import Lane


@dataclass(frozen=True, eq=False)
class Halves:
    """Two words from 0 to 2^32 - 1: the lower and the upper half of a lane."""

    low: Word
    high: Word


def split(lane: Lane, word: Word) -> Halves:
    """The halves of a word."""
    word = lane.unsigned(word)
    return Halves(lane.low_bits(word, HALF), lane.shift_right(word, HALF))


def joined(lane: Lane, halves: Halves) -> Word:
    """The word of two halves."""
    low, high = halves.low, halves.high
    if low.pieces is not None and high.pieces is not None:
        return lane.sum(low, lane.shift_left(high, HALF))
    value = dict(low.value)
    add_to(value, high.value, 1 << HALF)
    return Word(value, low.low + (high.low << HALF), low.high + (high.high << HALF))


def total(lane: Lane, a: Word, b: Word, sign: int = 1) -> Word:
    """a + b or a - b modulo 2^32."""
    return lane.unsigned(lane.sum(a, b, sign), HALF)


HalfMeaning = Callable[[Lane, Word, Word], Word]
MEANINGS: dict[str, HalfMeaning] = {
    "vpaddd": total,
    "vpsubd": lambda lane, a, b: total(lane, a, b, -1),
    "vpminud": lambda lane, a, b: lane.smaller(a, b),
}
"""What an instruction does in each half."""


def compute(lane: Lane, mnemonic: str, a: Halves, b: Halves) -> Halves:
    """An instruction on both halves."""
    meaning = MEANINGS[mnemonic]
    return Halves(meaning(lane, a.low, b.low), meaning(lane, a.high, b.high))
