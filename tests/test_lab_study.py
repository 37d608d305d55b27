"""The study: what it keeps, what it takes up again, what it finds, and its page."""

from __future__ import annotations

import csv
import json
import signal
import time
from dataclasses import replace
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

from fieldc.algorithms import choose
from fieldc.artifacts.host import HostBackend, host_backends
from fieldc.cli import main
from fieldc.files import OutputError, temporary_folder
from fieldc.lab import study
from fieldc.lab.compilers import (
    CompilerError,
    Reading,
    absent,
    first_error,
    outside_backends,
)
from fieldc.lab.findings import MODES, places, predictions
from fieldc.lab.report.boxes import box_plot, read_trials
from fieldc.lab.report.compose import compose
from fieldc.lab.study import StudyError, StudyPlan, run_study, study_field
from fieldc.language import Expression
from fieldc.machine.processor import is_x86_64

needs_x86_64 = pytest.mark.skipif(not is_x86_64(), reason="the study races code for x86-64")
PLAN = StudyPlan((2,), ("bn254-p",), ("mul",), 2, 1)


def quiet(_what: str, _done: int, _total: int) -> None:
    """No progress."""


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two flavours of this process and, where it is, one compiler outside it."""
    inside = [b for b in host_backends(64) if b.name in ("x86-mulx", "llvm")]
    outside = [b for b in outside_backends() if b.name == "c-gcc"]
    monkeypatch.setattr(study, "host_backends", lambda _: inside)
    monkeypatch.setattr(study, "outside_backends", lambda: outside)


@needs_x86_64
def test_a_study_is_kept_and_taken_up_again(
    few: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows, left_out = run_study(PLAN, tmp_path, quiet)
    assert {row["field"] for row in rows} == {"bn254-p", "random-2"}
    compiled = [row for row in rows if row["backend"] != "python"]
    assert all(row["counts"]["multiplications"] > 0 for row in compiled)
    with (tmp_path / "bn254-p.csv").open(newline="") as file:
        trials = list(csv.DictReader(file))
    assert len(trials) == 2 * PLAN.rounds * sum(row["field"] == "bn254-p" for row in rows)
    page = compose(rows, [*left_out, "c-none: not here"], tmp_path)
    assert "c-none: not here" in page
    assert page.count("<svg") == page.count("</svg>") >= 5
    assert "src=" not in page and "<link" not in page and "<script" not in page
    monkeypatch.setattr(study, "run_race", lambda *_, **__: pytest.fail("measured again"))
    assert run_study(PLAN, tmp_path, quiet) == (rows, left_out)


@pytest.mark.parametrize("accepted", [(1, 1), (1, 0), (0, 0)])
def test_trials_are_drawn_however_many_were_accepted(accepted: tuple[int, int], tmp_path: Path):
    lines = ["op,algorithm,backend,mode,cycles,accepted"]
    for mode, good in zip(MODES, accepted, strict=True):
        lines += [f"mul,cios,llvm,{mode},50.0,{good}", f"mul,cios,llvm,{mode},90.0,0"]
    (tmp_path / "f.csv").write_text("\n".join(lines))
    trials = read_trials(tmp_path / "f.csv")
    found = [len(trials["mul", "cios", "llvm", mode]) for mode in MODES]
    assert found == [1 if good else 2 for good in accepted]
    drawn = box_plot(trials, "mul", ("llvm",), "f")
    assert drawn is not None and "llvm, cios" in drawn
    assert box_plot(trials, "add", ("llvm",), "f") is None


@needs_x86_64
def test_what_another_plan_left_is_not_taken(few: None, tmp_path: Path):
    (tmp_path / "bn254-p.json").write_text(json.dumps({"plan": {}, "rows": []}))
    assert run_study(replace(PLAN, limbs=()), tmp_path, quiet)[0]


@pytest.mark.parametrize("name", ["bn254-p.json", "bn254-p.csv"])
def test_a_file_that_is_no_study_ends_in_one_line(name: str, tmp_path: Path):
    (tmp_path / name).write_text("no")
    with pytest.raises(StudyError, match="is not what fieldc lab writes"):
        run_study(replace(PLAN, limbs=()), tmp_path, quiet)


def test_a_folder_that_cannot_be_ends_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for name in ("file", "file/lab"):
        with pytest.raises(OutputError, match=r"cannot write .*; name another folder with -o"):
            run_study(PLAN, tmp_path / name, quiet)


def test_a_folder_that_is_full_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A study has no option for one of its files: its folder is what can be another."""

    def full(path: Path, content: str, hint: str = "name another file") -> None:
        raise OutputError(f"cannot write {path}; {hint}")

    for module in ("fieldc.lab.study", "fieldc.lab.trials", "fieldc.commands.lab"):
        monkeypatch.setattr(f"{module}.write_file", full)
    monkeypatch.setattr("fieldc.lab.study._compiled", lambda *_: ({}, []))
    report = SimpleNamespace(data=list, skipped=[])
    monkeypatch.setattr("fieldc.lab.study.run_race", lambda *_, **__: report)
    monkeypatch.setattr("fieldc.lab.trials._lines", lambda _: iter(()))
    with pytest.raises(OutputError, match=r"\.csv; name another folder with -o"):
        run_study(PLAN, tmp_path / "study", quiet)
    monkeypatch.setattr("fieldc.lab.study.write_trials", lambda *_: None)
    with pytest.raises(OutputError, match=r"\.json; name another folder with -o"):
        run_study(PLAN, tmp_path / "study", quiet)


@pytest.mark.parametrize("name", ["rows.json", "index.html", "bls12-381-p.json", "bn254-p.csv"])
def test_what_cannot_be_written_is_said_before_a_race(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setattr(study, "run_race", lambda *_, **__: pytest.fail("measured"))
    plan = replace(PLAN, limbs=(), named=("bn254-p", "bls12-381-p"))
    with pytest.raises((OutputError, StudyError)):
        run_study(plan, tmp_path, quiet)


def test_the_primes_of_a_study_are_always_the_same():
    assert study_field(3) == study_field(3)
    assert study_field(3).spare_bits == study.SPARE_BITS


def row(algorithm: str, cycles: float, multiplications: int, spread: float = 0.5) -> dict[str, Any]:
    """A row as a study has it."""
    times = {"median": cycles, "low": cycles - spread, "high": cycles + spread}
    return {
        **{"field": "f", "limbs": 4, "op": "mul", "backend": "b", "algorithm": algorithm},
        **{"throughput_cycles": cycles, "throughput_spread": times},
        "counts": {
            "multiplications": multiplications,
            "instructions": 7,
            "memory": {"64": multiplications},
        },
        "bounds": {"throughput": {"issue slots": 2 * cycles}, "chain": None},
    }


def test_the_fastest_wins_and_ties_are_named():
    rows = [row("a", 40, 33), row("b", 40.8, 36), row("c", 50, 40)]
    found = {place.algorithm: place for place in places(rows, "throughput")}
    assert found["a"].by_best == 1 and found["c"].by_best == 1.25
    assert found["b"].is_tie and not found["c"].is_tie


def test_what_predicts_time_stands_first():
    rows = [row("a", 40, 33), row("b", 44, 36), row("c", 50, 34)]
    first, second, *_ = predictions(rows, "throughput")
    assert first.predictor == "issue slots" and first.correlation == pytest.approx(1)
    assert first.error == pytest.approx(0) and second.error > 0
    assert "instructions" not in {p.predictor for p in predictions(rows, "throughput")}


def test_a_compiler_that_refuses_is_named():
    reading = Reading("c-false", "false", (), ".c", lambda _: "")
    with pytest.raises(CompilerError, match=r"c-false: exit 1 \(in mul log-jump for random-2\)"):
        reading.compile(choose(study_field(2), "mul"))


@needs_x86_64
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho 'error: no toolchain' >&2\nexit 1\n", "error: no toolchain (in an em"),
        ("no program", "Exec format error"),
        ("", "is not installed"),
    ],
)
def test_a_compiler_that_does_not_work_is_left_out(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As rustup's rustc without a toolchain, and one too old for our options."""
    if text:
        (tmp_path / "rustc").write_text(text)
        (tmp_path / "rustc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    named = [line for line in absent() if line.startswith("rust-looped, rust-flat, rust-in")]
    assert len(named) == 1 and said in named[0], named
    assert outside_backends() == []


def test_the_line_of_a_compiler_that_names_the_error_is_shown():
    said = "k.c: In function 'f':\nk.c:3:14: error: expected '='\n  3 | x\nk.c:4: error: more\n"
    assert first_error(said) == "k.c:3:14: error: expected '='"
    assert (first_error("killed\n"), first_error("\n")) == ("killed", "")


def test_text_of_ours_that_does_not_compile_ends_the_study(monkeypatch: pytest.MonkeyPatch):
    reading = Reading("c-false", "false", (), ".c", lambda _: "")
    broken = HostBackend(reading.name, (), reading.compile, reading.can)
    monkeypatch.setattr(study, "outside_backends", lambda: [broken])
    with pytest.raises(CompilerError, match="c-false: exit 1"):
        study._compiled([choose(study_field(2), "mul")], lambda *_: None)


def test_a_study_that_ends_early_begins_no_other_compilation(monkeypatch: pytest.MonkeyPatch):
    """As when a signal ends it: hundreds of texts may wait then."""
    begun: list[object] = []

    def compiled(expression: Expression) -> bytes:
        begun.append(expression)
        time.sleep(0.05)
        return b""

    def interrupted(_what: str, done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    slow = HostBackend("c-slow", (), compiled, lambda _: True)
    monkeypatch.setattr(study, "outside_backends", lambda: [slow])
    with pytest.raises(KeyboardInterrupt):
        study._compiled([choose(study_field(2), "mul")] * 200, interrupted)
    assert len(begun) < 100


def test_a_second_signal_leaves_no_folder_behind(monkeypatch: pytest.MonkeyPatch):
    folders: list[Path] = []

    def compiled(_expression: Expression) -> bytes:
        with temporary_folder() as folder:
            folders.append(folder)
            time.sleep(0.5)
        return b""

    def interrupted(*_: object) -> None:
        Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
        raise KeyboardInterrupt

    slow = HostBackend("c-slow", (), compiled, lambda _: True)
    monkeypatch.setattr(study, "outside_backends", lambda: [slow])
    with pytest.raises(KeyboardInterrupt):
        study._compiled([choose(study_field(2), "mul")] * 3, interrupted)
    assert folders and not any(folder.exists() for folder in folders)


def test_rounds_are_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert main(["lab", "--quick", "--rounds", "0", "-o", str(tmp_path)]) == 2
    assert "is not a whole number" in capsys.readouterr().err
