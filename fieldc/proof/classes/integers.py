"""Proves code that computes integers of operands below a multiple of p, for all p of a class.

The code knows nothing of p, which only says how large operands may be. What holds of all operands
below a multiple of the largest p holds of those below the same multiple of another one.
"""

from __future__ import annotations

from collections.abc import Mapping

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import EXACT, contract_of
from fieldc.proof.classes.code import ClassCode
from fieldc.proof.classes.modulus import Moduli
from fieldc.proof.classes.runs import RUNS
from fieldc.proof.prove import prove
from fieldc.proof.proved import CaseProof, Excluded


def prove_integers(
    found: ClassCode,
    family: str,
    parameters: Mapping[str, int],
    moduli: Moduli,
    runs: int = RUNS,
) -> int:
    """Prove an operation whose results are integers modulo R^2; number of cases.

    Raises ProofError.
    """
    if family not in EXACT:
        raise ProofError(f"results of {family} are no integers")
    if found.symbols:
        raise ProofError("the code has constants of the modulus")
    cases: list[CaseProof | Excluded] = []
    prove(
        found.code,
        contract_of(family, moduli.most, moduli.limbs, parameters),
        start=found.start,
        architecture=found.architecture,
        record=cases.append,
        runs=runs,
    )
    return len(cases)
