"""What words of a run equal: asked once of each run, and more where a result is not proved."""

from __future__ import annotations

from fieldc.proof.algebra import refute
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.halves import (
    equate_doubled,
    equate_high_halves,
    equate_tops,
    equate_wrapped,
    equate_zero_tops,
)
from fieldc.proof.algebra.masks import equate_masked
from fieldc.proof.algebra.wraps import Equality, equate_dropped
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.cut_points import KnownNumbers

PROPOSING = 16
"""Runs that propose which words are digits of a quotient."""


def case_of(known: KnownNumbers) -> Case:
    """What is known in all cases."""
    return Case(known.system, known.inputs, samples=known.runs, doubts=known.doubts)


def first_equalities(case: Case) -> tuple[Equality, ...]:
    """What top bits and carries equal, whatever the claim is."""
    return equate_tops(case) + equate_doubled(case) + equate_wrapped(case)


def _of_tops(known: KnownNumbers, contract: Contract, claimed: Polynomial) -> tuple[Equality, ...]:
    """What top bits equal that bounds show to be 0."""
    return equate_zero_tops(case_of(known))


def _of_halves(
    known: KnownNumbers, contract: Contract, claimed: Polynomial
) -> tuple[Equality, ...]:
    """What masked words and high halves equal."""
    case = case_of(known)
    return equate_masked(case) + equate_high_halves(case)


def _of_dropped(
    known: KnownNumbers, contract: Contract, claimed: Polynomial
) -> tuple[Equality, ...]:
    """What dropped carries equal, if the result has no factor and p is odd."""
    if contract.factor != 1 or contract.p % 2 == 0:
        return ()
    runs = [s.values for s in refute.samples(known.system, known.inputs, PROPOSING)]
    return equate_dropped(case_of(known), claimed, contract.p, runs)


EQUALITIES = (_of_tops, _of_halves, _of_dropped)
"""What may help to prove a result, the cheapest first."""
