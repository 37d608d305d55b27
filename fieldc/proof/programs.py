"""Proves a formula from its bytes: one straight line, or a caller and the routines it calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.calls import settle
from fieldc.proof.claims.contracts import WORD_BITS
from fieldc.proof.claims.formulas import (
    FormulaStatement,
    contract_of_formula,
    may_be_proved_at_once,
    statement_of,
)
from fieldc.proof.entry import operands_of
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import KernelMemory
from fieldc.proof.prove import NotHeld, prove
from fieldc.proof.proved import CaseProof, Excluded, ProvedCode
from fieldc.proof.routines import Routines

MOST_REMEMBERED = 256
"""Proofs of code without calls: those of a long formula's routines, of each variant."""


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
    if not called:
        proof = _proved(code, start, _Claim(text, p, limbs, convention, architecture))
        return ProvedFormula(proof)
    statement = statement_of(text)
    contract = contract_of_formula(statement, p, limbs)
    isa = INSTRUCTION_SETS[architecture]
    if not isa.follows_calls:
        raise ProofError(f"there are no proofs of calls on {architecture}")
    system = System(WORD_BITS)
    operands = operands_of(system, contract)
    inner = isa.called_convention or convention

    def prove_routine(place: int, stated: str) -> ProvedCode:
        if place < 0:
            raise ProofError(f"the code goes to {place:#x}, outside its section")
        return _proved(code[place:], 0, _Claim(stated, p, limbs, inner, architecture))

    routines = Routines(p, limbs, called, prove_routine)
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


def are_proved(
    called: Sequence[str], p: int, limbs: int, convention: str, architecture: str
) -> bool:
    """Whether this process proved such routines of some code: a caller of them is soon proved."""
    inner = INSTRUCTION_SETS[architecture].called_convention or convention
    known = {one.claim for one in _remembered}
    return all(_Claim(text, p, limbs, inner, architecture) in known for text in called)


@dataclass(frozen=True)
class _Claim:
    """What is proved of code without calls, and by which convention it runs."""

    text: str
    p: int
    limbs: int
    convention: str
    architecture: str


@dataclass(frozen=True)
class _Remembered:
    """A proof that this process finished, and all that it read."""

    claim: _Claim
    code: bytes
    proof: ProvedCode

    def is_of(self, code: bytes, claim: _Claim) -> bool:
        """Whether it proves a claim of code too: what follows its own code was never read."""
        return claim == self.claim and code.startswith(self.code)


_remembered: deque[_Remembered] = deque(maxlen=MOST_REMEMBERED)


def _proved(code: bytes, start: int, claim: _Claim) -> ProvedCode:
    """Prove code that calls nothing, once in this process. Raises ProofError.

    A routine is proved where a plan is chosen, then again in each object that has it.
    """
    for known in _remembered if start == 0 else ():
        if known.is_of(code, claim):
            return known.proof
    statement = statement_of(claim.text)
    try:
        proof = _proof(code, start, claim, statement, by_steps=True)
    except ProofError as error:
        words_hold_steps = not isinstance(error, NotHeld)
        if not may_be_proved_at_once(statement, claim.p, claim.limbs, words_hold_steps):
            raise
        proof = _proof(code, start, claim, statement)
    if start == 0:
        _remembered.append(_Remembered(claim, code, proof))
    return proof


def _proof(
    code: bytes, start: int, claim: _Claim, statement: FormulaStatement, by_steps: bool = False
) -> ProvedCode:
    """A proof of a formula at once, or of its steps that words hold, one after the other.

    Raises ProofError; NotHeld where words hold none of the steps.
    """
    contract = contract_of_formula(statement, claim.p, claim.limbs, by_steps)
    cases: list[CaseProof | Excluded] = []
    by = claim.convention, start, claim.architecture
    return ProvedCode.of(prove(code, contract, *by, record=cases.append), cases)
