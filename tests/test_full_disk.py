"""A full disk: nothing measured is lost, and no empty folder stays behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from outputs import FULL, fail_at

from fieldc import cli, files
from fieldc.artifacts import write as builder
from fieldc.commands import demo, races
from fieldc.commands import tune as tuning
from fieldc.files import OutputError, check_file, made_folder, try_folder
from fieldc.machine.processor import is_x86_64

X86_64 = pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes empty files only."""

    def tried(folder: Path) -> None:
        raise FULL

    monkeypatch.setattr(files, "try_folder", tried)
    monkeypatch.setattr(builder, "try_folder", tried)


@pytest.mark.parametrize(
    "verb", ["bench --plot x.svg", "build -o x", "demo -o x", "tune", "page -o x.html"]
)
def test_a_full_disk_is_known_before(
    verb: str,
    full: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *rest = verb.split()
    assert cli.main([name, "bn254-p", *rest]) == 2
    out, error = capsys.readouterr()
    assert out == "" and "No space left on device" in error and error.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_a_study_leaves_no_empty_folder(
    full: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert cli.main(["lab", "--quick", "-o", str(tmp_path / "build/lab")]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_study_that_ends_early_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever of its two files is not written, the next run does not take the other amiss."""
    pytest.importorskip("matplotlib")
    compose = pytest.importorskip("fieldc.lab.report.compose")
    out = tmp_path / "lab"
    out.mkdir()
    monkeypatch.setattr("fieldc.lab.study.run_study", lambda *_: ([], []))
    monkeypatch.setattr(compose, "compose", lambda *_: compose.COMMAND)
    for name in ("index.html", "rows.json"):
        with monkeypatch.context() as patch:
            fail_at(patch, "replace", f".{name}.{os.getpid()}.part", FULL)
            assert cli.main(["lab", "--quick", "-o", str(out)]) == 2
        assert "No space left on device" in capsys.readouterr().err
    assert cli.main(["lab", "--quick", "-o", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"index.html", "rows.json"}


def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    with made_folder(tmp_path / "new/folder", ""):
        (tmp_path / "new/file").write_text("")
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "file"]
    with made_folder(tmp_path / "new", ""):
        (tmp_path / "new/file").unlink()
    assert (tmp_path / "new").is_dir()  # it was there before
    try_folder(tmp_path)
    check_file(tmp_path / "other")


@pytest.mark.usefixtures("no_checker")
@pytest.mark.parametrize("words", [("--target", "c"), ("--batch", "--target", "avx2")])
def test_a_build_that_is_not_written_leaves_no_empty_folder(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """There was room to try the disk, and none for the build."""
    fail_at(monkeypatch, "write_bytes", "manifest.json", FULL)
    out = tmp_path / "new/folder/out"
    assert cli.main(["build", "17", "--op", "add", *words, "-o", str(out)]) == 2
    assert "No space left on device; name another with -o" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@X86_64
def test_a_race_is_printed_where_its_picture_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")

    def lost(*_: object) -> None:
        raise OutputError("cannot write the picture")

    monkeypatch.setattr(races, "draw", lost)
    words = ["bench", "17", "--op", "add", "--rounds", "2", "--plot", str(tmp_path / "race.svg")]
    assert cli.main(words) == 2
    out, error = capsys.readouterr()
    assert "add runs in" in out and "cannot write the picture" in error


def test_a_picture_that_nothing_draws_is_refused_before_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(races, "find_spec", lambda name: None)
    assert cli.main(["bench", "17", "--plot", str(tmp_path / "race.svg")]) == 2
    out, error = capsys.readouterr()
    assert out == "" and "fieldc[plots]" in error


@pytest.mark.full
def test_a_demo_is_printed_where_it_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(*_: object, **__: object) -> None:
        raise OutputError("cannot write the folder")

    monkeypatch.setattr(demo, "ROUNDS", 2)
    monkeypatch.setattr(builder, "write", lost)
    assert cli.main(["demo", "2^61-1", "-o", str(tmp_path / "out")]) == 2
    out, error = capsys.readouterr()
    assert "cannot write the folder" in error
    assert "built" in out and "left in" not in out
    assert not is_x86_64() or "mul runs in" in out


@X86_64
def test_a_schedule_is_printed_where_it_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "schedule.json"
    monkeypatch.setattr(tuning, "prove_entry", lambda *_: None)
    fail_at(monkeypatch, "replace", f".{path.name}.{os.getpid()}.part", FULL)
    words = ["tune", "bn254-p", "--op", "add,sub", "--time", "1", "-o", str(path)]
    assert cli.main(words) == 2
    out, error = capsys.readouterr()
    assert "No space left on device; name another with -o" in error
    assert "next" not in out and not any(tmp_path.iterdir())
    found = json.loads(out[out.index('{\n  "schedule"') :])
    assert [kernel["op"] for kernel in found["kernels"]] == ["add"]
