"""Ways to take an upper bound through equations whose carries do not telescope."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.equations import Equation, Number, ratio


@dataclass(frozen=True)
class Way:
    """How to treat what does not telescope."""

    replaces_negative: bool
    """Replace carries with a negative coefficient too, instead of bounding them by 0."""
    keeps_multipliers: bool
    """Leave words that multiply as they are, below 2^w."""
    keeps_high_halves: bool = False
    """Leave a product's high half as it is where its low half is not there."""
    joins_low_bits: bool = False
    """Follow carries, and leave a word's low bits as they are, so that top bits become words."""


JOINED = Way(True, False, joins_low_bits=True)
WAYS = (Way(True, True), Way(False, True), Way(True, False), Way(False, False), JOINED)


def share(row: Equation, word: Number, carry: Number, way: Way, keep: bool) -> Number:
    """Which multiple of an equation to use, given the coefficients of its word and carry."""
    if carry == row.factor * word:
        return word
    if carry:
        if way.keeps_high_halves and row.kind == "mul" and not word:
            return 0
        multiple = ratio(carry, row.factor)
        if word and not keep and not way.joins_low_bits:
            return max(word, multiple)  # what is left of either is negative
        return multiple if word or way.replaces_negative or multiple > 0 else 0
    # A product's low half alone is a quotient digit: its bound as a word is the best there is.
    return 0 if keep or row.kind == "mul" or word < 0 else word
