"""What a proof knows: operands, upper bounds with their reasons, and values of variables."""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.proof.algebra.combinations import Combination, Slopes
from fieldc.proof.algebra.equations import Polynomial, Rational, System


@dataclass(frozen=True)
class Input:
    """An operand: its limbs' variables, least significant first, and the largest number they make.

    `sign` is the variable of a signed one's top bit.
    """

    name: str
    limbs: tuple[int, ...]
    high: int
    sign: int | None = None

    def value(self, word_bits: int) -> Polynomial:
        """The operand's value: of a signed one the number that its two's complement stands for."""
        value: Polynomial = {(v,): 1 << word_bits * i for i, v in enumerate(self.limbs)}
        if self.sign is not None:
            value[self.sign,] = -1 << word_bits * len(self.limbs)
        return value


@dataclass
class Budget:
    """How many more bounds are sought of what need not be proved.

    Of 310 cases of values between that were proved, each took fewer than 100; in vain, 1500 were
    sought.
    """

    left: int = 160

    @property
    def is_spent(self) -> bool:
        """Whether more bounds were sought than it had."""
        return self.left < 0


@dataclass(frozen=True)
class Bound:
    """scale*target <= value, and why.

    scale*target - sum(multiplier*row) - sum(slope*product) has terms of which each is at most its
    largest value; together with the slopes' largest values these are at most `value`.
    """

    value: Rational
    scale: int
    rows: Combination
    slopes: Slopes


@dataclass(frozen=True)
class Fact:
    """A variable's one possible value, because of a bound, or of its residue modulo 2^w."""

    value: int
    bound: Bound | None
    """Why it is at most 0, or why it is at least any other value."""
    residue: Combination = field(default_factory=dict)
    """Leaves `scale` times the variable a multiple of scale * 2^w; where there is no bound."""
    most: Bound | None = None
    """Why it is at most its value, where that is neither 0 nor the end of the variable's range."""
    scale: int = 1
    """Of a residue."""


@dataclass
class Known:
    """What a bound may use: the code's equations, its inputs, variables with one possible value."""

    system: System
    inputs: tuple[Input, ...]
    fixed: dict[int, int] = field(default_factory=dict)


def other_value(flag: int, value: int) -> tuple[Polynomial, int]:
    """What is at most what, where a flag has the other value than this."""
    return ({(flag,): -1}, -1) if value == 0 else ({(flag,): 1}, 0)
