"""Finds the words that hold a value which a contract names between operands and results.

Runs on numbers show them. A wrong guess costs a proof and no more, because what is said of the
words is proved before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import Select, System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.refute import Sample
from fieldc.proof.claims.contracts import Claim, Contract


def residues(contract: Contract, claim: Claim, samples: Sequence[Sample]) -> list[int]:
    """The value between, less multiples of p, in each run."""
    inverse = inverse_of(contract.factor, contract.p)
    claimed = (claim([{(): v} for v in s.operands]).get((), 0) for s in samples)
    return [int(value) * inverse % contract.p for value in claimed]


def candidates(
    system: System, contract: Contract, samples: Sequence[Sample], values: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Words that hold a number with these residues in all runs, and the largest that it may be.

    It is below p where a choice made its words, or else below 2p; of foreign code, whose words are
    made in other ways, both are tried. Raises ProofError where no words
    do.
    """
    found = [_holders(system, samples, values, contract.p, i) for i in range(contract.limbs)]
    both = set(found[0]).intersection(*found[1:])
    if not both:
        raise ProofError("function: no words hold a value between operands and result")
    multiples = min(both)
    limbs = tuple(of[multiples] for of in found)
    is_chosen = all(isinstance(system.defining(limb), Select) for limb in limbs)
    if (is_chosen or system.is_foreign) and not any(multiples):
        yield limbs, contract.p - 1
    yield limbs, 2 * contract.p - 1


def _holders(
    system: System, samples: Sequence[Sample], values: Sequence[int], p: int, index: int
) -> dict[tuple[int, ...], int]:
    """The newest variable that is a limb of value + m*p in each run, by the runs' m, 0 or 1."""
    shift, top = system.word_bits * index, system.radix - 1
    limbs = [(value >> shift & top, value + p >> shift & top) for value in values]
    found: dict[tuple[int, ...], int] = {}
    for number in range(len(system.names)):
        if samples and samples[0].values[number] not in limbs[0]:
            continue
        runs = zip(limbs, samples, strict=True)
        fits = [[m for m in (0, 1) if both[m] == run.values[number]] for both, run in runs]
        if all(fits):
            found.update(dict.fromkeys(product(*fits), number))
    return found
