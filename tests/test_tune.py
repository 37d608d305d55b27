"""Tuning: decisions determine the bytes, and tuned kernels are proved. No times are taken."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields, replace
from itertools import count
from pathlib import Path

import pytest
from x86_64_checks import check_known
from x86_64_kernels import HERE, runs_here

from fieldc import cli
from fieldc.algorithms import choose
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.commands import tune as tuning
from fieldc.decisions.schedule import (
    ALLOWED,
    Decisions,
    Schedule,
    ScheduleError,
    TunedKernel,
    digest_of,
    dump,
    read,
)
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.check import check
from fieldc.machine.code import Code
from fieldc.machine.load import LoadedKernel, load
from fieldc.machine.pages import Pages
from fieldc.machine.processor import is_x86_64
from fieldc.machine.processors import find_processor
from fieldc.targets.x86_64.choices import PLAIN, VARIANTS, Choices
from fieldc.targets.x86_64.conventions import SYSV, WIN64
from fieldc.targets.x86_64.encode import linked
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.order import touch
from fieldc.targets.x86_64.print import GNU
from fieldc.tune.examine import Examination
from fieldc.tune.search import Search
from fieldc.tune.space import Draft, Proposals, Workshop, neighbours, promising, structures
from fieldc.tune.subject import of_field
from fieldc.tune.tuning import Tuning
from fieldc.words.rows import RowChoice, RowStyle

HOST = pytest.mark.skipif(not is_x86_64(), reason="this host does not run System V x86-64 code")
FOUR = find_field("bn254-p")
TWO_SUMS = RowChoice(RowStyle.TWO_SUMS, ahead=1)


def workshop(operation: str = "mul", field: Field = FOUR) -> Workshop:
    return Workshop(of_field(field, operation))


def draft_of(shop: Workshop, variant: str = "adx", **choices: object) -> Draft:
    algorithm = next(iter(shop.expressions))
    draft = shop.draft(Decisions(algorithm, replace(VARIANTS[variant], **choices)))
    assert draft is not None
    return draft


def walk(shop: Workshop, steps: int, seed: int, kinds: str = "early late") -> Draft:
    """Some random moves from the default."""
    proposals, draft = Proposals(shop, seed), draft_of(shop)
    for kind in kinds.split():
        for _ in range(steps):
            draft = getattr(proposals, kind)(draft) or draft
    return draft


# Moves


@HERE
@pytest.mark.parametrize("operation", ["mul", "square", "sub", "redc"])
def test_moved_kernels_are_right(operation: str) -> None:
    runs_here("adx")
    shop = workshop(operation)
    for seed in range(4):
        kernel = shop.kernel(walk(shop, 25, seed).decisions)
        check_known(kernel, "adx")
        loaded = load(assemble(kernel.text(GNU)))
        expression = shop.expressions[next(iter(shop.expressions))]
        widths = tuple(bound.width(FOUR) for _, bound in expression.kernel.operands)
        check(LoadedKernel(loaded, kernel.symbol, widths, FOUR.n), expression)


# Decisions


def test_decisions_alone_determine_the_bytes() -> None:
    one, other = (walk(workshop(), 30, 5) for _ in range(2))
    assert one.decisions == other.decisions and one.machine_code == other.machine_code
    assert one.decisions.refinement.late and one.decisions.refinement != PLAIN
    assert workshop().kernel(one.decisions).machine_code() == one.machine_code
    assert walk(workshop(), 30, 6).machine_code != one.machine_code


def test_every_choice_is_in_a_schedule() -> None:
    assert {f.name for f in fields(Choices)} == {"rows", *ALLOWED}
    for name, values in ALLOWED.items():
        assert getattr(Choices(), name) in values


@pytest.mark.parametrize("name", ["places", "registers", "order"])
def test_each_kind_of_decision_changes_a_kernel(name: str) -> None:
    shop, proposals = workshop(), Proposals(workshop(), 3)
    start = draft_of(shop)
    found = (proposals.early(start) for _ in range(60))
    changed = [d for d in found if d and getattr(d.decisions.refinement, name)]
    assert changed and all(d.machine_code != start.machine_code for d in changed)


@HOST
def test_structures_and_neighbours_differ() -> None:
    runs_here("adx")
    shop = workshop()
    drafts = promising(shop, find_processor("cascade-lake"), 1.02)
    assert drafts and len({d.machine_code for d in drafts}) == len(drafts)
    every = promising(shop, None, 9.0)
    assert (
        len(drafts)
        < len(every)
        <= len(list(structures(list(shop.expressions), ("adx", "mulx"), "")))
    )
    start = draft_of(shop).decisions
    changed = [d.choices for d in neighbours(start, "mul")]
    assert len(set(changed)) == len(changed) and start.choices not in changed
    one, two = 10, 43  # the 45 pairs but those of two values for one choice
    assert len(changed) == one + two
    assert all(d.choices.scanned == "y" for d in neighbours(start, "sub"))


def test_a_late_move_needs_no_run_of_the_passes() -> None:
    shop, proposals = workshop(), Proposals(workshop(), 1)
    draft = draft_of(shop)
    for _ in range(40):
        draft = proposals.late(draft) or draft
    assert [touch(i) for i in draft.code] == draft.touches
    assert shop.kernel(draft.decisions).machine_code() == draft.machine_code


# Schedules


def schedule(draft: Draft, shop: Workshop, operation: str = "mul") -> Schedule:
    entry = TunedKernel(
        operation, draft.decisions, digest_of(shop.kernel(draft.decisions)), {"seed": 1}
    )
    return Schedule(FOUR.label, FOUR.p, "a processor").with_entry(entry)


def test_a_schedule_is_read_as_it_was_written() -> None:
    shop = workshop()
    written = schedule(walk(shop, 20, 2), shop)
    text = dump(written)
    assert read(text, FOUR) == written and dump(read(text, FOUR)) == text
    assert max(map(len, text.splitlines())) < 2000
    assert json.loads(text)["kernels"][0]["rows"] == {"style": "two-sums", "lag": 0, "ahead": 1}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schedule": 1', '"schedule": 7', "version 7"),
        ('"adx"', '"sse"', "variant 'sse' is not adx"),
        ('"two-sums"', '"three-sums"', "three-sums"),
        ('"order": []', '"order": [[1, -2]]', "-2 is no position"),
        ('"places": []', '"places": [[4, "rsp"]]', "'rsp' is no register"),
        ('"registers": []', '"registers": ["rax"]', "registers are not each register once"),
        ('"late": []', '"late": 4', "no schedule"),
        ('"op": "mul"', '"op": 0', "op 0 is no text"),
        ('"op": "mul"', '"op": null', "op null is no text"),
        ('"code": ', '"code": 7, "was": ', "code 7 is no text"),
        ('"algorithm": ', '"algorithm": [], "was": ', "no text"),
        ('"processor": ', '"processor": 4, "was": ', "processor 4 is no text"),
        ('"field"', '"fold"', "it lacks"),
        ("{", "", "no schedule of fieldc tune"),
    ],
)
def test_what_is_no_schedule_is_refused(old: str, new: str, message: str) -> None:
    text = dump(schedule(draft_of(workshop()), workshop()))
    assert old in text
    with pytest.raises(ScheduleError, match=message) as caught:
        read(text.replace(old, new, 1), FOUR)
    assert "\n" not in str(caught.value)


def test_operands_are_exchanged_only_where_their_order_is_free() -> None:
    square = workshop("square")
    text = dump(schedule(draft_of(square), square, "square"))
    with pytest.raises(ScheduleError, match="operands of 'square' cannot be exchanged"):
        read(text.replace('"scanned": "y"', '"scanned": "x"'), FOUR)


def test_decisions_that_make_no_kernel_are_refused() -> None:
    entry = TunedKernel("mul", Decisions("cios", replace(VARIANTS["mulx"], rows=TWO_SUMS)), "")
    with pytest.raises(ScheduleError, match="makes no kernel: 2 carry chains"):
        entry.compile(choose(FOUR, "mul", "cios"), "k")


def test_a_schedule_of_another_field_or_version_is_refused() -> None:
    shop = workshop()
    tuned = schedule(walk(shop, 10, 3), shop)
    with pytest.raises(ScheduleError, match="is for 'bn254-p'"):
        read(dump(tuned), find_field("bn254-r"))
    (entry,) = tuned.entries
    expression = choose(FOUR, "mul", entry.decisions.algorithm)
    plan = entry.plan(expression)
    bare = replace(plan, refinement=PLAIN)
    assert plan.compile(expression, "k", WIN64) == bare.compile(expression, "k", WIN64)
    with pytest.raises(ScheduleError, match="another version"):
        replace(entry, digest="0" * 64).compile(expression, "k")
    with pytest.raises(ScheduleError, match="not cios"):
        entry.compile(choose(FOUR, "mul", "cios"), "k")


@HERE
@pytest.mark.parametrize("operation", ["mul", "square"])
def test_a_tuned_kernel_is_proved(operation: str) -> None:
    shop = workshop(operation)
    scanned = "x" if operation == "mul" else "y"
    for seed, choices in ((1, {}), (2, {"scanned": scanned, "selected": "sum"})):
        proposals, draft = Proposals(shop, seed), draft_of(shop, **choices)
        for kind in ("early", "late"):
            for _ in range(20):
                draft = getattr(proposals, kind)(draft) or draft
        kernel = shop.kernel(draft.decisions)
        job = Job(assemble(kernel.text(GNU)), kernel.symbol, operation, FOUR.p, FOUR.n, SYSV.name)
        assert prove_job(job).failure == ""


@HERE
def test_build_applies_a_schedule_and_proves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = workshop()
    tuned, file = schedule(walk(shop, 15, 4), shop), tmp_path / "tuned.json"
    file.write_text(dump(tuned))
    words = ["build", "bn254-p", "--op", "mul", "--target", "x86_64-linux", "--schedule", str(file)]
    assert cli.main([*words, "-o", str(tmp_path / "out")]) == 0
    rows = json.loads((tmp_path / "out/manifest.json").read_text())["kernels"]
    assert {row["status"] for row in rows} == {"PROVED"}
    text = (tmp_path / "out/x86_64-linux/mul_adx.s").read_text()
    kernel = compile_expression(
        shop.expressions[tuned.entries[0].decisions.algorithm],
        "fieldc_bn254_p_mul_adx",
        tuned.entries[0].decisions.choices,
        SYSV,
        tuned.entries[0].decisions.refinement,
    )
    assert "chosen by the schedule that was named" in text
    assert "--schedule FILE" in text and kernel.text() in text.replace(text.split(".intel")[0], "")
    capsys.readouterr()
    command = " ".join(words)
    for wrong, message in (
        (f"{command} --algorithm cios", "leave out --algorithm"),
        (command.replace("--op mul", "--op add"), "the schedule is for mul, not add; use --op mul"),
        (command.replace(str(file), str(tmp_path / "none.json")), "No such file"),
    ):
        assert cli.main([*wrong.split(), "-o", str(tmp_path / "other")]) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


# On this host


@HOST
def test_a_wrong_kernel_fails_its_examination() -> None:
    runs_here("adx")
    shop, pages = workshop(), Pages(2, 1 << 15)
    good = draft_of(shop)
    exam = Examination(shop.expressions["log-jump"], 1)
    for copy in pages.copies(good.timed):
        assert exam.right(copy.function) and exam.right(copy.function, 0)
    at = next(i for i, c in enumerate(good.code) if c.mnemonic == "adox")
    skipped = (*good.pieces[:at], *good.pieces[at + 1 :])
    kernel = shop.kernel(good.decisions)
    wrong = good.caller, Code(linked(skipped, (value for _, value in kernel.constants)))
    assert not exam.right(pages.copies(wrong, [good.timed])[0].function)
    assert exam.right(pages.copies(good.timed)[0].function)


@HOST
@pytest.mark.parametrize("operation", ["mul", "mul_add", "mul_lazy", "fp2_mul"])
def test_tune_writes_a_schedule_that_it_goes_on_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], operation: str
) -> None:
    runs_here("adx")
    file = tmp_path / "tuned.json"
    words = ["tune", "2^61-1", "--op", operation, "--time", "1", "-o", str(file)]
    field = find_field("2^61-1")
    for _ in range(2):
        assert cli.main(words) == 0
        shown = capsys.readouterr()
        assert "PROVED" in shown.out and f"tune {operation}" in shown.err
        (entry,) = read(file.read_text(), field).entries
        assert digest_of(entry.compile(choose(field, operation, entry.decisions.algorithm), "k"))
        assert entry.measured["seed"] == 1 and isinstance(entry.measured["disturbed"], bool)
        assert entry.measured["operands"] == "moving"
        assert {"fixed_throughput_cycles", "fixed_latency_cycles"} <= entry.measured.keys()
    built_as_said(shown.out, tmp_path / "built")
    file.write_text("{}")
    assert cli.main(words) == 2 and "no schedule" in capsys.readouterr().err


def built_as_said(said: str, folder: Path) -> None:
    """Run the command that `tune` prints last."""
    (command,) = re.findall(r"^next +fieldc (.*)$", said, re.M)
    *words, place = shlex.split(command)
    assert place == "DIR" and cli.main([*words, str(folder)]) == 0
    made = json.loads((folder / "manifest.json").read_text())["kernels"]
    assert "the schedule that was named" in [row["chosen_by"] for row in made]


@HOST
@pytest.mark.parametrize(
    "place",
    [(Search, "run"), (Tuning, "_report"), (Tuning, "_entry"), (tuning, "prove_entry")],
)
def test_an_interruption_keeps_the_best_and_ends_the_command(
    place: tuple[object, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    honest, file, times = getattr(*place), tmp_path / "tuned.json", count()

    def struck(*given: object) -> object:
        has_best = place[1] != "_report" or given[1] == "best so far"
        if has_best and not next(times):
            raise KeyboardInterrupt
        return honest(*given)

    monkeypatch.setattr(*place, struck)
    words = ["tune", "2^61-1", "--op", "add,sub", "--time", "1", "-o", str(file)]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert "interrupted; the best so far is kept" in shown.err and "tune sub" not in shown.err
    entries = read(file.read_text(), find_field("2^61-1")).entries
    assert [entry.operation for entry in entries] == ["add"]
    built_as_said(shown.out, tmp_path / "built")


@HOST
def test_an_interruption_before_anything_is_found_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def struck(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tuning, "_structures", struck)
    with pytest.raises(KeyboardInterrupt):
        cli.run(["tune", "2^61-1", "--op", "add", "-o", str(tmp_path / "tuned.json")])
    assert not any(tmp_path.iterdir())


@HOST
def test_the_command_after_a_tuned_formula(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs_here("adx")
    formulas, file = tmp_path / "my formulas.py", tmp_path / "tuned.json"
    lines = "from fieldc.formulas import Element, formula\n@formula\n"
    formulas.write_text(f"{lines}def f(x: Element) -> Element:\n    return x * x - 3 * x\n")
    words = ["--formula", str(formulas), "--time", "1", "-o", str(file)]
    assert cli.main(["tune", "2^61-1", *words]) == 0
    built_as_said(capsys.readouterr().out, tmp_path / "built")
