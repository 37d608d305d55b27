"""What is decided where a model judges, and where a kernel is not proved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sampling import sampled, sampled_rows

from fieldc.algorithms import OPERATIONS
from fieldc.artifacts import cache, verify
from fieldc.artifacts.verify import Job, Verdict
from fieldc.artifacts.write import build
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.counting.count import Count, count
from fieldc.decisions import model
from fieldc.decisions import preferred as judged
from fieldc.decisions.decision import Decision
from fieldc.decisions.model import Figure
from fieldc.decisions.orders import DOUBT, shorter_first
from fieldc.decisions.preferred import ITS_NAME, ONLY, preferred
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.machine.processor import is_x86_64
from fieldc.machine.processors import Processor, find_processor
from fieldc.progress import Progress
from fieldc.simulator.predict import predict
from fieldc.simulator.window import CHOICE, CallWindow
from fieldc.targets.aarch64.kernel import orders_for
from fieldc.targets.choice import Choice
from fieldc.targets.judge import Judge
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED, TESTED, Artifact
from fieldc.targets.x86_64.choices import choices_on
from fieldc.targets.x86_64.flags import FlagError
from fieldc.words.rows import RowStyle

ARM, LLVM = TARGETS["aarch64-linux"], TARGETS["x86_64-linux-llvm"]


def named(decision: Decision) -> str:
    return decision.expression.kernel.algorithm


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("field", "operation", "algorithm"),
    sampled_rows(
        [("p256", "mul", "signed-limbs"), ("secp256k1-p", "square", "near-radix")],
        [("bls12-381-p", "mul", "log-jump")],
    ),
)
def test_a_model_chooses_on_aarch64(field: str, operation: str, algorithm: str) -> None:
    found = preferred(find_field(field), operation, ARM, "apple-m1")
    assert named(found) == algorithm
    figures = [candidate.figure for candidate in found.candidates if candidate.figure]
    assert figures == shorter_first(figures, lambda figure: figure)
    assert found.preferred.options == ("--processor apple-m1",)


@pytest.mark.parametrize("processor", ["", "neoverse-v2"])
def test_the_command_of_a_text_makes_it_again(processor: str, tmp_path: Path) -> None:
    """For a core that is not known too: one that is named has orders of its own."""
    targets = ["--target", "aarch64-linux" if processor else "aarch64-linux,x86_64-linux"]
    words = ["build", "2^120+1171", "--op", "mul,double", *targets]
    words += ["--processor", processor] if processor else []
    assert main([*words, "-o", str(tmp_path / "first")]) == 0
    texts = sorted((tmp_path / "first").rglob("*.s"))
    assert len(texts) == (2 if processor else 8)
    for text in texts:
        command = re.match(r"\S+ fieldc (.*) -o DIR\n", text.read_text())
        assert command is not None
        again = tmp_path / text.stem
        assert main([*command[1].split(), "-o", str(again)]) == 0
        path = text.relative_to(tmp_path / "first")
        assert (again / path).read_text() == text.read_text()


@pytest.mark.parametrize("field", sampled(["bls12-381-r"], ["bls12-381-p"]))
def test_fewer_products_are_chosen_where_the_multiplier_binds(field: str) -> None:
    """Or products of half limbs, which are quicker there; other cores and targets keep rows."""
    found = preferred(find_field(field), "mul", ARM, "neoverse-n1")
    least = {c.algorithm: c.figure.throughput for c in reversed(found.candidates) if c.figure}
    assert found.candidates[0].algorithm == "half-limbs"
    assert least["karatsuba-limbs"] < 0.87 * least["cios"]
    assert least["half-limbs"] < 0.87 * least["karatsuba-limbs"]
    square = preferred(find_field(field), "square", ARM, "neoverse-n1")
    assert named(square) == "half-limbs"
    for target, processor in ((ARM, "apple-m1"), (TARGETS["x86_64-linux"], "sapphire-rapids")):
        kept = named(preferred(find_field(field), "mul", target, processor))
        assert kept not in ("half-limbs", "karatsuba", "karatsuba-limbs")


@pytest.mark.parametrize("operation", ["mul", "square"])
def test_of_kernels_that_the_simulator_cannot_tell_apart_the_shorter_is_taken(
    operation: str,
) -> None:
    """For BLS12-381 r on unknown cores, as docs/targets.md says: the other's chain is shorter."""
    found = preferred(find_field("bls12-381-r"), operation, ARM, "sapphire-rapids")
    ours = found.candidates[0]
    other = next(c for c in found.candidates if c.algorithm == "log-jump-complement")
    assert ours.algorithm == "cios"
    assert ours.figure and other.figure and ARM.judge
    assert ours.figure.is_predicted and ours.figure.instructions < other.figure.instructions
    assert ours.figure.throughput <= DOUBT * other.figure.throughput
    assert ours.figure.latency > other.figure.latency
    counted = count(ARM.judge.code(ours.choice), "aarch64")
    cycles = predict(counted, find_processor("apple-m1"), window=CHOICE)
    assert cycles and cycles.throughput == ours.figure.throughput


def test_the_same_code_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a product of one limb many orders are the same; few need a figure of their latency."""
    seen: dict[str, list[tuple[str, CallWindow]]] = {"throughput": [], "latency": []}
    simulated = {"throughput": model.predict_throughput, "latency": model.predict_latency}

    def watch(which: str) -> None:
        def predict(found: Count, processor: Processor, window: CallWindow) -> float:
            seen[which].append((str(found.code), window))
            return simulated[which](found, processor, window)

        monkeypatch.setattr(model, f"predict_{which}", predict)

    for which in seen:
        watch(which)
    model.modelled.cache_clear()
    p, key = 2**63 - 25, "neoverse-v1"
    assert key in preferred(Field(p), "mul", ARM, key, "high-limbs").preferred.chosen_by
    orders = orders_for(find_processor(key), False, False, ())
    assert len(orders) > 2 * len(seen["throughput"])
    assert all(len({*codes}) == len(codes) for codes in seen.values())
    assert {*seen["latency"]} <= {*seen["throughput"]}


def test_lower_figures_come_first_but_for_doubt() -> None:
    def predicted(throughput: float, latency: float, instructions: int) -> Figure:
        return Figure(throughput, latency, instructions, is_predicted=True)

    far, bound = predicted(103.0, 110.0, 200), Figure(90.0, 120.0, 300)
    long = predicted(100.0, 90.0, 350)
    short, quick = predicted(101.0, 130.0, 330), predicted(102.0, 120.0, 335)
    assert shorter_first([far, long, short, quick], lambda f: f) == [quick, short, long, far]
    assert shorter_first([far, bound], lambda f: f) == [bound, far]


@pytest.mark.full
def test_a_known_processor_gets_an_order_of_its_own() -> None:
    f = find_field("bls12-381-r")
    unknown = preferred(f, "square", ARM, "sapphire-rapids")
    assert unknown.preferred.plan is None
    known = preferred(f, "square", ARM, "neoverse-v2")
    core = find_processor("neoverse-v2")
    assert known.preferred.plan in orders_for(core, False, has_shifts=True, shifted_highs=(2, 4))
    assert known.preferred.chosen_by.startswith("the simulator's order for neoverse-v2: predicted")
    assert {c.algorithm for c in known.candidates if c.choice.plan is None} >= {"cios", "product"}


@pytest.mark.full
def test_a_processor_of_another_kind_has_a_stand_in() -> None:
    f = find_field("p256")
    for key, used in (("neoverse-n1", "neoverse-n1"), ("sapphire-rapids", "apple-m1")):
        assert preferred(f, "mul", ARM, key).processor == used
    x86 = TARGETS["x86_64-linux"]
    assert preferred(f, "mul", x86, "apple-m1").processor == "cascade-lake"


def test_words_of_another_width_have_no_model() -> None:
    found = preferred(find_field("p256", 32), "mul", ARM)
    assert found.processor == "" and all(c.figure is None for c in found.candidates)


def test_a_processor_may_prefer_a_variant_and_rows_of_its_own() -> None:
    f, x86 = find_field("bn254-p"), TARGETS["x86_64-linux"]
    on_zen = preferred(f, "mul", x86, "zen-4").unscheduled
    on_intel = preferred(f, "mul", x86, "sapphire-rapids").unscheduled
    assert [d.preferred.variant.name for d in (on_zen, on_intel)] == ["adx", "mulx"]
    plans = {d.processor: d.variant("adx").plan.choices for d in (on_zen, on_intel)}
    assert plans == {key: choices_on("adx", key) for key in ("zen-4", "sapphire-rapids")}
    assert plans["zen-4"].rows.style is RowStyle.TWO_CHAINS != plans["sapphire-rapids"].rows.style
    # What comes next in the variant is what other processors have.
    both = [c.choice.plan.choices for c in on_zen.candidates if c.choice.variant.name == "adx"]
    assert both[:2] == list(plans.values())


def test_rows_that_are_not_proved_give_way_to_those_of_other_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds: list[int] = []

    def prove(jobs: Sequence[Job], progress: Progress, _: object) -> list[Verdict]:
        rounds.append(len(jobs))
        fails = [len(rounds) == 1 and job.symbol.endswith("_adx") for job in jobs]
        return [Verdict("the prover gave up" if one else "", 0.0, "{}") for one in fails]

    monkeypatch.setattr(verify, "prove_new", prove)
    f, target = find_field("goldilocks"), TARGETS["x86_64-linux"]
    decision = preferred(f, "sum_of_products", target, "zen-4", "two-subtractions")
    by_variant = {a.variant: a.choice for a in build([decision], lambda *_: None)}
    assert by_variant["adx"].plan.choices == choices_on("adx", "sapphire-rapids")
    assert by_variant["adx"].chosen_by.endswith("; two-subtractions in its own rows is not proved")
    assert by_variant["mulx"].plan.choices == choices_on("mulx", "zen-4")


def test_a_carry_of_two_chains_that_is_always_0_is_followed() -> None:
    """So the rows of this processor are built."""
    f, target = find_field("goldilocks"), TARGETS["x86_64-linux"]
    decision = preferred(f, "sum_of_products", target, "zen-4", "two-subtractions")
    by_variant = {a.variant: a.choice for a in build([decision], lambda *_: None)}
    assert by_variant["adx"].plan.choices == choices_on("adx", "zen-4")
    assert "not proved" not in by_variant["adx"].chosen_by


def built(monkeypatch: pytest.MonkeyPatch, unproved: Sequence[str]) -> Artifact:
    """bn254's product by LLVM, where the prover gives up for the first few algorithms."""
    tried: list[Job] = []

    def prove(jobs: Sequence[Job], progress: Progress, _: object) -> list[Verdict]:
        tried.extend(jobs)
        (algorithm,) = unproved[len(tried) - 1 : len(tried)] or [""]
        return [Verdict("the prover gave up" if algorithm else "", 0.0, "{}") for _ in jobs]

    monkeypatch.setattr(verify, "prove_new", prove)
    (made,) = build([preferred(find_field("bn254-p"), "mul", LLVM)], lambda *_: None)
    return made


@pytest.mark.skipif(not is_x86_64(), reason="LLVM's kernels run on x86-64")
def test_a_kernel_that_is_not_proved_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    order = order_of()
    assert len(order) > 2
    first = built(monkeypatch, [])
    assert (first.status, first.expression.kernel.algorithm) == (PROVED, order[0])
    second = built(monkeypatch, order[:1])
    assert (second.status, second.expression.kernel.algorithm) == (PROVED, order[1])
    assert second.choice.chosen_by.endswith(f"; {order[0]} is not proved")


@pytest.mark.skipif(not is_x86_64(), reason="LLVM's kernels run on x86-64")
def test_where_none_is_proved_the_best_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    order = order_of()
    found = built(monkeypatch, [*order, order[0]])
    assert (found.status, found.expression.kernel.algorithm) == (TESTED, order[0])


@pytest.mark.skipif(not is_x86_64(), reason="LLVM's kernels run on x86-64")
def test_kernels_that_are_not_proved_give_way_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []

    def prove(jobs: list[Job], progress: Progress, _: object) -> list[Verdict]:
        rounds.append(len(jobs))
        failure = "the prover gave up" if len(rounds) == 1 else ""
        return [Verdict(failure, 0.0, "{}") for _ in jobs]

    monkeypatch.setattr(verify, "prove_new", prove)
    made = build(product_and_square(), lambda *_: None)
    assert rounds == [2, 2]
    assert all("is not proved" in artifact.choice.chosen_by for artifact in made)


@pytest.mark.skipif(not is_x86_64(), reason="LLVM's kernels run on x86-64")
def test_what_does_not_give_way_is_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[list[str]] = []

    def prove(jobs: list[Job], progress: Progress) -> list[Verdict]:
        rounds.append([job.operation for job in jobs])
        fails = [job.operation == "mul" and len(rounds) == 1 for job in jobs]
        return [Verdict("the prover gave up" if one else "", 0.0, "{}") for one in fails]

    monkeypatch.setenv(cache.OFF, "1")
    monkeypatch.setattr(verify, "prove_all", prove)
    made = build(product_and_square(), lambda *_: None)
    assert rounds == [["mul", "square"], ["mul"]]
    assert [artifact.status for artifact in made] == [PROVED, PROVED]


def product_and_square() -> list[Decision]:
    """bn254's by LLVM."""
    field = find_field("bn254-p")
    return [preferred(field, operation, LLVM) for operation in ("mul", "square")]


def test_a_kernel_that_does_not_compile_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    field, x86 = find_field("bn254-p"), TARGETS["x86_64-linux"]
    judge = judged.figure

    def figure(by: Judge, choice: Choice, processor: str) -> Figure:
        if choice.expression.kernel.algorithm == "cios" and choice.variant.name == "adx":
            raise FlagError("two sums read one carry")
        return judge(by, choice, processor)

    monkeypatch.setattr(judged, "figure", figure)
    found = preferred(field, "mul", x86, "zen-5")
    assert ("cios, adx", "two sums read one carry") in found.refused
    kept = {(c.algorithm, c.choice.variant.name) for c in found.candidates}
    assert ("cios", "adx") not in kept and ("cios", "mulx") in kept

    def none(by: Judge, choice: Choice, processor: str) -> Figure:
        raise FlagError("two sums read one carry")

    monkeypatch.setattr(judged, "figure", none)
    with pytest.raises(Refusal, match="has no code for redc by redc, adx: two sums read one"):
        preferred(field, "redc", x86, "zen-5")


def order_of() -> list[str]:
    """The candidates of bn254's product by LLVM, the best first."""
    decision = preferred(find_field("bn254-p"), "mul", LLVM)
    return [candidate.algorithm for candidate in decision.candidates]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--target", "x86_64-linux", "--processor", "apple-m1"], "does not run x86_64-linux; use"),
        (["--target", "aarch64-linux", "--processor", "zen-5"], "does not run aarch64-linux; use"),
        (["--target", "c", "--processor", "zen-5"], "no processor decides for c; leave out"),
        (["--package", "rust", "--processor", "apple-m1"], "does not run x86_64-linux; use"),
        (["--target", "c", "--schedule", "zen-5"], "x86-64 kernels of our own, not for c"),
        (["--word", "32", "--target", "c", "--schedule", "zen-5"], "64-bit words, not 32; leave"),
    ],
)
def test_what_chooses_no_kernel_is_refused(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    op = [] if "--package" in words else ["--op", "mul"]
    assert main(["build", "bn254-p", *op, *words, "-o", str(tmp_path / "out")]) == 2
    assert says in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_processor_need_only_run_one_of_the_targets(tmp_path: Path) -> None:
    words = ["--op", "add", "--target", "c,x86_64-linux", "--processor", "zen-5"]
    assert main(["build", "17", *words, "-o", str(tmp_path)]) == 0


@pytest.mark.parametrize("target", ["c", "rust", "wasm32", "x86_64-linux-llvm"])
def test_the_command_of_a_header_gives_the_reason_of_the_header(target: str) -> None:
    """Where no model judges: the command names the algorithm, which the user may not have named."""
    field, on = Field(0x80100007), TARGETS[target]
    for operation in (*OPERATIONS, "mul_u64"):
        found = preferred(field, operation, on)
        again = preferred(field, operation, on, algorithm=found.candidates[0].algorithm)
        assert again.choices() == found.choices()
        assert again.preferred.chosen_by != ITS_NAME
        if others := [c for c in found.candidates if c.algorithm != again.candidates[0].algorithm]:
            named = preferred(field, operation, on, algorithm=others[-1].algorithm)
            assert named.preferred == replace(others[-1].choice, chosen_by=ITS_NAME)
    assert preferred(field, "mul_u64", TARGETS["c"]).preferred.chosen_by == ONLY
