"""Proves one kernel from its bytes: function, canonical result, frame, aliasing, constant time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from fieldc.proof.algebra import refute
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.dropped import find_equal_words, join_wraps
from fieldc.proof.algebra.ends import equate_ends
from fieldc.proof.algebra.equations import ONE
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.halves import equate_zero_tops
from fieldc.proof.algebra.identity import ProofError, flags_of, open_masks, value_of
from fieldc.proof.algebra.refute import Sample
from fieldc.proof.cases import NotBounded, ResultGoal, shown, shown_by_bounds
from fieldc.proof.claims.contracts import Claim, Contract
from fieldc.proof.claims.cut_points import (
    KnownNumbers,
    are_chosen,
    is_too_deep,
    words_of,
)
from fieldc.proof.entry import Entered, entered, from_any_place
from fieldc.proof.equalities import case_of, first_equalities
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import KernelMemory
from fieldc.proof.proved import CaseProof, CutPoint, Excluded, Proved

RUNS = 8
"""Runs on numbers before a proof: enough to show most bits that are not constant."""
MOST_FLAGS = 3
"""Flags on whose choices a result may depend before masks are taken for products."""
MOST_HIGHS = 5
"""How often it is asked what words of a value between may be at most."""


class NotHeld(ProofError):
    """No words are found that hold a value between operands and result."""

    def __init__(
        self, message: str = "function: no words hold a value between operands and result"
    ) -> None:
        super().__init__(message)


RecordCase = Callable[[CaseProof | Excluded], None]


def _forget(proof: CaseProof | Excluded) -> None:
    return None


def prove(
    code: bytes,
    contract: Contract,
    convention: str = "sysv",
    start: int = 0,
    architecture: str = "x86_64",
    record: RecordCase = _forget,
    runs: int = RUNS,
    constants: Mapping[int, bytes] | None = None,
    unfit: frozenset[int] = frozenset(),
) -> Proved:
    """Run the code symbolically from `start` and prove its contract; `record` gets each case.

    `runs` on numbers come first, to refuse what is plainly wrong. `constants` may be read, where
    that is not all of the code; `unfit` are places of bytes that are not known. Raises ProofError;
    where it returns, all claims hold.
    """

    def run(stack_place: int) -> Entered:
        memory, inputs = entered(contract, code, constants, unfit, stack_place)
        INSTRUCTION_SETS[architecture].run(memory, convention, code, start)
        return memory, inputs

    memory, inputs = from_any_place(run)
    system = memory.system
    count = runs or (RUNS if contract.between else 0)  # runs find the words of values between
    known = KnownNumbers.on_entry(system, inputs, refute.samples(system, inputs, count))
    if not memory.is_foreign:
        known.equalities.extend(first_equalities(case_of(known)))
    known, cut_points = _cut_points(known, contract)
    goals = list(_goals(memory, contract, known))
    open_masks(system, MOST_FLAGS, [goal.result for goal in goals])
    for goal in goals:
        _refute(inputs, contract, goal, known.samples)
    if memory.is_foreign:
        find_equal_words(system)
        join_wraps(Case(system, known.inputs, samples=known.runs))
    for goal in goals:
        for proof in shown(known, contract, goal):
            record(proof)
    found = tuple(known.equalities), frozenset(memory.executed), cut_points
    return Proved(system, memory.deepest, *found, tuple(sorted(memory.assumed)))


def _goals(memory: KernelMemory, contract: Contract, known: KnownNumbers) -> Iterator[ResultGoal]:
    limbs, written = contract.result_limbs, memory.result
    missing = [i for i in range(memory.result_limbs) if i not in written]
    if missing:
        raise ProofError(f"frame: limb {missing[0]} of z is never written")
    for number, claim in enumerate(contract.claims):
        words = [written[i] for i in range(limbs * number, limbs * (number + 1))]
        value = value_of(words, memory.system.radix)
        claimed = claim(known.numbers)
        if contract.may_be_written and is_too_deep(known.system, claimed):
            raise ProofError("function: no words hold a factor that is a product")
        yield ResultGoal(number, value, claim, claimed)


def _cut_points(
    known: KnownNumbers, contract: Contract
) -> tuple[KnownNumbers, tuple[CutPoint | None, ...]]:
    """What is known after the values between, and the words of each. Raises ProofError."""
    points: list[CutPoint | None] = []
    for number, claim in enumerate(contract.between):
        is_read = number not in contract.unread
        points.append(point := _cut_point(known, contract, claim) if is_read else None)
        if point is None:
            known = known.written(claim, contract.p)
        else:
            known = known.held(point.value, claim)
            if not known.system.is_foreign:
                known.equalities.extend(equate_zero_tops(case_of(known)))
    if contract.may_be_written and not any(points):
        raise NotHeld
    return known, tuple(points)


def _cut_point(known: KnownNumbers, contract: Contract, claim: Claim) -> CutPoint | None:
    """The words of a value between, proved to be it; none where there need be none.

    Raises ProofError.
    """
    claimed = claim(known.numbers)
    is_constant = claimed.keys() <= {ONE}  # words that hold it by chance are many
    is_deep = contract.may_be_written and is_too_deep(known.system, claimed)
    found = () if is_constant or is_deep else words_of(known, contract, claim)
    failed: ProofError = NotHeld()
    for limbs, below in found:
        if not known.system.is_foreign:
            known.equalities.extend(equate_ends(case_of(known), limbs))
        value = value_of([{(v,): 1} for v in limbs], known.system.radix)
        goal = ResultGoal(0, value, claim, claimed, is_needed=not contract.may_be_written)
        try:
            return _held(known, contract, goal, limbs, below)
        except ProofError as error:
            failed = error
    if contract.may_be_written:
        return None
    raise failed


def _held(
    known: KnownNumbers, contract: Contract, goal: ResultGoal, limbs: tuple[int, ...], below: int
) -> CutPoint:
    """The proof that words hold a value between, which runs show to be `below`. Raises ProofError.

    What it may be at most is taken from the bounds where they do not show as much as runs.
    """
    if not (contract.may_be_written or known.system.is_foreign):
        with suppress(ProofError):
            return _held_by_bounds(known, contract, goal, limbs, below)
    highs = [*_highs(known, contract, goal, are_chosen(known.system, limbs), below)]
    for left in reversed(range(MOST_HIGHS)):
        high, *highs = highs
        try:
            cases = shown(known, replace(contract, high=high), goal)
            break
        except NotBounded as error:
            if not left or (not highs and error.high == high):
                raise
            highs = [error.high, *highs] if not highs or error.high < highs[0] else highs
    return CutPoint(Input(known.next_name, limbs, high), tuple(cases))


def _held_by_bounds(
    known: KnownNumbers, contract: Contract, goal: ResultGoal, limbs: tuple[int, ...], below: int
) -> CutPoint:
    """The same by bounds alone, which is quick. They may show less than p more than runs do.

    Raises ProofError.
    """
    high = below - 1
    for _ in range(MOST_HIGHS):
        try:
            cases = shown_by_bounds(known, replace(contract, high=high), goal)
            return CutPoint(Input(known.next_name, limbs, high), tuple(cases))
        except NotBounded as error:
            if not high < error.high < below + contract.p:
                raise
            high = error.high
    raise NotHeld


def _highs(
    known: KnownNumbers, contract: Contract, goal: ResultGoal, is_chosen: bool, below: int
) -> Iterator[int]:
    """What the words of a value between may be at most, where runs show that they are `below`.

    Of foreign code and of formulas, words are made in other ways than by choices, too.
    """
    if contract.may_be_written and not is_chosen:
        most = int(case_of(known).upper(goal.result))
        if most >= below and flags_of(known.system, goal.result):
            yield below - 1
        if most >= below + contract.p:
            yield below + contract.p - 1
        yield most
        return
    if is_chosen or known.system.is_foreign or below > contract.p:
        yield below - 1
    yield below + contract.p - 1


def _refute(
    inputs: Sequence[Input], contract: Contract, goal: ResultGoal, samples: Sequence[Sample]
) -> None:
    """Raise ProofError where a run on numbers breaks the contract."""
    for run in samples:
        z = refute.evaluate(goal.result, run.values)
        claimed = goal.claim([{(): value} for value in run.operands]).get((), 0)
        given = ", ".join(f"{i.name} = {v:#x}" for i, v in zip(inputs, run.operands, strict=False))
        if (contract.factor * z - int(claimed)) % contract.p:
            raise ProofError(f"function: z is {z:#x} for {given}")
        if z > contract.high:
            raise ProofError(f"canonical: z is {z:#x}, above its bound, for {given}")
