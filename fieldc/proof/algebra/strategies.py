"""Strategies for an upper bound through equations whose carries do not telescope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """Keep a word whose carry does not matter: it is below 2^w, but the sum before it may not be.

    Where rows share a product, sums stand between it and the carry that is asked for.
    """
    ignores_zero_carries: bool = False
    """Replace a word that never carries by its sum, whatever the coefficient of its carry.

    Where all strategies do, the bound of a whole number is lost.
    """
    keeps_factors: bool = False
    """Keep a word that multiplies others where its carry is known, too.

    (p - y)*y is not negative as a product of words, but p*y - y*y is as it may be.
    """

    def answers(self, asked: Mapping[str, bool]) -> bool:
        """Whether a bound that asked this of another strategy is the bound by this one too."""
        return all(getattr(self, what) == answer for what, answer in asked.items())


JOINED = Strategy(True, False, joins_low_bits=True, ignores_zero_carries=True)
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
    Strategy(True, True, pairs_choices=True, ignores_zero_carries=True),
    Strategy(True, True, keeps_factors=True),
)
FIRST = STRATEGIES[:3]
"""Those that cost little, for what is asked often."""


@dataclass
class Followed:
    """A strategy as one bound follows it, and what that bound asked of it."""

    strategy: Strategy
    asked: dict[str, bool] = field(default_factory=dict)

    def does(self, what: str) -> bool:
        """Whether the strategy does it. Ask only where the answer matters."""
        self.asked[what] = answer = bool(getattr(self.strategy, what))
        return answer


def share(
    row: Equation, word: Rational, carry: Rational, followed: Followed, is_multiplier: bool
) -> Rational:
    """Return the multiple of an equation to use, given the coefficients of its word and carry."""
    if carry == row.factor * word:
        return word
    if carry:
        if row.kind == "mul" and not word and followed.does("keeps_high_halves"):
            return 0
        multiple = ratio(carry, row.factor)
        if not word:
            return multiple if multiple > 0 or followed.does("replaces_negative") else 0
        if word <= multiple or (is_multiplier and followed.does("keeps_multipliers")):
            return multiple
        return multiple if followed.does("joins_low_bits") else word  # what is left is negative
    if word < 0 or (is_multiplier and followed.does("keeps_multipliers")):
        return 0
    if row.kind == "mul" and not followed.does("opens_low_halves"):
        return 0  # a low half alone is a quotient digit: its bound as a word is the best there is
    return 0 if followed.does("keeps_words") else word
