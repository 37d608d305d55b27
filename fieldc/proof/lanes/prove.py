"""Proves a kernel on arrays from its bytes: function, ranges, memory, and what its loop covers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import capstone

from fieldc.proof.algebra.equations import Monomial, Polynomial, add_to
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Claim, Contract, LooseResult, contract_of
from fieldc.proof.lanes.block import LANES, BlockLayout, BlockRun
from fieldc.proof.lanes.bounds import LaneOperand
from fieldc.proof.lanes.loop import POINTERS, LoopParts, shape_of
from fieldc.proof.lanes.low_bits import in_this_case
from fieldc.proof.lanes.step import step
from fieldc.proof.lanes.word import DIGIT, HALF, WORD, ExcludedCase, Word
from fieldc.proof.lanes.words import Lane

MOST_CASES = 64
"""Combinations of signs after which a kernel is taken for one that is not understood."""


class ArrayRecorder:
    """Gets every case of a proof; this one makes lanes and remembers nothing."""

    def begin(self, shape: LoopParts, tail: bool) -> None:
        """Before the cases of a block or a tail."""

    def lane(self, decisions: Sequence[bool]) -> Lane:
        """A lane for a case."""
        return Lane(decisions)

    def case(self, lane: Lane, results: Sequence[Polynomial]) -> None:
        """After a case: its results as integers, none where the signs cannot be."""


@dataclass(frozen=True)
class ArrayProof:
    """What was shown: how many cases of signs there are, and instructions of a block and a tail."""

    cases: int
    block: int
    tail: int


def prove_arrays(
    code: bytes,
    family: str,
    p: int,
    words: int,
    word_bits: int,
    parameters: dict[str, int] | None = None,
    start: int = 0,
    result: tuple[int, int] | None = None,
    record: ArrayRecorder | None = None,
) -> ArrayProof:
    """Prove `void (count, z, x, ...)` on elements of so many words, 64 or 52 bits each.

    Or on elements of one word of 32 bits, of which two share a lane.

    `result` says how many words of how many bits the results have, where that is another number;
    then all arrays are apart. `record` gets every case.

    Raises ProofError; where it returns, all claims hold for every count, for arrays that are apart
    or where a result is an operand.
    """
    contract = contract_of(family, p, words, parameters, word_bits)
    result_words, result_bits = result or (words, word_bits)
    contract = replace(contract, limbs=result_words)
    bits = word_bits, result_bits
    is_halved = bits == (HALF, HALF) and words == result_words == 1
    if not (is_halved or {*bits} <= {WORD, DIGIT}) or any(o.count > 1 for o in contract.operands):
        raise ProofError(
            "arrays have elements of one value, in words of 64 or 52 bits, or in one of 32"
        )
    given, names = [o.limbs for o in contract.operands], [o.name for o in contract.operands]
    every = [result_words] * len(contract.claims) + given
    widths = dict(zip(POINTERS, every, strict=False))
    if len(every) > len(POINTERS) or {*given} != {words}:
        raise ProofError("results and operands are up to five arrays, these of equal widths")
    if is_halved:
        shape = shape_of(code, start, widths, 1, 2 * LANES)
        return prove_shape(code, shape, _pairs(contract), record)
    masked = words if word_bits == WORD else result_words
    if bits == (WORD, WORD) and words != result_words:
        raise ProofError("arrays of limbs have elements of one width")
    shape = shape_of(code, start, widths, masked if WORD in bits else 0)
    task = task_of(contract, dict.fromkeys(names, word_bits), result_bits)
    return prove_shape(code, shape, task, record)


@dataclass(frozen=True)
class Task:
    """What the code of a block must do, said of one lane."""

    results: tuple[str, ...]
    """The registers that point to arrays of results."""
    layout: BlockLayout
    """Of each of them."""
    operands: Callable[[Lane], dict[str, tuple[BlockLayout, list[Word]]]]
    """New operands of a lane, by the register that points to them."""
    check: Callable[[Lane, Sequence[Sequence[Word]]], list[Polynomial]]
    """The results that are residues. Raises ProofError unless all are what they must be."""


def task_of(
    contract: Contract,
    bits: Mapping[str, int],
    result_bits: int,
    shared: Collection[str] = (),
) -> Task:
    """What a contract asks, of operands by their names and of results in words of so many bits.

    Operands that `shared` names have one element, which serves for all, and is apart from results.
    """
    count = len(contract.claims)

    def operands(lane: Lane) -> dict[str, tuple[BlockLayout, list[Word]]]:
        found = {}
        for pointer, o in zip(POINTERS[count:], contract.operands, strict=False):
            names = [o.name] if o.count == 1 else [f"{o.name}{i}" for i in range(o.count)]
            most = o.most or (1 << bits[o.name]) - 1
            values = (lane.columns(name, o.limbs, bits[o.name], o.high, most) for name in names)
            words = [word for value in values for word in value]
            is_array, is_single = bits[o.name] == WORD, o.name in shared
            found[pointer] = BlockLayout(len(words), is_array, is_single=is_single), words
        return found

    def check(lane: Lane, results: Sequence[Sequence[Word]]) -> list[Polynomial]:
        return [
            bounded
            for words, claim in zip(results, contract.claims, strict=True)
            for bounded in _checked(lane, contract, claim, words, result_bits)
        ]

    layout = BlockLayout(contract.limbs, result_bits == WORD)
    return Task(POINTERS[:count], layout, operands, check)


def _checked(
    lane: Lane, contract: Contract, claim: Claim, words: Sequence[Word], bits: int
) -> list[Polynomial]:
    """What is bounded of a result that is as a contract says: the result, or what it is more.

    Raises ProofError.
    """
    if contract.loose is None:
        return [check_result(lane, contract, claim, words, bits)]
    return check_growth(lane, contract, contract.loose, claim, words)


def _pairs(contract: Contract) -> Task:
    """What a contract asks of two elements of 32 bits in each lane: of both halves."""
    count, layout = len(contract.claims), BlockLayout(1, True, True)

    def operands(lane: Lane) -> dict[str, tuple[BlockLayout, list[Word]]]:
        found = {}
        for pointer, o in zip(POINTERS[count:], contract.operands, strict=False):
            found[pointer] = layout, [shared_word(lane, o.name, o.high)]
        return found

    def check(lane: Lane, results: Sequence[Sequence[Word]]) -> list[Polynomial]:
        return [
            check_result(lane, contract, claim, [word], HALF, lane.operands[half::2])
            for words, claim in zip(results, contract.claims, strict=True)
            for half, word in enumerate(words)
        ]

    return Task(POINTERS[:count], layout, operands, check)


def shared_word(lane: Lane, name: str, high: int) -> Word:
    """Two new operands of 32 bits, which share a lane."""
    lower, upper = (lane.operand(f"{name}{i}", 1, HALF, high)[0] for i in range(2))
    return lane.sum(lower, lane.shift_left(upper, HALF))


def prove_shape(
    code: bytes, shape: LoopParts, task: Task, record: ArrayRecorder | None = None
) -> ArrayProof:
    """Prove the block of a loop, and its tail where it has one. Raises ProofError."""
    cases, record = 0, record or ArrayRecorder()
    for part, tail in ((shape.block, False), (shape.tail, True)):
        if part or not tail:
            record.begin(shape, tail)
            cases += _every_case(code, task, shape, part, tail, record)
    return ArrayProof(cases, len(shape.block), len(shape.tail))


def _every_case(
    code: bytes,
    task: Task,
    shape: LoopParts,
    part: Sequence[capstone.CsInsn],
    tail: bool,
    record: ArrayRecorder,
) -> int:
    """Prove the code of a block for all signs of its masks; how many cases there are."""
    waiting: list[tuple[bool, ...]] = [()]
    cases = shown = 0
    while waiting:
        decisions = waiting.pop()
        lane = record.lane(decisions)
        results = _case(code, task, shape, part, tail, lane)
        record.case(lane, results or [])
        taken = [negative for _, negative in lane.signs.values()]
        waiting += [(*taken[:n], False) for n in range(len(decisions), len(taken))]
        cases, shown = cases + 1, shown + (results is not None)
        if cases > MOST_CASES:
            raise ProofError("too many masks by signs")
    if not shown:
        raise ProofError("bounds exclude every case")
    return cases


def _case(
    code: bytes,
    task: Task,
    shape: LoopParts,
    part: Sequence[capstone.CsInsn],
    tail: bool,
    lane: Lane,
) -> list[Polynomial] | None:
    """The results of the code of a block; None where the signs cannot be."""
    operands = task.operands(lane)
    frame, blends = shape.frame, shape.blends
    block = BlockRun(lane, code, operands, task.results, task.layout, frame, blends, tail)
    block.places, block.masks = shape.places, shape.masks
    block.rounds_to_zero, block.anchors = shape.rounds_to_zero, shape.anchors
    try:
        for instruction in shape.enter:
            step(block, instruction)
        if shape.enter:
            block.enter()
        for instruction in part:
            step(block, instruction)
        if shape.enter:
            block.leave(*task.results)
        for instruction in shape.leave:
            step(block, instruction)
        return task.check(lane, [block.result(pointer) for pointer in block.pointers])
    except ExcludedCase as error:
        if not lane.signs:
            raise ProofError(f"bounds contradict each other: {error}") from None
        return None


def _wrong_terms(result: Polynomial, claimed: Polynomial, contract: Contract) -> list[Monomial]:
    """The terms by which a result is not what is claimed, modulo p."""
    target: Polynomial = {}
    add_to(target, result, contract.factor)
    add_to(target, claimed, -1)
    return [m for m, c in target.items() if c.numerator % contract.p]


def check_result(
    lane: Lane,
    contract: Contract,
    claim: Claim,
    words: Sequence[Word],
    word_bits: int,
    operands: Sequence[LaneOperand] | None = None,
) -> Polynomial:
    """The words' number, as a contract says of some operands, or of all. Raises ProofError."""
    number = _number_of(lane, words, word_bits, word_bits)
    result = check_claim(lane, contract, claim, number, operands)
    if lane.upper(result, by_rests=True) >= contract.high + 1:
        raise ProofError(f"canonical: the result may exceed its bound{_case_of(lane)}")
    return result


def check_growth(
    lane: Lane, contract: Contract, growth: LooseResult, claim: Claim, words: Sequence[Word]
) -> list[Polynomial]:
    """By how much each word of a result is more than an operand's, and the result.

    The words are 52 bits apart, and what lies above waits. Raises ProofError.
    """
    result = check_claim(lane, contract, claim, _number_of(lane, words, DIGIT, WORD))
    before = next(operand for operand in lane.operands if operand.name == growth.operand)
    found = [dict(word.value) for word in words]
    for added, atom in zip(found, before.words, strict=False):
        add_to(added, {(atom,): 1}, -1)
    add_to(result, before.value, -1)
    for added, most in zip(
        [*found, result], [growth.word] * len(found) + [growth.number], strict=True
    ):
        if lane.upper(added, by_rests=True) > most:
            raise ProofError(f"loose: a result may grow by too much{_case_of(lane)}")
    return [*found, result]


def _case_of(lane: Lane) -> str:
    """The signs in a case."""
    known = ", ".join("negative" if negative else "not" for _, negative in lane.signs.values())
    return f" (where signs are: {known})" if known else ""


def _number_of(lane: Lane, words: Sequence[Word], apart: int, bits: int) -> Polynomial:
    """The number that words make, so many bits apart, each of no more than some bits."""
    result: Polynomial = {}
    for number, word in enumerate(words):
        if word.sign_of or not 0 <= word.low <= word.high < 1 << bits:
            word = lane.tight(word)
        if word.sign_of or not 0 <= word.low <= word.high < 1 << bits:
            raise ProofError(f"canonical: word {number} of z may have more bits{_case_of(lane)}")
        add_to(result, word.value, 1 << apart * number)
    return lane.expanded(result)


def check_claim(
    lane: Lane,
    contract: Contract,
    claim: Claim,
    result: Polynomial,
    operands: Sequence[LaneOperand] | None = None,
) -> Polynomial:
    """A number that is what is claimed of some operands, or all, modulo p; as it is in this case.

    Raises ProofError.
    """
    given = claim([operand.value for operand in operands or lane.operands])
    if wrong := _wrong_terms(result, given, contract):
        result, given = in_this_case(lane, result), in_this_case(lane, given)
        wrong = _wrong_terms(result, given, contract)
    if wrong:
        terms = ["*".join(lane.names[a] for a in m) or "1" for m in wrong]
        raise ProofError(
            f"function: {len(terms)} terms of the output do not cancel modulo p, among them "
            f"{', '.join(terms[:3])}{_case_of(lane)}"
        )
    return result
