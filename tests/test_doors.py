"""Every door gives the kernel that the one place decides, or a reason is recorded here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc import compile
from fieldc.artifacts import host, verify
from fieldc.catalogue import find_field, named_primes
from fieldc.cli import main
from fieldc.commands.build import decided
from fieldc.decisions import preferred as decisions
from fieldc.decisions.preferred import Decision, preferred
from fieldc.field import Field
from fieldc.goals import goals
from fieldc.machine.processor import is_x86_64
from fieldc.machine.processors import find_processor
from fieldc.packages.c import package
from fieldc.packages.rust.classes import class_of, kernels_of
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.targets import plan_of

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="SKIPPED: this host is no x86-64")
PROCESSOR = "sapphire-rapids"
OPERATIONS = ("mul", "square", "add", "sub", "sum_of_products")
FEW = ("bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p", "p521")
REASON = "a kernel of the crate is one text for all primes of a class, within the class's limits"


@pytest.fixture(autouse=True)
def on_sapphire_rapids(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor with schedules, whatever this one is."""
    monkeypatch.setattr(decisions, "host_processor", lambda: find_processor(PROCESSOR))
    monkeypatch.setattr(decisions, "missing", lambda needs: [])


def same(first: Choice, second: Choice) -> bool:
    return (first.variant, first.expression.kernel) == (
        second.variant,
        second.expression.kernel,
    ) and plan_of(first) == plan_of(second)


def at(field: Field, operation: str) -> Decision:
    return preferred(field, operation, TARGETS["x86_64-linux"], PROCESSOR)


@pytest.mark.parametrize(
    "name",
    [n if n in FEW else pytest.param(n, marks=pytest.mark.full) for n in named_primes()],
)
def test_all_doors_give_the_same_kernel(name: str) -> None:
    field = find_field(name)
    for operation in OPERATIONS:
        wanted = at(field, operation)
        (built,) = decided(field, {operation: None}, "x86_64-linux")
        assert same(built.preferred, wanted.preferred)
        here = host.decide_here(field, operation).preferred
        assert same(here, wanted.preferred)
        named = host._decided(here.expression)
        assert same(named.preferred, wanted.preferred)
        for choice in wanted.choices():
            if choice.expression.kernel == here.expression.kernel:
                raced = named.variant(choice.variant.name)
                assert plan_of(raced) == plan_of(choice)
        assert same(goals._preferred(name, operation), wanted.preferred)
        called = compile(field, operation).expression.kernel
        assert called == wanted.preferred.expression.kernel


@pytest.mark.parametrize(
    "name",
    [n if n in FEW else pytest.param(n, marks=pytest.mark.full) for n in named_primes()],
)
def test_the_crate_has_the_same_algorithm_or_a_reason(name: str) -> None:
    """Its schedules are its own: they are timed as Rust calls kernels."""
    field = find_field(name)
    if field.n == 1 or field.n > 12:
        return
    of = kernels_of(class_of(field))
    for operation in ("mul", "square"):
        ours = dict(of[operation].algorithms)[operation]
        decision = at(field, operation)
        by = {c.algorithm: c.figure for c in reversed(decision.candidates)}
        best = by[decision.preferred.expression.kernel.algorithm]
        if ours != decision.preferred.expression.kernel.algorithm:
            assert ours == "product" or by[ours] is None or best is None or by[ours] >= best, REASON


def test_the_packages_ask_too(tmp_path: Path) -> None:
    words = ["build", "secp256k1-p", "--package", "c", "-o", str(tmp_path / "c")]
    assert main(words) == 0
    rows = json.loads((tmp_path / "c" / "manifest.json").read_text())["kernels"]
    field = find_field("secp256k1-p")
    for row in rows:
        if row["target"] in package.KERNELS_FOR and row["target"] != "c":
            target = TARGETS[row["target"]]
            choice = preferred(field, row["op"], target).variant(row["variant"])
            assert row["algorithm"] == choice.expression.kernel.algorithm
            assert row["chosen_by"] == choice.chosen_by


def test_the_next_kernel_takes_the_place_of_one_that_is_not_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision, honest = at(find_field("bn254-r"), "mul"), verify.prove_job
    best = decision.target.make(decision.target, decision.preferred)

    def refuse(job: verify.Job) -> verify.Verdict:
        return verify.Verdict("no", 0.0) if job.code == best.code else honest(job)

    monkeypatch.setattr(verify, "prove_job", refuse)
    monkeypatch.setenv("FIELDC_NO_CACHE", "1")
    words = ["build", "bn254-r", "--op", "mul", "--target", "x86_64-linux"]
    assert main([*words, "--processor", PROCESSOR, "-o", str(tmp_path / "a")]) == 0
    rows = json.loads((tmp_path / "a" / "manifest.json").read_text())["kernels"]
    assert {row["status"] for row in rows} == {"PROVED"} and len(rows) == 3
    assert sum("is not proved" in row["chosen_by"] for row in rows) == 1
