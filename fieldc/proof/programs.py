"""Proves a formula from its bytes: one straight line, or a caller and the routines it calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.calls import settle
from fieldc.proof.claims.contracts import WORD_BITS, Contract
from fieldc.proof.claims.formulas import contract_of_formula, statement_of
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import KernelMemory
from fieldc.proof.prove import operands_of, prove
from fieldc.proof.proved import CaseProof, Excluded, ProvedCode
from fieldc.proof.routines import Routines


@dataclass(frozen=True)
class ProvedFormula:
    """What a finished proof found: of one straight line its cases, else those of each routine."""

    proof: ProvedCode
    """Of a caller, its stack with the routines', and no cases."""
    routines: tuple[tuple[str, ProvedCode], ...] = ()
    """Their statements, in the order of the first calls."""


def prove_formula(
    code: bytes,
    text: str,
    p: int,
    limbs: int,
    convention: str = "sysv",
    start: int = 0,
    architecture: str = "x86_64",
    called: Sequence[str] = (),
) -> ProvedFormula:
    """Prove that code computes a formula; `called` are statements of the routines that it calls.

    They stand in the order of the routines' first calls, and are proved before they are used.
    Raises ProofError; where it returns, all claims hold.
    """
    statement = statement_of(text)
    contract = contract_of_formula(statement, p, limbs)

    isa = INSTRUCTION_SETS[architecture]

    def prove_code(place: int, contract: Contract, convention: str) -> ProvedCode:
        cases: list[CaseProof | Excluded] = []
        proved = prove(code, contract, convention, place, architecture, record=cases.append)
        return ProvedCode.of(proved, cases)

    if not called:
        return ProvedFormula(prove_code(start, contract, convention))
    if not isa.follows_calls:
        raise ProofError(f"there are no proofs of calls on {architecture}")
    system = System(WORD_BITS)
    operands = operands_of(system, contract)
    inner = isa.called_convention or convention
    routines = Routines(p, limbs, called, lambda place, of: prove_code(place, of, inner))
    inputs = [routines.input(value) for values in operands.values() for value in values]
    memory = KernelMemory(
        system,
        {name: tuple(v for i in values for v in i.limbs) for name, values in operands.items()},
        code,
        contract.result_limbs * len(contract.claims),
        routines=routines,
    )
    isa.run(memory, convention, code, start)
    settle(routines, memory, statement, contract, inputs)
    if len(routines.lemmas) < len(called):
        raise ProofError("a routine is stated that is never called")
    lemmas = zip(called, routines.lemmas.values(), strict=True)
    caller = ProvedCode(memory.deepest, (), instructions=frozenset(memory.executed))
    return ProvedFormula(caller, tuple((text, lemma.proof) for text, lemma in lemmas))
