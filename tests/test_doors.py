"""Every door gives the kernel that the one place decides, or a reason is recorded here."""

from __future__ import annotations

import ast
import json
from functools import partial
from pathlib import Path

import pytest

from fieldc import compile
from fieldc.algorithms.representations import MONTGOMERY
from fieldc.artifacts import host, verify
from fieldc.catalogue import find_field, named_primes
from fieldc.cli import main
from fieldc.commands import build, demo
from fieldc.decisions import preferred as decisions
from fieldc.decisions.decision import Decision
from fieldc.decisions.formulas import decide_formula
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.formulas import Element, formula
from fieldc.goals import goals
from fieldc.lab import race
from fieldc.language import BoundError
from fieldc.machine.processor import is_x86_64
from fieldc.machine.processors import find_processor
from fieldc.operations import OPERATIONS as EVERY_OPERATION
from fieldc.packages.c import package
from fieldc.packages.js import module
from fieldc.packages.paths import by_path
from fieldc.packages.rust import formulas, own_kernels
from fieldc.packages.rust.classes import class_of, kernels_of
from fieldc.targets.array_targets import ARRAY_TARGETS, array_targets, fastest_here
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS, UnknownTarget
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.print import GNU
from fieldc.targets.x86_64.targets import compiled, plan_of
from fieldc.tune.subject import of_field

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="SKIPPED: this host is no x86-64")
PROCESSOR = "sapphire-rapids"
OPERATIONS = ("mul", "square", "add", "sub", "sum_of_products")
FEW = ("bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p", "p521")
SMALL = "2^61-1"
"""One limb: an operation of each family is decided in seconds."""
REASON = "a kernel of the crate is one text for all primes of a class, within the class's limits"
ASK_NOBODY = {
    "commands/build.py": "finds out that an algorithm exists before anything is decided",
    "goals/goals.py": "the code that ours is measured against",
    "goals/reproduce.py": "a shipped schedule's own kernel, made again",
    "lab/race.py": "raises where no algorithm that was named holds",
    "lab/report/compose.py": "the study shows what compilers make of one algorithm",
    "lab/predictions.py": "the kernels of shipped schedules, made again",
    "lab/study.py": "the study is about algorithms",
    "python/native_arithmetic.py": "hosts for which we have no kernels",
    "packages/rust/aarch64_text.py": REASON,
    "packages/rust/classes.py": REASON,
    "packages/rust/plain.py": "on AArch64 a prime with a text of its own has that text",
    "packages/rust/portable_plain.py": "portable Rust of plain residues, by counted instructions",
    "packages/c/divsteps.py": "each update of an inversion has one text",
    "packages/rust/own_updates.py": "those texts, in a package of one prime",
    "packages/rust/updates.py": "each update of an inversion has one text",
    "packages/rust/portable.py": "Rust of one algorithm, the same for all primes of a class",
    "tune/arm.py": "an order is searched of one algorithm",
    "targets/rust/targets.py": "adds to a choice what its text needs of the processor",
    "targets/target.py": "a target's variants by their defaults, for counts and tests",
}
"""Files that name an algorithm or make a choice themselves, and why."""


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


def test_who_chooses_without_asking() -> None:
    found = set()
    root = Path(host.__file__).parents[1]
    for path in root.rglob("*.py"):
        place = path.relative_to(root).as_posix()
        if place.startswith(("decisions/", "algorithms/")):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", "")
                method = getattr(node.func, "attr", "")
                if called in ("Choice", "choose") or method == "produce":
                    found.add(place)
    assert found == ASK_NOBODY.keys()


def cases() -> list[object]:
    """Fields with the operations to decide: few of the largest ones, all in the full run."""
    some = [pytest.param(n, OPERATIONS, id=n) for n in FEW]
    families = {operation.family: name for name, operation in EVERY_OPERATION.items()}
    every = [
        pytest.param(n, tuple(EVERY_OPERATION), id=f"{n}-all", marks=pytest.mark.full)
        for n in named_primes()
    ]
    return [*some, pytest.param(SMALL, tuple(families.values()), id=SMALL), *every]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "operations"), cases())
def test_all_doors_give_the_same_kernel(name: str, operations: tuple[str, ...]) -> None:
    field = find_field(name)
    assert demo.decided is build.decided
    for operation in operations:
        try:
            wanted = at(field, operation)
        except BoundError:
            continue
        (built,) = build.decided(field, {operation: None}, "x86_64-linux")
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
        assert of_field(field, operation).start.kernel == wanted.modelled.expression.kernel
        called = compile(field, operation).expression.kernel
        assert called == wanted.preferred.expression.kernel
        assert race.raced(field, operation, ())[0] == wanted.preferred.expression.kernel


@pytest.mark.parametrize(
    "name",
    [n if n in FEW else pytest.param(n, marks=pytest.mark.full) for n in named_primes()],
)
def test_the_crate_has_the_same_algorithm_or_a_reason(name: str) -> None:
    """Its schedules are its own: they are timed as Rust calls kernels."""
    field = find_field(name)
    if field.n > 12:
        return
    of = kernels_of(class_of(field), field.n)
    for operation in ("mul", "square"):
        ours = dict(of[operation].kernels(field.n))[operation]
        decision = at(field, operation)
        by = {c.algorithm: c.figure for c in reversed(decision.candidates)}
        # A schedule may have measured that another algorithm than the model's is faster.
        best = by[decision.modelled.expression.kernel.algorithm]
        if ours != decision.preferred.expression.kernel.algorithm:
            assert ours == "product" or by[ours] is None or best is None or by[ours] >= best, REASON


def test_rust_and_javascript_packages_ask_too() -> None:
    field = find_field("bn254-p")
    for choice_of in own_kernels.choices(field, MONTGOMERY, PROCESSOR):
        decision = choice_of()
        for choice in decision.choices():
            operation = choice.expression.kernel.operation
            assert same(choice, at(field, operation).unscheduled.variant(choice.variant.name))
    for form in module.FORMS:
        for choice, _ in module.kernels_of(field, form, module.fastest(field)):
            kernel = choice.expression.kernel
            wanted = preferred(field, kernel.operation, form.target).preferred
            read, _ = form.read(wanted.expression)  # in digits, the cheapest reading
            assert (kernel, choice.chosen_by) == (read.kernel, wanted.chosen_by)


def test_formulas_are_decided_alike() -> None:
    @formula
    def cubed_plus(x: Element, y: Element) -> Element:
        """x^3 + y."""
        return x * x * x + y

    field, target = find_field("bn254-p"), TARGETS["x86_64-linux"]
    built = decide_formula(field, cubed_plus, target, PROCESSOR)
    packaged = decide_formula(field, cubed_plus, formulas.TARGET, PROCESSOR)
    for choice in packaged.choices():
        both = (choice, built.variant(choice.variant.name))
        texts = {compiled(each, "f", SYSV).text(GNU) for each in both}
        assert len(texts) == 1 and both[0].chosen_by == both[1].chosen_by


def test_arrays_take_the_fastest_target() -> None:
    for name in ("bn254-p", "goldilocks"):
        f = find_field(name)
        first = next(target for target in ARRAY_TARGETS.values() if target.takes(f))
        assert array_targets(None, f) == [fastest_here(f) or first]
        every = array_targets("all", f)
        assert {*every} <= {*ARRAY_TARGETS.values()} and array_targets("avx512f, all", f) == every
    with pytest.raises(UnknownTarget, match="no kernels for a modulus of 1 limb; use avx512ifma"):
        array_targets("avx512f,avx2", find_field("2^63-25"))


def test_the_packages_ask_too(tmp_path: Path) -> None:
    words = ["build", "secp256k1-p", "--package", "c", "-o", str(tmp_path / "c")]
    assert main(words) == 0
    rows = json.loads((tmp_path / "c" / "manifest.json").read_text())["kernels"]
    field = find_field("secp256k1-p")
    for row in rows:
        if row["target"] in package.KERNELS_FOR and row["target"] != "c":
            target = TARGETS[row["target"]]
            made = by_path(target, partial(preferred, field, row["op"], target))
            choice = made.variant(row["variant"])
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
