"""Strategies for an upper bound through equations whose carries do not telescope."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.algebra.equations import Equation, Rational, ratio


@dataclass(frozen=True)
class Strategy:
    """How to treat words and carries that do not telescope."""

    replaces_negative: bool
    """Replace carries with a negative coefficient too, instead of bounding them by 0."""
    keeps_multipliers: bool
    """Keep words that multiply other words as variables, below 2^w."""
    keeps_high_halves: bool = False
    """If the low half of a product is missing, keep the high half as its own variable."""
    joins_low_bits: bool = False
    """Follow carries and keep the low bits of words, so that top bits become words."""
    opens_low_halves: bool = False
    """Replace a product's low half alone by the product, which is smaller where both fit a word."""
    pairs_choices: bool = False
    """Keep a chosen word that multiplies an operand, and bound their product as one of two values.

    Either side of the choice is a word, so the product is at most that of the two largest values.
    """
    keeps_words: bool = False
    """Keep a word whose carry does not matter: it is below 2^w, the sum that it is of may not be.

    Where rows share a product, sums stand between it and the carry that is asked for.
    """


JOINED = Strategy(True, False, joins_low_bits=True)
STRATEGIES = (
    Strategy(True, True),
    Strategy(False, True),
    Strategy(True, False),
    Strategy(False, False),
    JOINED,
    Strategy(True, False, opens_low_halves=True),
    Strategy(True, True, opens_low_halves=True),
    Strategy(True, True, pairs_choices=True),
    Strategy(True, True, keeps_words=True),
)


def share(
    row: Equation, word: Rational, carry: Rational, strategy: Strategy, keep: bool
) -> Rational:
    """Return the multiple of an equation to use, given the coefficients of its word and carry."""
    if carry == row.factor * word:
        return word
    if carry:
        if strategy.keeps_high_halves and row.kind == "mul" and not word:
            return 0
        multiple = ratio(carry, row.factor)
        if word and not keep and not strategy.joins_low_bits:
            return max(word, multiple)  # what is left of either is negative
        return multiple if word or strategy.replaces_negative or multiple > 0 else 0
    if keep or word < 0 or strategy.keeps_words:
        return 0
    # A product's low half alone is a quotient digit: its bound as a word is the best there is.
    return 0 if row.kind == "mul" and not strategy.opens_low_halves else word
