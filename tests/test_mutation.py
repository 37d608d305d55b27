"""Every single-instruction mutant of a kernel is rejected by the prover, or shown to be right."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from contracts import contract_named
from mutation.equivalent import REASONS
from mutation.gate import (
    COUNTS,
    FIELDS,
    SAMPLES,
    SMALL,
    Subject,
    account,
    account_of_all,
    fused_subjects,
    subjects,
)
from mutation.judge import bytes_of, verdicts
from sampling import sampled

from fieldc.machine.assemble import host_triple
from fieldc.targets.x86_64.choices import VARIANTS

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the mutants are x86-64")


def sample_of(subject: Subject) -> int | None:
    """How many mutants the default gate draws; None for all."""
    if subject.is_small and subject.field == "bn254-p" and subject.operation == "sub":
        return None
    return 30 if subject.is_small else SAMPLES[subject.field]


DRAWN = sampled(
    [s for s in subjects() if s.field == "bn254-p" or s.variant == "adx"],
    [s for s in subjects() if s.field != "bn254-p" and s.variant != "adx"],
)
"""Every variant for one field; one variant for the others."""


@pytest.mark.parametrize("operation", SMALL)
@pytest.mark.parametrize("field", FIELDS)
def test_variants_of_a_small_operation_agree(field: str, operation: str) -> None:
    """So one of them is mutated for all."""
    assert len({Subject(field, operation, variant).kernel().code for variant in VARIANTS}) == 1


@pytest.mark.parametrize("subject", DRAWN, ids=str)
@pytest.mark.sweep(2)
def test_every_drawn_mutant_is_accounted_for(subject: Subject) -> None:
    found = account(subject, sample_of(subject), 0)
    print(f"{subject}: {json.dumps(asdict(found))}")
    assert found.mutants == found.rejected + sum(found.equivalent.values())
    assert found.equivalent.keys() <= REASONS.keys()
    assert found.rejected >= 0.9 * found.mutants - 2


@pytest.mark.parametrize("subject", fused_subjects(["adx"]), ids=str)
@pytest.mark.sweep(6)
def test_mutants_of_fused_kernels(subject: Subject) -> None:
    found = account(subject, 2, 0)
    assert found.mutants == found.rejected + sum(found.equivalent.values())
    assert found.equivalent.keys() <= REASONS.keys()


@pytest.mark.full
@pytest.mark.parametrize("subject", fused_subjects([*VARIANTS]), ids=str)
def test_more_mutants_of_fused_kernels(subject: Subject) -> None:
    found = account(subject, 100, 0)
    assert found.rejected >= 0.9 * found.mutants


@pytest.mark.full
@pytest.mark.parametrize("subject", subjects(), ids=str)
def test_every_mutant_is_accounted_for(subject: Subject) -> None:
    name, found = account_of_all(subject)
    assert found == json.loads(COUNTS.read_text())[name]


def test_the_counts_are_those_of_the_kernels_as_they_are() -> None:
    counts = json.loads(COUNTS.read_text())
    assert counts.keys() == {str(s) for s in subjects()}
    for subject in subjects():
        found = counts[str(subject)]
        assert found["mutants"] == found["rejected"] + sum(found["equivalent"].values())
        assert found["equivalent"].keys() <= REASONS.keys()


@pytest.mark.parametrize("subject", [s for s in subjects() if s.field == "bn254-p"], ids=str)
def test_what_is_mutated_is_proved_unmutated(subject: Subject) -> None:
    field = subject.expression().field
    contract = contract_named(subject.operation, field.p, field.n)
    assert list(verdicts(bytes_of([subject.kernel()]), contract, 0)) == [""]
