"""Every single-instruction mutant of a kernel is rejected by the prover, or shown to be right."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from mutation.equivalent import REASONS
from mutation.gate import FULL_SAMPLES, SAMPLES, Subject, account, subjects
from mutation.judge import bytes_of, verdicts

from fieldc.machine.assemble import host_triple
from fieldc.proof.prove import contract_of

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the mutants are x86-64")


def sample_of(subject: Subject) -> int | None:
    """How many mutants the default gate draws; None for all."""
    slow = subject.is_small and subject.field == "secp256k1-p" and subject.operation != "sub"
    if subject.is_small and not slow:
        return None
    return 30 if slow else SAMPLES[subject.field]


def full_sample_of(subject: Subject) -> int | None:
    """All mutants, but of kernels whose proofs take a second each."""
    return None if subject.is_small else FULL_SAMPLES.get(subject.field)


@pytest.mark.parametrize("subject", subjects(), ids=str)
def test_every_drawn_mutant_is_accounted_for(subject: Subject) -> None:
    found = account(subject, sample_of(subject))
    print(f"{subject}: {json.dumps(asdict(found))}")
    assert found.mutants == found.rejected + sum(found.equivalent.values())
    assert found.equivalent.keys() <= REASONS.keys()
    assert found.rejected >= 0.9 * found.mutants - 2


@pytest.mark.full
@pytest.mark.parametrize("subject", subjects(), ids=str)
def test_every_mutant_is_accounted_for(subject: Subject) -> None:
    found = account(subject, full_sample_of(subject))
    print(f"{subject}: {json.dumps(asdict(found))}")
    assert found.mutants == found.rejected + sum(found.equivalent.values())


@pytest.mark.parametrize("subject", [s for s in subjects() if s.field == "bn254-p"], ids=str)
def test_what_is_mutated_is_proved_unmutated(subject: Subject) -> None:
    field = subject.trace().field
    contract = contract_of(subject.operation, field.p, field.n)
    assert list(verdicts(bytes_of([subject.kernel()]), contract)) == [""]
