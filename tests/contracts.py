"""The prover's contract of an operation that is known by its name."""

from __future__ import annotations

from fieldc.operations import DIVSTEP_FG, OPERATIONS, TOWER_OPERATIONS
from fieldc.proof.claims.contracts import Contract, contract_of


def contract_named(name: str, p: int, limbs: int) -> Contract:
    operation = (OPERATIONS | TOWER_OPERATIONS | DIVSTEP_FG)[name]
    return contract_of(operation.family, p, limbs, operation.parameters)
