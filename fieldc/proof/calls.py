"""The rule for calls: a routine that is proved once is used by its statement.

A lemma says of a routine: for all operands in their ranges it leaves its results, modulo p and in
their range; it reads only its operands, and all of them before it writes; it writes only its
result and stack below its return address; it takes the same time for all operands.

At a call the caller must show that each operand lies in memory as whole values in range. Then the
result's words are new values of which the statement is known, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.claims.forms import Form
from fieldc.proof.claims.formulas import FormulaStatement, evaluate
from fieldc.proof.memory import KernelMemory
from fieldc.proof.routines import Lemma, Routines
from fieldc.proof.values import Pointer, Value


def use(
    routines: Routines,
    lemma: Lemma,
    memory: KernelMemory,
    arguments: Sequence[Value],
    where: str,
    link: int,
) -> None:
    """Do what a call of a proved routine does to memory. Raises ProofError.

    `arguments` are the address of the result and those of the operands; the stack pointer is the
    caller's, before the call, which pushes `link` bytes of return address.
    """
    memory.take_stack(memory.stack_pointer - link - lemma.proof.stack, where)
    for old in [o for o in memory.stack if o < memory.stack_pointer]:
        del memory.stack[old]  # the return address and the routine's own stack lie there
    target, *addresses = (_own(memory, value, where) for value in arguments)
    limbs, contract = lemma.contract.result_limbs, lemma.contract
    given = []
    for operand, address in zip(contract.operands, addresses, strict=True):
        for first in range(0, operand.count * operand.limbs, operand.limbs):
            words = [memory.load(_at(address, first + i), where) for i in range(operand.limbs)]
            given.append(routines.known(words, operand.high, where, operand.is_signed))
    found = evaluate(lemma.statement, routines.forms, routines.p, routines.limbs, given)
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
    routines: Routines,
    memory: KernelMemory,
    statement: FormulaStatement,
    contract: Contract,
    inputs: Sequence[Form],
) -> None:
    """Prove each result of a formula from what is known of the words in z. Raises ProofError."""
    limbs, high = contract.result_limbs, contract.high
    claims = evaluate(statement, routines.forms, routines.p, routines.limbs, inputs)
    for number, claim in enumerate(claims):
        words: list[Polynomial] = []
        for place in range(number * limbs, (number + 1) * limbs):
            if place not in memory.result:
                raise ProofError(f"frame: limb {place} of z is never written")
            words.append(memory.result[place])
        found = routines.known(words, high, f"result {number}")
        if not routines.forms.are_equal(found, claim):
            raise ProofError(f"function: result {number} is not the formula's")
