"""Routines that are proved once, and what is known of the values that they gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.forms import Form, Forms
from fieldc.proof.claims.formulas import FormulaStatement, contract_of_formula, statement_of
from fieldc.proof.proved import ProvedCode
from fieldc.proof.values import Value


@dataclass(frozen=True)
class Lemma:
    """What was proved of a routine."""

    statement: FormulaStatement
    contract: Contract
    proof: ProvedCode


ProveRoutine = Callable[[int, str], ProvedCode]
"""Proves a statement of the code at an offset. Raises ProofError."""


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
            text = self.statements[len(self.lemmas)]
            statement = statement_of(text)
            contract = contract_of_formula(statement, self.p, self.limbs)
            try:
                proof = self.prove(target, text)
            except ProofError as error:
                raise ProofError(f"routine {len(self.lemmas)}: {error}") from None
            self.lemmas[target] = Lemma(statement, contract, proof)
        return self.lemmas[target]

    def input(self, value: Input) -> Form:
        """Note a value that may be anything in its range."""
        form = self.forms.input()
        self.values[value.limbs[0]] = value, form
        return form

    def known(self, words: Sequence[Value], high: int, where: str, is_signed: bool = False) -> Form:
        """What is known of a value from its words. Raises ProofError unless it is at most `high`.

        The words are a constant, or exactly those of one value in their order, which is signed
        where that is asked, and else not.
        """
        if all(isinstance(word, dict) and not word.keys() - {()} for word in words):
            if is_signed:
                raise ProofError(f"{where}: a constant where a signed operand is asked")
            number = sum(_constant(word) << 64 * i for i, word in enumerate(words))
            if number > high:
                raise ProofError(f"{where}: a constant is above the bound of its operand")
            return self.forms.constant(number)
        lowest = next(iter(words[0]), ()) if isinstance(words[0], dict) else ()
        found = self.values.get(lowest[0]) if len(lowest) == 1 else None
        if found is None or [{(limb,): 1} for limb in found[0].limbs] != [*words]:
            raise ProofError(f"{where}: an operand is not one whole value")
        if (found[0].sign is not None) != is_signed:
            raise ProofError(f"{where}: an operand is signed, or is not, against its statement")
        if found[0].high > high:
            raise ProofError(f"{where}: an operand may be above its bound")
        return found[1]


def _constant(word: Value) -> int:
    return int(word.get((), 0)) if isinstance(word, dict) else 0
