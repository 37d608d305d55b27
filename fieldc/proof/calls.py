"""The rule for calls: a routine that is proved once is used by its statement.

A lemma says of a routine: for all operands in their ranges it leaves its results, modulo p and in
their range; it reads only its operands, and all of them before it writes; it writes only its
result and stack below its return address; it takes the same time for all operands.

At a call the caller must show that each operand lies in memory as whole values in range. Then the
result's words are new values of which the statement is known, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fieldc.proof.bounds import Input
from fieldc.proof.contracts import Contract
from fieldc.proof.equations import Polynomial
from fieldc.proof.forms import Form, Forms
from fieldc.proof.formulas import FormulaStatement, contract_of_formula, evaluate, statement_of
from fieldc.proof.identity import ProofError
from fieldc.proof.memory import KernelMemory, Pointer, Value

if TYPE_CHECKING:
    from fieldc.proof.prove import CaseProof, Excluded, Proved
    from fieldc.proof.wraps import Equality


@dataclass(frozen=True)
class ProvedCode:
    """What a finished proof of code without calls found."""

    stack: int
    """Bytes below the return address."""
    cases: tuple[CaseProof | Excluded, ...]
    rows: int = 0
    equalities: tuple[Equality, ...] = ()
    instructions: frozenset[str] = frozenset()

    @classmethod
    def of(cls, proved: Proved, cases: Sequence[CaseProof | Excluded]) -> ProvedCode:
        """A proof with its cases."""
        rows = len(proved.system.rows)
        return cls(proved.stack, tuple(cases), rows, proved.equalities, proved.instructions)


@dataclass(frozen=True)
class Lemma:
    """What was proved of a routine, which follows System V."""

    statement: FormulaStatement
    contract: Contract
    proof: ProvedCode


ProveRoutine = Callable[[int, Contract], ProvedCode]
"""Proves the code at an offset. Raises ProofError."""


@dataclass
class Routines:
    """The routines of one section, and what is known of the values that they gave.

    `statements` are those of the routines in the order of their first calls. They are only
    proposed: each is proved of the bytes where the first call goes, before it is used.
    """

    p: int
    limbs: int
    statements: Sequence[str]
    prove: ProveRoutine
    lemmas: dict[int, Lemma] = field(default_factory=dict)
    """By the offset of the code."""
    forms: Forms = field(init=False)
    values: dict[int, tuple[Input, Form]] = field(default_factory=dict)
    """What is known of a value, by the variable of its lowest limb."""

    def __post_init__(self) -> None:
        self.forms = Forms(self.p)

    def lemma(self, target: int) -> Lemma | None:
        """What is proved of the code at an offset; None for code that no statement is about."""
        if target not in self.lemmas:
            if len(self.lemmas) == len(self.statements):
                return None
            statement = statement_of(self.statements[len(self.lemmas)])
            contract = contract_of_formula(statement, self.p, self.limbs)
            try:
                proof = self.prove(target, contract)
            except ProofError as error:
                raise ProofError(f"routine {len(self.lemmas)}: {error}") from None
            self.lemmas[target] = Lemma(statement, contract, proof)
        return self.lemmas[target]

    def input(self, value: Input) -> Form:
        """Note a value that may be anything in its range."""
        form = self.forms.input()
        self.values[value.limbs[0]] = value, form
        return form

    def known(self, words: Sequence[Value], high: int, where: str) -> Form:
        """What is known of a value from its words. Raises ProofError unless it is at most `high`.

        The words are a constant, or exactly those of one value in their order.
        """
        if all(isinstance(word, dict) and not word.keys() - {()} for word in words):
            number = sum(_constant(word) << 64 * i for i, word in enumerate(words))
            if number > high:
                raise ProofError(f"{where}: a constant is above the bound of its operand")
            return self.forms.constant(number)
        lowest = next(iter(words[0]), ()) if isinstance(words[0], dict) else ()
        found = self.values.get(lowest[0]) if len(lowest) == 1 else None
        if found is None or [{(limb,): 1} for limb in found[0].limbs] != [*words]:
            raise ProofError(f"{where}: an operand is not one whole value")
        if found[0].high > high:
            raise ProofError(f"{where}: an operand may be above its bound")
        return found[1]


def _constant(word: Value) -> int:
    return int(word.get((), 0)) if isinstance(word, dict) else 0


def use(
    routines: Routines, lemma: Lemma, memory: KernelMemory, arguments: Sequence[Value], where: str
) -> None:
    """Do what a call of a proved routine does to memory. Raises ProofError.

    `arguments` are the address of the result and those of the operands; the stack pointer is the
    caller's, before the call.
    """
    memory.take_stack(memory.stack_pointer - 8 - lemma.proof.stack, where)
    for old in [o for o in memory.stack if o < memory.stack_pointer]:
        del memory.stack[old]  # the return address and the routine's own stack lie there
    target, *addresses = (_own(memory, value, where) for value in arguments)
    limbs, contract = lemma.contract.limbs, lemma.contract
    given = []
    for operand, address in zip(contract.operands, addresses, strict=True):
        for first in range(0, operand.count * limbs, limbs):
            words = [memory.load(_at(address, first + i), where) for i in range(limbs)]
            given.append(routines.known(words, operand.high, where))
    found = evaluate(lemma.statement, routines.forms, routines.p, limbs, given)
    for number, form in enumerate(found):
        value = _new(memory, f"{where}:{number}", limbs, contract.high)
        routines.values[value.limbs[0]] = value, form
        for i, limb in enumerate(value.limbs):
            memory.store(_at(target, number * limbs + i), {(limb,): 1}, where)


def _own(memory: KernelMemory, value: Value, where: str) -> Pointer:
    """An address that the routine may be given: none that the call itself writes over."""
    if not isinstance(value, Pointer):
        raise ProofError(f"{where}: an argument is no known address")
    if value.base == "stack" and value.offset < memory.stack_pointer:
        raise ProofError(f"{where}: an argument lies below the stack pointer")
    return value


def _at(address: Pointer, word: int) -> Pointer:
    return Pointer(address.base, address.offset + 8 * word)


def _new(memory: KernelMemory, name: str, limbs: int, high: int) -> Input:
    system = memory.system
    top = system.radix - 1
    words = tuple(
        system.new(f"{name}[{i}]", min(top, high >> system.word_bits * i)) for i in range(limbs)
    )
    return Input(name, words, high)


def settle(
    routines: Routines, memory: KernelMemory, statement: FormulaStatement, inputs: Sequence[Form]
) -> None:
    """Prove each result of a formula from what is known of the words in z. Raises ProofError."""
    limbs, high = routines.limbs, statement.multiple * routines.p - 1
    claims = evaluate(statement, routines.forms, routines.p, limbs, inputs)
    for number, claim in enumerate(claims):
        words: list[Polynomial] = []
        for place in range(number * limbs, (number + 1) * limbs):
            if place not in memory.result:
                raise ProofError(f"frame: limb {place} of z is never written")
            words.append(memory.result[place])
        found = routines.known(words, high, f"result {number}")
        if not routines.forms.are_equal(found, claim):
            raise ProofError(f"function: result {number} is not the formula's")
