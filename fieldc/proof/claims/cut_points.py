"""Finds the words that hold a value which a contract names between operands and results.

Runs on numbers show them. A wrong guess costs a proof and no more, because what is said of the
words is proved before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import ONE, Equation, Polynomial, Select, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import value_of
from fieldc.proof.algebra.refute import Sample, UnlikelyRuns, evaluate, samples
from fieldc.proof.algebra.wraps import Equality
from fieldc.proof.claims.contracts import Claim, Contract
from fieldc.proof.claims.formulas import MOST_DEGREE

RUNS_OF_ANY = 2
"""Runs in which words of values between hold any numbers."""
SMALL = 1 << 8
"""Of larger primes no two values are the same for all x: modulo p, x^(2^i) is c*x^(2^j) for all x
only if p - 1 divides 2^i - 2^j, and 8 squarings are the most."""
MOST_TIMES = 8
"""Words hold a value, or it and fewer than so many times p."""


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers of which claims speak: the operands' values, then those between."""

    system: System
    inputs: tuple[Input, ...]
    """The numbers that words hold."""
    numbers: tuple[Polynomial, ...]
    samples: tuple[Sample, ...]
    """Runs, each with all numbers."""
    equalities: list[Equality] = field(default_factory=list)
    """What words were shown to equal, in order; the system's rows have it in them."""
    doubts: UnlikelyRuns | None = None
    """More runs, on unlikely operands, where there are samples."""

    @classmethod
    def on_entry(
        cls, system: System, operands: tuple[Input, ...], samples: Iterable[Sample]
    ) -> KnownNumbers:
        """Of the operands alone."""
        values, seen = tuple(i.value(system.word_bits) for i in operands), tuple(samples)
        doubts = UnlikelyRuns(system, operands) if seen else None
        return cls(system, operands, values, seen, doubts=doubts)

    @property
    def runs(self) -> tuple[Mapping[int, int], ...]:
        """The values of all variables in each run."""
        return tuple(sample.values for sample in self.samples)

    @property
    def next_name(self) -> str:
        """What a value between is called: v1 after one number."""
        return f"v{len(self.numbers)}"

    def held(self, value: Input, claim: Claim) -> KnownNumbers:
        """The numbers with one that words hold; what made these is not asked from now on."""
        is_sum = all(len(monomial) < 2 for monomial in claim(self.numbers))
        self.system.hold(value.limbs, value.high, is_sum)
        number = value.value(self.system.word_bits)
        found = replace(self, inputs=(*self.inputs, value))
        return found._with(number, [evaluate(number, run) for run in self.runs])

    def written(self, claim: Claim, p: int) -> KnownNumbers:
        """The numbers with one that is what its claim says, modulo p."""
        return self._with(claim(self.numbers), [r % p for r in self.claimed(claim)])

    def claimed(self, claim: Claim) -> Iterator[int]:
        """What a claim says of each run."""
        for sample in self.samples:
            yield int(claim([{ONE: v} for v in sample.operands]).get(ONE, 0))

    def _with(self, number: Polynomial, in_runs: Sequence[int]) -> KnownNumbers:
        runs = zip(self.samples, in_runs, strict=True)
        samples = tuple(Sample((*s.operands, value), s.values) for s, value in runs)
        return replace(self, numbers=(*self.numbers, number), samples=samples)


def words_of(
    known: KnownNumbers, contract: Contract, claim: Claim
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Words that hold a number of which the claim is right in all runs; what it is below in these.

    The latter is a multiple of p. Modulo a small p the newest ones may hold a later value, which
    is always the same as this one: then older ones follow.
    """
    inverse = inverse_of(contract.factor, contract.p)
    values = [value * inverse % contract.p for value in known.claimed(claim)]
    if contract.may_be_written and not any(values):
        return  # words that are 0 in all runs are many
    if known.next_name in (i.name for i in known.inputs):
        return
    for limbs in _holding(known.system, known.runs, values, contract):
        number = value_of([{(v,): 1} for v in limbs], known.system.radix)
        times = max(evaluate(number, run) // contract.p for run in known.runs)
        yield limbs, (times + 1) * contract.p


def is_too_deep(system: System, claimed: Polynomial) -> bool:
    """Whether more words than MOST_DEGREE are multiplied; masks and signs do not count."""
    ranges = system.ranges
    return any(sum(ranges[v][1] > 1 for v in m) > MOST_DEGREE for m in claimed)


def are_chosen(system: System, words: Sequence[int]) -> bool:
    """Whether choices made all of the words, as they do where a value is reduced below p."""
    return all(isinstance(system.defining(word), Select) for word in words)


def are_right_of_any(
    known: KnownNumbers, contract: Contract, result: Polynomial, claimed: Polynomial
) -> bool:
    """Whether words are what is claimed where words of values between hold any numbers.

    So a proof takes them. Where runs show that it cannot be, it would be in vain, and seldom short.
    Asked of formulas alone.
    """
    system = known.system
    is_of_held = not system.held.isdisjoint(v for monomial in claimed for v in monomial)
    if not (contract.may_be_written and is_of_held):
        return True
    inputs = [i for i in known.inputs if system.defining(i.limbs[0]) is None]
    return not any(
        (contract.factor * evaluate(result, run.values) - evaluate(claimed, run.values))
        % contract.p
        for run in samples(system, inputs, RUNS_OF_ANY)
    )


def _holding(
    system: System, runs: Sequence[Mapping[int, int]], values: Sequence[int], contract: Contract
) -> Iterator[tuple[int, ...]]:
    """The newest words whose number is value + m*p in each run, for the least m that some have.

    Rows read them: words that are no more than a result are not what the code computes with. The
    higher ones are made as the lowest one is, by a choice or a sum: another word may equal one.
    For squarings modulo a small p all words follow that hold it, from the newest one on.
    """
    bits, top, p = system.word_bits, system.radix - 1, contract.p
    words: dict[tuple[int, ...], list[int]] = {}
    for word in sorted(system.read()):
        words.setdefault(tuple(run[word] for run in runs), []).append(word)
    lowest = [{value + m * p & top: m for m in reversed(range(MOST_TIMES))} for value in values]
    for m in sorted(_times(words, lowest)):
        numbers = [value + times * p for value, times in zip(values, m, strict=True)]
        count = max(contract.limbs, -(-max(numbers).bit_length() // bits))
        in_runs = [tuple(n >> bits * i & top for n in numbers) for i in range(count)]
        limbs = [words.get(limb, []) for limb in in_runs]
        if all(limbs):
            kind = _kind(system, limbs[0][-1])
            alike = [[word for word in limb if _kind(system, word) == kind] for limb in limbs]
            yield tuple((best or limb)[-1] for best, limb in zip(alike, limbs, strict=True))
            if p > SMALL or contract.may_be_written:
                return
            yield from ((word,) for word in reversed(limbs[0][:-1]))


def _kind(system: System, word: int) -> str:
    """What makes a word."""
    row = system.defining(word)
    return row.kind if isinstance(row, Equation) else type(row).__name__


def _times(
    words: Iterable[tuple[int, ...]], lowest: Sequence[Mapping[int, int]]
) -> Iterator[tuple[int, ...]]:
    """In each run, how many p more than the value a word's number may be if it is the lowest."""
    for word in words:
        if word and word[0] in lowest[0]:
            times = [known.get(w) for w, known in zip(word, lowest, strict=True)]
            if None not in times:
                yield tuple(t for t in times if t is not None)
