"""What a proof knows: operands, upper bounds with their reasons, and values of variables."""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.proof.combinations import Combination, Slopes
from fieldc.proof.equations import Rational, System


@dataclass(frozen=True)
class Input:
    """An operand: its limbs' variables, least significant first, and its largest value."""

    name: str
    limbs: tuple[int, ...]
    high: int


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
    residue: Combination = field(default_factory=dict)
    """Leaves the variable a multiple of 2^w; where there is no bound."""


@dataclass
class Known:
    """What a bound may use: the code's equations, its inputs, variables with one possible value."""

    system: System
    inputs: tuple[Input, ...]
    fixed: dict[int, int] = field(default_factory=dict)
