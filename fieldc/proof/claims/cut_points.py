"""Finds the words that hold a value which a contract names between operands and results.

Runs on numbers show them. A wrong guess costs a proof and no more, because what is said of the
words is proved before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import ONE, Polynomial, Select, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.refute import Sample, evaluate
from fieldc.proof.algebra.wraps import Equality
from fieldc.proof.claims.contracts import Claim, Contract


@dataclass(frozen=True)
class Known:
    """The numbers of which claims speak: the operands' values, then those between."""

    system: System
    inputs: tuple[Input, ...]
    """The numbers that words hold."""
    numbers: tuple[Polynomial, ...]
    samples: tuple[Sample, ...]
    """Runs, each with all numbers."""
    equalities: list[Equality] = field(default_factory=list)
    """What words were shown to equal, in order; the system's rows have it in them."""

    @classmethod
    def on_entry(
        cls, system: System, operands: tuple[Input, ...], samples: Iterable[Sample]
    ) -> Known:
        """Of the operands alone."""
        values = tuple(i.value(system.word_bits) for i in operands)
        return cls(system, operands, values, tuple(samples))

    @property
    def runs(self) -> tuple[Mapping[int, int], ...]:
        """The values of all variables in each run."""
        return tuple(sample.values for sample in self.samples)

    @property
    def next_name(self) -> str:
        """What a value between is called: v1 after one number."""
        return f"v{len(self.numbers)}"

    def held(self, value: Input) -> Known:
        """The numbers with one that words hold; what made these is not asked from now on."""
        self.system.hold(value.limbs, value.high)
        number = value.value(self.system.word_bits)
        found = replace(self, inputs=(*self.inputs, value))
        return found._with(number, [evaluate(number, run) for run in self.runs])

    def written(self, claim: Claim, p: int) -> Known:
        """The numbers with one that is what its claim says, modulo p."""
        return self._with(claim(self.numbers), [r % p for r in self.claimed(claim)])

    def claimed(self, claim: Claim) -> Iterator[int]:
        """What a claim says of each run."""
        for sample in self.samples:
            yield int(claim([{ONE: v} for v in sample.operands]).get(ONE, 0))

    def _with(self, number: Polynomial, in_runs: Sequence[int]) -> Known:
        runs = zip(self.samples, in_runs, strict=True)
        samples = tuple(Sample((*s.operands, value), s.values) for s, value in runs)
        return replace(self, numbers=(*self.numbers, number), samples=samples)


def candidates(
    known: Known, contract: Contract, claim: Claim
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Words that hold a number of which the claim is right in all runs, and its largest value.

    It is below p where a choice made its words, or else below 2p. Of foreign code and of formulas,
    whose words are made in other ways, both are tried. Raises ProofError where no words do.
    """
    system, inverse = known.system, inverse_of(contract.factor, contract.p)
    values = [value * inverse % contract.p for value in known.claimed(claim)]
    runs = known.runs
    found = [_holders(system, runs, values, contract.p, i) for i in range(contract.limbs)]
    both = set(found[0]).intersection(*found[1:])
    if not both or known.next_name in (i.name for i in known.inputs):
        raise ProofError("function: no words hold a value between operands and result")
    multiples = min(both)
    limbs = tuple(of[multiples] for of in found)
    is_chosen = all(isinstance(system.defining(limb), Select) for limb in limbs)
    is_any = is_chosen or system.is_foreign or contract.may_be_written
    if is_any and not any(multiples):
        yield limbs, contract.p - 1
    yield limbs, 2 * contract.p - 1


def _holders(
    system: System, runs: Sequence[Mapping[int, int]], values: Sequence[int], p: int, index: int
) -> dict[tuple[int, ...], int]:
    """The newest variable that is a limb of value + m*p in each run, by the runs' m, 0 or 1."""
    shift, top = system.word_bits * index, system.radix - 1
    limbs = [(value >> shift & top, value + p >> shift & top) for value in values]
    found: dict[tuple[int, ...], int] = {}
    for number in range(len(system.names)):
        if runs and runs[0][number] not in limbs[0]:
            continue
        in_runs = zip(limbs, runs, strict=True)
        fits = [[m for m in (0, 1) if both[m] == run[number]] for both, run in in_runs]
        if all(fits):
            found.update(dict.fromkeys(product(*fits), number))
    return found
