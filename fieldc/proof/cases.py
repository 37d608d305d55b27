"""Proves one result of a kernel: in every case of its flags the claim holds, and its bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.comparisons import comparison_by_top, comparison_of
from fieldc.proof.algebra.equations import Polynomial, add_to
from fieldc.proof.algebra.facts import Budget
from fieldc.proof.algebra.identity import Identity, ProofError, flags_of
from fieldc.proof.algebra.masks import fix_masked
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.algebra.zeros import fix_unread, fix_zeros
from fieldc.proof.claims.contracts import Claim, Contract
from fieldc.proof.claims.cut_points import KnownNumbers, are_right_of_any
from fieldc.proof.equalities import EQUALITIES, case_of
from fieldc.proof.exclusions import impossible
from fieldc.proof.proved import CaseProof, Excluded

MOST_IN_VAIN = 4
"""How often it is asked in vain whether a case can be."""
BRIEF = 400
"""Bounds that a case may take at first; of 303 cases of five primes' operations each took fewer."""


class NotBounded(ProofError):
    """A result that is right modulo p, but may be too large: up to `high`, as far as is shown."""

    def __init__(self, message: str, high: int = 0) -> None:
        super().__init__(message)
        self.high = high


class _PutOff(ProofError):
    """A case took more bounds than it may at first."""


@dataclass(frozen=True)
class ResultGoal:
    """One result, as a polynomial in words, and what it must be."""

    number: int
    result: Polynomial
    claim: Claim
    claimed: Polynomial
    """The claim of the numbers that are known."""
    is_needed: bool = True
    """Whether the proof fails without it."""


def shown(known: KnownNumbers, contract: Contract, goal: ResultGoal) -> list[CaseProof | Excluded]:
    """Every case of a result; where need be, words are equated first. Raises ProofError.

    What made the words of sums between is asked too: first where runs show that it must be, else
    at last. x - y may be in words below 2p for its square, and below p as a result.
    """
    is_right = are_right_of_any(known, contract, goal.result, goal.claimed)
    if not is_right and (found := _shown_by_sums(known, contract, goal)):
        return found
    try:
        return _shown_with_equalities(known, contract, goal)
    except ProofError as error:
        refused = error
    if not known.system.sums or known.system.is_foreign:
        raise refused
    with known.system.opened():
        return _proofs(known, contract, goal)


def shown_by_bounds(
    known: KnownNumbers, contract: Contract, goal: ResultGoal
) -> list[CaseProof | Excluded]:
    """Every case of a result by bounds alone: no words are equated, or shown to be 0.

    Raises ProofError.
    """
    return _proofs(known, contract, replace(goal, is_needed=False))


def _shown_with_equalities(
    known: KnownNumbers, contract: Contract, goal: ResultGoal
) -> list[CaseProof | Excluded]:
    """Every case, once words are equated where need be. Raises ProofError.

    What takes many bounds is put off: it is often quickly proved after more equalities.
    """
    if known.system.is_foreign:
        try:
            return _proofs(known, contract, goal)
        except ProofError:
            return _proofs(known, contract, goal, of_flags=True)
    try:
        return _proofs(known, contract, goal, is_brief=True)
    except ProofError as error:
        refused = error
    for equalities in EQUALITIES:
        if more := equalities(known, contract, goal.claimed):
            known.equalities.extend(more)
            try:
                return _proofs(known, contract, goal, is_brief=True)
            except ProofError as error:
                refused = error
    if isinstance(refused, _PutOff):
        return _proofs(known, contract, goal)
    raise refused


def _shown_by_sums(
    known: KnownNumbers, contract: Contract, goal: ResultGoal
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
    known: KnownNumbers,
    contract: Contract,
    goal: ResultGoal,
    of_flags: bool = False,
    is_brief: bool = False,
) -> list[CaseProof | Excluded]:
    """Every case of a result; with `is_brief`, none may take many bounds. Raises ProofError.

    Where no run is of a case, bounds may exclude it. Once they did not a few times, and the cases
    were right, the others are proved first: they are quicker proved than asked.
    """
    proofs: list[CaseProof | Excluded] = []
    in_vain = 0
    for case in _cases(known, goal, proofs, of_flags):
        asks = bool(known.samples) and not case.samples and in_vain < MOST_IN_VAIN
        budget = Budget() if not goal.is_needed else Budget(BRIEF) if is_brief else None
        try:
            proofs.append(_settled(replace(case, budget=budget), contract, goal, asks))
        except ProofError as error:
            if budget and goal.is_needed and budget.is_spent:
                raise _PutOff(str(error)) from None
            raise
        in_vain += asks and isinstance(proofs[-1], CaseProof)
    return [replace(proof, equated=len(known.equalities)) for proof in proofs]


def _settled(case: Case, contract: Contract, goal: ResultGoal, asks: bool) -> CaseProof | Excluded:
    """Why a case is right, or cannot be; `asks` asks the latter first, but briefly.

    Raises ProofError.
    """
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


def _cases(
    known: KnownNumbers, goal: ResultGoal, proofs: list[CaseProof | Excluded], of_flags: bool
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


def _prove_case(case: Case, contract: Contract, goal: ResultGoal) -> CaseProof:
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
