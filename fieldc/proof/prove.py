"""Proves one kernel from its bytes: function, canonical result, frame, aliasing, constant time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from fieldc.proof.algebra import refute
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.comparisons import comparison_by_top, comparison_of
from fieldc.proof.algebra.dropped import find_equal_words, join_wraps
from fieldc.proof.algebra.ends import equate_ends
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to
from fieldc.proof.algebra.facts import Budget, Input
from fieldc.proof.algebra.halves import equate_zero_tops
from fieldc.proof.algebra.identity import Identity, ProofError, flags_of, open_masks, value_of
from fieldc.proof.algebra.masks import fix_masked
from fieldc.proof.algebra.refute import Sample
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.algebra.zeros import fix_unread, fix_zeros
from fieldc.proof.claims.contracts import Claim, Contract
from fieldc.proof.claims.cut_points import (
    KnownNumbers,
    are_chosen,
    are_right_of_any,
    is_too_deep,
    words_of,
)
from fieldc.proof.entry import Entered, entered, from_any_place
from fieldc.proof.equalities import EQUALITIES, case_of, first_equalities
from fieldc.proof.exclusions import impossible
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import KernelMemory
from fieldc.proof.proved import CaseProof, CutPoint, Excluded, Proved

RUNS = 8
"""Runs on numbers before a proof: enough to show most bits that are not constant."""
MOST_FLAGS = 3
"""Flags on whose choices a result may depend before masks are taken for products."""
MOST_HIGHS = 5
"""How often it is asked what words of a value between may be at most."""
MOST_IN_VAIN = 4
"""How often it is asked in vain whether a case can be."""


class NotHeld(ProofError):
    """No words are found that hold a value between operands and result."""

    def __init__(
        self, message: str = "function: no words hold a value between operands and result"
    ) -> None:
        super().__init__(message)


class NotBounded(ProofError):
    """A result that is right modulo p, but may be too large: up to `high`, as far as is shown."""

    def __init__(self, message: str, high: int = 0) -> None:
        super().__init__(message)
        self.high = high


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
        for proof in _shown(known, contract, goal):
            record(proof)
    found = tuple(known.equalities), frozenset(memory.executed), cut_points
    return Proved(system, memory.deepest, *found)


@dataclass(frozen=True)
class _Goal:
    """One result, as a polynomial in words, and what it must be."""

    number: int
    result: Polynomial
    claim: Claim
    claimed: Polynomial
    """The claim of the numbers that are known."""
    is_needed: bool = True
    """Whether the proof fails without it."""


def _goals(memory: KernelMemory, contract: Contract, known: KnownNumbers) -> Iterator[_Goal]:
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
        yield _Goal(number, value, claim, claimed)


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
    found = None if is_constant or is_deep else words_of(known, contract, claim)
    if found is None and contract.may_be_written:
        return None
    if found is None:
        raise NotHeld
    limbs, below = found
    if not known.system.is_foreign:
        known.equalities.extend(equate_ends(case_of(known), limbs))
    value = value_of([{(v,): 1} for v in limbs], known.system.radix)
    goal = _Goal(0, value, claim, claimed, is_needed=not contract.may_be_written)
    try:
        return _held(known, contract, goal, limbs, below)
    except ProofError:
        if goal.is_needed:
            raise
        return None


def _held(
    known: KnownNumbers, contract: Contract, goal: _Goal, limbs: tuple[int, ...], below: int
) -> CutPoint:
    """The proof that words hold a value between, which runs show to be `below`. Raises ProofError.

    What it may be at most is taken from the bounds where they do not show as much as runs.
    """
    highs = [*_highs(known, contract, goal, are_chosen(known.system, limbs), below)]
    for left in reversed(range(MOST_HIGHS)):
        high, *highs = highs
        try:
            cases = _shown(known, replace(contract, high=high), goal)
            break
        except NotBounded as error:
            if not (left and highs):
                raise
            highs = [error.high, *highs] if error.high < highs[0] else highs
    return CutPoint(Input(known.next_name, limbs, high), tuple(cases))


def _highs(
    known: KnownNumbers, contract: Contract, goal: _Goal, is_chosen: bool, below: int
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


def _shown(known: KnownNumbers, contract: Contract, goal: _Goal) -> list[CaseProof | Excluded]:
    """Every case of a result; where need be, words are equated first. Raises ProofError.

    What made the words of sums between is asked too: first where runs show that it must be, else
    at last. x - y may be in words below 2p for its square, and below p as a result.
    """
    is_right = are_right_of_any(known, contract, goal.result, goal.claimed)
    if not is_right and (found := _shown_by_sums(known, contract, goal)):
        return found
    try:
        return _proofs(known, contract, goal)
    except ProofError as error:
        refused = error
    if known.system.is_foreign:
        return _proofs(known, contract, goal, of_flags=True)
    for equalities in EQUALITIES:
        if more := equalities(known, contract, goal.claimed):
            known.equalities.extend(more)
            try:
                return _proofs(known, contract, goal)
            except ProofError as error:
                refused = error
    if not known.system.sums:
        raise refused
    with known.system.opened():
        return _proofs(known, contract, goal)


def _shown_by_sums(
    known: KnownNumbers, contract: Contract, goal: _Goal
) -> list[CaseProof | Excluded]:
    """Every case where what made the words of sums between is asked; none where that is no proof.

    Raises ProofError where this need not be proved, and is not right then either.
    """
    with known.system.opened():
        if are_right_of_any(known, contract, goal.result, goal.claimed):
            with suppress(ProofError):
                return _proofs(known, contract, goal)
        elif not goal.is_needed:
            raise ProofError("function: words are a value's by what made other words")
    return []


def _proofs(
    known: KnownNumbers, contract: Contract, goal: _Goal, of_flags: bool = False
) -> list[CaseProof | Excluded]:
    """Every case of a result. Raises ProofError.

    Where no run is of a case, bounds may exclude it. Once they did not a few times, and the cases
    were right, the others are proved first: they are quicker proved than asked.
    """
    proofs: list[CaseProof | Excluded] = []
    in_vain = 0
    for case in _cases(known, goal, proofs, of_flags):
        asks = bool(known.samples) and not case.samples and in_vain < MOST_IN_VAIN
        proofs.append(_settled(case, contract, goal, asks))
        in_vain += asks and isinstance(proofs[-1], CaseProof)
    return [replace(proof, equated=len(known.equalities)) for proof in proofs]


def _settled(case: Case, contract: Contract, goal: _Goal, asks: bool) -> CaseProof | Excluded:
    """Why a case is right, or cannot be; `asks` asks the latter first, but briefly.

    Raises ProofError.
    """
    case = case if goal.is_needed else replace(case, budget=Budget())
    flags = dict(case.fixed)
    newest = list(flags)[-1:]
    if asks and (found := impossible(case, flags, newest, STRATEGIES[:1])):
        return found
    fix_unread(case)
    try:
        return _prove_case(case, contract, goal)
    except ProofError:
        is_seen = bool(case.samples)  # in a run
        if not is_seen and (found := impossible(case, flags, reversed(flags), STRATEGIES)):
            return found
        if not goal.is_needed:
            raise
        again = replace(case, fixed=flags, facts={})
        is_masked = fix_masked(again)
        if not fix_zeros(again) and not is_masked:
            raise
        return _prove_case(again, contract, goal)


def _refute(
    inputs: Sequence[Input], contract: Contract, goal: _Goal, samples: Sequence[Sample]
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


def _cases(
    known: KnownNumbers, goal: _Goal, proofs: list[CaseProof | Excluded], of_flags: bool
) -> Iterator[Case]:
    """Every combination of the flags; `of_flags`, also of those that flags are made of.

    What bounds rule out is added to the proofs. What a proof excludes meanwhile is left out.
    """
    system = known.system
    flags = flags_of(system, {**goal.result, **goal.claimed}, of_flags)
    comparisons = tuple(c for flag in flags if (c := comparison_of(system, flag)) is not None)
    is_foreign = system.is_foreign
    if is_foreign:
        always = Case(system, known.inputs, {}, samples=known.runs, is_foreign=True)
        tops = (comparison_by_top(system, flag) for flag in flags)
        comparisons += tuple(c for c, carry in filter(None, tops) if always.is_always(carry, 0))
    case = replace(case_of(known), comparisons=comparisons, is_foreign=is_foreign)
    yield from _split(case, flags, proofs)


def _split(case: Case, flags: Sequence[int], proofs: list[CaseProof | Excluded]) -> Iterator[Case]:
    """Every combination of the flags' values, less those that bounds rule out."""
    if not flags:
        rare = case.doubts.of(case.fixed) if case.doubts and not case.samples else ()
        yield replace(case, samples=rare) if rare else case
        return
    several = len(flags) > 1 or case.fixed
    plain = replace(case, comparisons=())  # the rest is left to `impossible`, where it is needed
    for value in (0, 1):
        fixed = {**case.fixed, flags[0]: value}
        if any(isinstance(p, Excluded) and p.flags.items() <= fixed.items() for p in proofs):
            continue
        if several and (bound := plain.excludes(flags[0], value)):
            proofs.append(Excluded(fixed, bound))
            continue
        samples = tuple(sample for sample in case.samples if sample[flags[0]] == value)
        half = replace(case, fixed=fixed, facts={}, samples=samples)
        yield from _split(half, flags[1:], proofs)


def _prove_case(case: Case, contract: Contract, goal: _Goal) -> CaseProof:
    flags = {f: v for f, v in case.fixed.items() if f not in case.facts}
    given = ", ".join(f"flag {case.system.names[f]} = {v}" for f, v in flags.items())
    where = f" (where {given})" if given else ""
    try:
        target: Polynomial = {}
        add_to(target, goal.result, contract.factor)
        add_to(target, goal.claimed, -1)
        identity = Identity(case, contract.p)
        identity.vanishes(target)
        canonical = case.shown(goal.result, contract.high)
        if canonical is None:
            high = case.upper(goal.result)
            over = Fraction(high - contract.high, contract.p)
            percent = -(-over.numerator * 100 // over.denominator)
            message = f"canonical: the result may exceed its bound by {percent} hundredths of p"
            raise NotBounded(f"{message}{where}", int(high))
        return CaseProof(goal.number, case, identity.rows, canonical)
    except NotBounded:
        raise
    except ProofError as error:
        raise ProofError(f"{error}{where}") from None
