"""Proves one kernel from its bytes: function, canonical result, frame, aliasing, constant time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fieldc.proof.algebra import refute
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.comparisons import comparison_by_top, comparison_of
from fieldc.proof.algebra.dropped import find_equal_words, join_wraps
from fieldc.proof.algebra.equations import ONE, Polynomial, System, add_to
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.halves import (
    equate_doubled,
    equate_high_halves,
    equate_tops,
    equate_wrapped,
)
from fieldc.proof.algebra.identity import Identity, ProofError, flags_of, open_masks, value_of
from fieldc.proof.algebra.masks import equate_masked, fix_masked
from fieldc.proof.algebra.refute import Sample
from fieldc.proof.algebra.strategies import STRATEGIES, Strategy
from fieldc.proof.algebra.wraps import Equality, equate_dropped
from fieldc.proof.algebra.zeros import fix_unread, fix_zeros
from fieldc.proof.claims.contracts import WORD_BITS, Claim, Contract, Operand
from fieldc.proof.claims.cut_points import candidates, residues
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.memory import KernelMemory
from fieldc.proof.proved import CaseProof, CutPoint, Excluded, Proved

RUNS = 8
"""Runs on numbers before a proof: enough to show most bits that are not constant."""
PROPOSING = 16
"""Runs that propose which words are digits of a quotient."""
MOST_FLAGS = 3
"""Flags on whose choices a result may depend before masks are taken for products."""
MOST_IN_VAIN = 4
"""How often it is asked in vain whether a case can be."""


STACK_PLACE, STACK_ALIGNMENT = 8, 16
"""A call leaves the stack pointer at 8 modulo 16."""
Entered = tuple[KernelMemory, tuple[Input, ...]]
"""The state of a run, and the operands' values."""
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
        memory, inputs = _start(contract, code, constants, unfit, stack_place)
        INSTRUCTION_SETS[architecture].run(memory, convention, code, start)
        return memory, inputs

    memory, inputs = _from_any_place(run)
    system = memory.system
    count = runs or (RUNS if contract.between else 0)  # runs find the words of values between
    samples = tuple(refute.samples(system, inputs, count))
    cut_points = []
    for claim in contract.between:
        cut_points.append(_cut_point(system, inputs, contract, claim, samples))
        inputs, samples = _from_there_on(system, inputs, samples, cut_points[-1].value)
    goals = list(_goals(memory, contract))
    open_masks(system, MOST_FLAGS, [goal.result for goal in goals])
    for goal in goals:
        _refute(inputs, contract, goal, samples)
    if memory.is_foreign:
        find_equal_words(system)
        join_wraps(Case(system, inputs, samples=tuple(s.values for s in samples)))
    equalities = () if memory.is_foreign else _first_equalities(_case(system, inputs, samples))
    for goal in goals:
        try:
            proofs = _proofs(system, inputs, contract, goal, samples)
        except ProofError:
            if not memory.is_foreign:
                equalities += (more := _equalities(system, inputs, contract, goal, samples))
                if not more:
                    raise
            proofs = _proofs(system, inputs, contract, goal, samples, of_flags=memory.is_foreign)
        for proof in proofs:
            record(proof)
    return Proved(system, memory.deepest, equalities, frozenset(memory.executed), tuple(cut_points))


def _start(
    contract: Contract,
    code: bytes,
    constants: Mapping[int, bytes] | None,
    unfit: frozenset[int],
    stack_place: int,
) -> Entered:
    """The state on entry, with new variables for all operands."""
    system = System(WORD_BITS, is_foreign=constants is not None)
    operands = operands_of(system, contract)
    inputs = tuple(i for values in operands.values() for i in values)
    memory = KernelMemory(
        system,
        {name: tuple(v for i in values for v in i.limbs) for name, values in operands.items()},
        code,
        contract.result_limbs * len(contract.claims),
        tables=contract.tables,
        before=contract.before,
        in_place=contract.in_place,
        numbers=contract.numbers,
        arguments=contract.arguments,
        constants=constants,
        unfit=unfit,
        overlaps=contract.overlap,
        case=None if constants is None else Case(system, inputs, is_foreign=True),
        stack_place=stack_place,
    )
    return memory, inputs


def _from_any_place(run: Callable[[int], Entered]) -> Entered:
    """One run, which stands for all places of the stack. Raises ProofError where it does not."""
    memory, inputs = run(STACK_PLACE)
    for place in range(STACK_PLACE + STACK_ALIGNMENT, memory.aligned_to, STACK_ALIGNMENT):
        other, _ = run(place)
        same = (other.system, other.result) == (memory.system, memory.result)
        if not same or other.aligned_to != memory.aligned_to:
            raise ProofError("what is computed depends on where the stack lies")
        memory.deepest = max(memory.deepest, other.deepest)
        memory.executed |= other.executed
    return memory, inputs


@dataclass(frozen=True)
class _Goal:
    """One result, as a polynomial in words, and what it must be."""

    number: int
    result: Polynomial
    claim: Claim


def _goals(memory: KernelMemory, contract: Contract) -> Iterator[_Goal]:
    limbs, written = contract.result_limbs, memory.result
    missing = [i for i in range(memory.result_limbs) if i not in written]
    if missing:
        raise ProofError(f"frame: limb {missing[0]} of z is never written")
    for number, claim in enumerate(contract.claims):
        words = [written[i] for i in range(limbs * number, limbs * (number + 1))]
        yield _Goal(number, value_of(words, memory.system.radix), claim)


def _cut_point(
    system: System,
    inputs: tuple[Input, ...],
    contract: Contract,
    claim: Claim,
    samples: Sequence[Sample],
) -> CutPoint:
    """The words of a value between, proved to be it. Raises ProofError."""
    values = residues(contract, claim, samples)
    refused = None
    for limbs, high in candidates(system, contract, samples, values):
        words = value_of([{(v,): 1} for v in limbs], system.radix)
        below = replace(contract, high=high)
        try:
            cases = _proofs(system, inputs, below, _Goal(0, words, claim), samples)
        except ProofError as error:
            refused = error
        else:
            return CutPoint(Input(f"v{len(inputs)}", limbs, high), tuple(cases))
    raise refused or ProofError("function: a value between is not found")


def _from_there_on(
    system: System, inputs: tuple[Input, ...], samples: tuple[Sample, ...], value: Input
) -> tuple[tuple[Input, ...], tuple[Sample, ...]]:
    """The operands, and those of runs, with a value between among them; its words are held."""
    system.hold(value.limbs, value.high)
    number = value.value(system.word_bits)
    runs = ((*s.operands, refute.evaluate(number, s.values)) for s in samples)
    later = tuple(Sample(run, s.values) for run, s in zip(runs, samples, strict=True))
    return (*inputs, value), later


def _proofs(
    system: System,
    inputs: tuple[Input, ...],
    contract: Contract,
    goal: _Goal,
    samples: Sequence[Sample],
    of_flags: bool = False,
) -> list[CaseProof | Excluded]:
    """Every case of a result. Raises ProofError.

    Where no run is of a case, bounds may exclude it. Once they did not a few times, and the cases
    were right, the others are proved first: they are quicker proved than asked.
    """
    proofs: list[CaseProof | Excluded] = []
    in_vain = 0
    for case in _cases(system, inputs, goal, samples, proofs.append, of_flags):
        asks = bool(samples) and not case.samples and in_vain < MOST_IN_VAIN
        proofs.append(_settled(case, contract, goal, asks))
        in_vain += asks and isinstance(proofs[-1], CaseProof)
    return proofs


def _case(system: System, inputs: tuple[Input, ...], samples: Sequence[Sample]) -> Case:
    """What is known in all cases."""
    runs = tuple(sample.values for sample in samples)
    doubts = refute.UnlikelyRuns(system, inputs) if runs else None
    return Case(system, inputs, samples=runs, doubts=doubts)


def _first_equalities(case: Case) -> tuple[Equality, ...]:
    """What top bits and carries equal, whatever the claim is."""
    return equate_tops(case) + equate_doubled(case) + equate_wrapped(case)


def _equalities(
    system: System,
    inputs: tuple[Input, ...],
    contract: Contract,
    goal: _Goal,
    samples: Sequence[Sample],
) -> tuple[Equality, ...]:
    """What high halves equal; else dropped carries, if the result has no factor and p is odd."""
    case = _case(system, inputs, samples)
    found = equate_masked(case) + equate_high_halves(case)
    if found or contract.factor != 1 or contract.p % 2 == 0:
        return found
    values = [i.value(system.word_bits) for i in inputs]
    runs = [s.values for s in refute.samples(system, inputs, PROPOSING)]
    return equate_dropped(case, goal.claim(values), contract.p, runs)


def _settled(case: Case, contract: Contract, goal: _Goal, asks: bool) -> CaseProof | Excluded:
    """Why a case is right, or cannot be; `asks` asks the latter first, but briefly.

    Raises ProofError.
    """
    flags = dict(case.fixed)
    newest = list(flags)[-1:]
    if asks and (found := _impossible(case, flags, newest, STRATEGIES[:1])):
        return found
    fix_unread(case)
    try:
        return _prove_case(case, contract, goal)
    except ProofError:
        if found := _impossible(case, flags, reversed(flags), STRATEGIES):
            return found
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
        given = ", ".join(f"{i.name} = {v:#x}" for i, v in zip(inputs, run.operands, strict=True))
        if (contract.factor * z - int(claimed)) % contract.p:
            raise ProofError(f"function: z is {z:#x} for {given}")
        if z > contract.high:
            raise ProofError(f"canonical: z is {z:#x}, above its bound, for {given}")


def _impossible(
    case: Case, flags: Mapping[int, int], asked: Iterable[int], strategies: tuple[Strategy, ...]
) -> Excluded | None:
    """Why bounds exclude a case, if they do: given the rest, a flag asked has the other value."""
    for flag in asked:
        rest = {f: v for f, v in flags.items() if f != flag}
        if not rest:
            continue
        plain = replace(case, fixed=rest, facts={}, hints={}, samples=(), is_foreign=False)
        probe = replace(plain, strategies=strategies)
        if bound := probe.excludes(flag, flags[flag]):
            return Excluded({**rest, flag: flags[flag]}, bound)
    return None


def operands_of(system: System, contract: Contract) -> dict[str, list[Input]]:
    """New variables for the operands' values: all limbs, then the signs."""
    found = {operand.name: _values(system, operand) for operand in contract.operands}
    for operand in contract.operands:
        if operand.is_signed:
            found[operand.name] = [_signed(system, one) for one in found[operand.name]]
    return found


def _signed(system: System, value: Input) -> Input:
    """A value with its sign: the carry of its top limb and half of all words."""
    shifted: Polynomial = {(value.limbs[-1],): 1, ONE: system.radix >> 1}
    return replace(value, sign=system.define("add", shifted, 1, f"sign of {value.name}")[1])


def _values(system: System, operand: Operand) -> list[Input]:
    name, limbs, high, count = operand.name, operand.limbs, operand.high, operand.count
    if count == 1:
        return [_input(system, name, limbs, high)]
    return [_input(system, f"{name}.{k}", limbs, high) for k in range(count)]


def _input(system: System, name: str, limbs: int, high: int) -> Input:
    top = system.radix - 1
    variables = tuple(
        system.new(f"{name}[{i}]", min(top, high >> WORD_BITS * i)) for i in range(limbs)
    )
    return Input(name, variables, high)


def _cases(
    system: System,
    inputs: tuple[Input, ...],
    goal: _Goal,
    samples: Sequence[Sample],
    record: RecordCase,
    of_flags: bool,
) -> Iterator[Case]:
    """Every combination of the flags; `of_flags`, also of those that flags are made of."""
    flags = flags_of(system, goal.result, of_flags)
    comparisons = tuple(c for flag in flags if (c := comparison_of(system, flag)) is not None)
    runs = tuple(sample.values for sample in samples)
    is_foreign = system.is_foreign
    if is_foreign:
        known = Case(system, inputs, {}, samples=runs, is_foreign=True)
        tops = (comparison_by_top(system, flag) for flag in flags)
        comparisons += tuple(c for c, carry in filter(None, tops) if known.is_always(carry, 0))
    case = replace(_case(system, inputs, samples), comparisons=comparisons, is_foreign=is_foreign)
    yield from _split(case, flags, record)


def _split(case: Case, flags: Sequence[int], record: RecordCase) -> Iterator[Case]:
    """Every combination of the flags' values, less those that bounds rule out."""
    if not flags:
        yield case
        return
    several = len(flags) > 1 or case.fixed
    plain = replace(case, comparisons=())  # the rest is left to _impossible, where it is needed
    for value in (0, 1):
        fixed = {**case.fixed, flags[0]: value}
        if several and (bound := plain.excludes(flags[0], value)):
            record(Excluded(fixed, bound))
            continue
        samples = tuple(sample for sample in case.samples if sample[flags[0]] == value)
        half = replace(case, fixed=fixed, facts={}, samples=samples)
        yield from _split(half, flags[1:], record)


def _prove_case(case: Case, contract: Contract, goal: _Goal) -> CaseProof:
    flags = {f: v for f, v in case.fixed.items() if f not in case.facts}
    known = ", ".join(f"flag {case.system.names[f]} = {v}" for f, v in flags.items())
    try:
        values = [i.value(case.system.word_bits) for i in case.inputs]
        target: Polynomial = {}
        add_to(target, goal.result, contract.factor)
        add_to(target, goal.claim(values), -1)
        identity = Identity(case, contract.p)
        identity.vanishes(target)
        canonical = case.shown(goal.result, contract.high)
        if canonical is None:
            high = case.upper(goal.result)
            over = Fraction(high - contract.high, contract.p)
            percent = -(-over.numerator * 100 // over.denominator)
            raise ProofError(
                f"canonical: the result may exceed its bound by {percent} hundredths of p"
            )
        return CaseProof(goal.number, case, identity.rows, canonical)
    except ProofError as error:
        raise ProofError(f"{error}" + (f" (where {known})" if known else "")) from None
