"""What a finished proof rests on: its equations, and why each of its cases is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.combinations import Combination
from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.facts import Bound, Input
from fieldc.proof.algebra.wraps import Equality


@dataclass(frozen=True)
class CaseProof:
    """Why a result is right where the flags of its choices have given values."""

    result: int
    """Which one of several."""
    case: Case
    identity: Combination
    canonical: Bound
    equated: int = 0
    """How many equalities were shown before, which its rows have in them."""


@dataclass(frozen=True)
class Excluded:
    """Why a case cannot be: given the other flags' values, the last one has the other value."""

    flags: Mapping[int, int]
    bound: Bound
    equated: int = 0
    """How many equalities were shown before, which its rows have in them."""


@dataclass(frozen=True)
class CutPoint:
    """A value between operands and results, in words of the code, and why it is right."""

    value: Input
    cases: tuple[CaseProof | Excluded, ...]

    @property
    def equated(self) -> int:
        """How many equalities were shown before."""
        return self.cases[0].equated


@dataclass(frozen=True)
class Proved:
    """What a finished proof rests on."""

    system: System
    """The equations of the code."""
    stack: int
    """Bytes of stack that the code uses below the return address."""
    equalities: tuple[Equality, ...] = ()
    """What dropped carries equal, in all cases."""
    instructions: frozenset[str] = frozenset()
    """The names of the instructions that the code runs."""
    cut_points: tuple[CutPoint | None, ...] = ()
    """In the order of the contract, none for what no words hold; proved by those before it."""
    assumed: tuple[str, ...] = ()
    """What the code made use of that only its caller can know, a sentence each."""


@dataclass(frozen=True)
class ProvedCode:
    """What a finished proof of code without calls found."""

    stack: int
    """Bytes below the return address."""
    cases: tuple[CaseProof | Excluded, ...]
    rows: int = 0
    equalities: tuple[Equality, ...] = ()
    instructions: frozenset[str] = frozenset()
    cut_points: tuple[CutPoint | None, ...] = ()
    products: tuple[tuple[int, int, int], ...] = ()
    """Products by constants that AArch64 code expects: a word, its factor, the constant."""

    @classmethod
    def of(cls, proved: Proved, cases: Sequence[CaseProof | Excluded]) -> ProvedCode:
        """A proof with its cases."""
        rows = len(proved.system.rows)
        return cls(
            *(proved.stack, tuple(cases), rows),
            *(proved.equalities, proved.instructions, proved.cut_points),
            _products(proved.system),
        )


def _products(system: System) -> tuple[tuple[int, int, int], ...]:
    """The products that code expects, by the variables of their names."""
    return tuple(
        (number, factor, constant)
        for name, factor, constant in sorted(system.expected)
        for number, known in enumerate(system.names)
        if known == name
    )
