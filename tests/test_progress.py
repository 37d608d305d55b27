"""What long work says of how far it is."""

from __future__ import annotations

import io
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.algorithms.representations import MONTGOMERY
from fieldc.catalogue import find_field
from fieldc.commands.progress import progress, say
from fieldc.formulas.load import load_formulas
from fieldc.packages.c.package import build_package as build_c
from fieldc.packages.rust.package import build_package as build_rust
from fieldc.progress import shown_proofs


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_work_goes_on_where_nobody_reads_its_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fieldc.commands.progress.SECONDS_BETWEEN_LINES", -1.0)
    words = ["build", "17", "--op", "add", "--target", "c", "-o", str(tmp_path / "out")]
    with suppress(OSError), open("/dev/full", "w") as full:  # its end fails too
        monkeypatch.setattr("sys.stderr", full)
        assert cli.main(words) == 0
        monkeypatch.undo()
    assert (tmp_path / "out/manifest.json").exists()


def progress_of(steps: list[tuple[float, int]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a log has of ten pieces of work: each step's time, and what is done then."""
    said: list[str] = []
    monkeypatch.setattr("fieldc.commands.progress.say", said.append)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress() as show:
        for now, done in steps:
            monkeypatch.setattr("time.monotonic", lambda now=now: now)
            show("compile", done, 10)
    return said


def test_a_line_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "tune mul: 1 of 1 s, best so far: 0.934 of the start; multipliers allow 3.0 cycles"
    monkeypatch.setenv("COLUMNS", "40")
    for is_terminal in (False, True):
        read = io.StringIO()
        monkeypatch.setattr(read, "isatty", lambda answer=is_terminal: answer)
        monkeypatch.setattr("sys.stderr", read)
        say(line)
        lines = read.getvalue().splitlines()
        assert " ".join(map(str.strip, lines)) == line
        assert (
            len(lines) == (3 if is_terminal else 1) and (max(map(len, lines)) <= 40) == is_terminal
        )


def test_short_work_says_nothing_of_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress_of([(1000.0, 1), (1001.0, 5), (1002.0, 10)], monkeypatch) == []


def test_long_work_says_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(1000.0, 1), (1004.0, 2), (1008.0, 3), (1012.0, 4), (1036.0, 10)]
    wanted = ["compile: 3/10, about 28 s left", "compile: 10/10"]
    assert progress_of(steps, monkeypatch) == wanted
    again = [(2000.0, 0), (2010.0, 0), (2011.0, 1)]
    assert progress_of(steps + again, monkeypatch) == [*wanted, "compile: 0/10 after 10 s"]


def test_one_long_proof_is_heard_of_again(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = threading.Event()
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        heard.set()

    monkeypatch.setattr("fieldc.commands.progress.say", say)
    monkeypatch.setattr("fieldc.commands.progress.SECONDS_OF_SILENCE", 0.01)
    monkeypatch.setattr("fieldc.commands.progress.SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress() as show:
        show("prove", 0, 3)
        heard.clear()
        assert heard.wait(10)
        show("prove", 3, 3)
        time.sleep(0.05)
    assert {*said[:-1]} == {"prove: 0/3 after 0 s"} and said[-1] == "prove: 3/3"


def test_one_long_proof_is_heard_of_less_and_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe once had the same line each eight seconds."""
    said: list[str] = []
    waited: list[float | None] = []
    begun = threading.Event()

    class Heard(threading.Event):
        """Nobody speaks for an hour; then the work is over."""

        def wait(self, timeout: float | None = None) -> bool:
            begun.wait(10)
            waited.append(timeout)
            now = 1000.0 + sum(filter(None, waited))
            monkeypatch.setattr("time.monotonic", lambda: now)
            if now > 4600:
                super().wait(10)
            return now > 4600

    monkeypatch.setattr("time.monotonic", lambda: 1000.0)
    monkeypatch.setattr("fieldc.commands.progress.say", said.append)
    monkeypatch.setattr("fieldc.commands.progress.Event", Heard)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress() as show:
        show("prove", 0, 2)
        begun.set()
        while len(waited) < 18:
            time.sleep(0.001)
    assert waited[:8] == [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0]
    assert said[:3] == [f"prove: 0/2 after {s} s" for s in (12, 28, 60)] and len(said) < 20


def test_work_that_has_not_said_what_it_is_is_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = threading.Event()
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        heard.set()

    monkeypatch.setattr("fieldc.commands.progress.say", say)
    monkeypatch.setattr("fieldc.commands.progress.SECONDS_OF_SILENCE", 0.01)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress():
        assert heard.wait(10)
    assert {*said} == {"at work"}


def test_proofs_are_as_far_as_the_bytes_of_code_that_are_proved() -> None:
    shown: list[tuple[str, int, int]] = []
    proofs = shown_proofs(iter("abc"), [200, 5300, 400], lambda *step: shown.append(step))
    assert [*proofs] == ["a", "b", "c"]
    assert [step[1:] for step in shown] == [(0, 6), (0, 6), (5, 6), (6, 6)]
    assert {what for what, *_ in shown} == {"prove, kB of code"}


def test_each_formula_of_a_package_is_a_choice_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, int, int]] = []

    class Ended(Exception):
        """Building begins."""

    def stop(*_: object) -> None:
        raise Ended

    for package in ("c", "rust"):
        monkeypatch.setattr(f"fieldc.packages.{package}.package.build", stop)
    formulas = tuple(load_formulas(Path(__file__).parents[1] / "examples" / "butterfly.py"))
    field, shows = find_field("61"), lambda *each: shown.append(each)
    for make, more in ((build_c, ()), (build_rust, (None, ()))):
        counts = []
        for each in ((), formulas):
            shown.clear()
            with suppress(Ended):
                make(field, tmp_path / "out", shows, MONTGOMERY, "", *more, each)
            assert shown[-1] == ("choose", len(shown) - 1, len(shown) - 1)
            counts.append(len(shown))
        assert counts[1] >= counts[0] + len(formulas)
