"""Files that are pipes: read like others, and no wait without an end for one that nobody writes."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fieldc import cli, reading
from fieldc.lab.trials import COLUMNS, may_hold_trials

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A named pipe; a reader waits a moment only for its writer to come."""
    monkeypatch.setattr(reading, "PATIENCE", 0.2)
    path = tmp_path / "pipe.o"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    "line",
    [
        "count {0}",
        "count {0}:f",
        "trace {0}:f",
        "show {0}",
        "prove {0} --list",
        "prove {0} --symbol f --contract mul --field 17",
        "plot {0} -o {0}.svg",
        "build 17 --formula {0} -o {0}.out",
        "build 17 --op mul --schedule {0} -o {0}.out",
    ],
)
def test_a_pipe_without_a_writer_is_said_to_be_one(
    line: str, pipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([word.format(pipe) for word in line.split()]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "nobody writes into this pipe" in said


def written(pipe: Path, write: Callable[[int], object]) -> threading.Thread:
    """A thread that opens the pipe and writes."""

    def run() -> None:
        handle = os.open(pipe, os.O_WRONLY)
        write(handle)
        os.close(handle)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_pipe_is_read_like_a_file(pipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thread = written(pipe, lambda handle: os.write(handle, b"2^61 - 1\n"))
    assert cli.main(["show", str(pipe)]) == 0
    thread.join()
    assert "2305843009213693951" in capsys.readouterr().out


def test_a_slow_writer_is_waited_for(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.05)
    opened = threading.Event()

    def write(handle: int) -> None:
        opened.set()
        time.sleep(0.5)
        os.write(handle, b"x" * 10)

    waiting = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer come before the reader
    thread = written(pipe, write)
    assert opened.wait(10)
    assert reading.read_bytes(pipe) == b"x" * 10
    thread.join()
    os.close(waiting)


@pytest.mark.parametrize(
    ("line", "name", "why"),
    [
        (
            "build 17 --op mul --target c",
            "manifest.json",
            "holds 'manifest.json', which no build there",
        ),
        ("build 17 --package js", "manifest.json", "holds 'manifest.json', which no build there"),
        ("lab --quick", "index.html", "fieldc lab did not write"),
    ],
)
def test_a_pipe_in_the_folder_to_write_is_not_ours(
    line: str,
    name: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.05)
    if line.startswith("lab"):
        pytest.importorskip("matplotlib")
    os.mkfifo(tmp_path / name)
    assert cli.main([*line.split(), "-o", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and why in said
    assert os.listdir(tmp_path) == [name]


def test_a_pipe_holds_no_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.05)
    path = tmp_path / "trials.csv"
    os.mkfifo(path)
    assert not may_hold_trials(path)
    path.unlink()
    path.write_text(",".join(COLUMNS) + "\n17,1\n")
    assert may_hold_trials(path)
    path.write_text(",".join(COLUMNS) + ",more\n")
    assert not may_hold_trials(path)


@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_a_pipe_is_no_manifest(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    assert cli.main([verb, str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "a manifest.json that is no regular file" in said


OF_ADD = ["--op", "add", "--target", "x86_64-linux"]
SUM = 'claim = "z = x + y"\narguments = ["z", "x", "y"]\n'


@pytest.mark.parametrize("text", [SUM, 'operation = "add"\narguments = ["z", "x", "y"]\n'])
def test_a_contract_may_come_through_a_pipe(
    text: str, pipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As from `--contract <(cat contract.toml)`: it is read once."""
    built = tmp_path / "built"
    assert cli.main(["build", "2^61-1", *OF_ADD, "-o", str(built)]) == 0
    row, *_ = json.loads((built / "manifest.json").read_text())["kernels"]
    thread = written(pipe, lambda handle: os.write(handle, text.encode()))
    words = ["--symbol", row["symbol"], "--contract", str(pipe), "--field", "2^61-1"]
    assert cli.main(["prove", str(built / row["object"]), *words]) == 0
    thread.join()
    assert "PROVED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("contract", "why"),
    [
        ("folder", "'folder' is a folder, no contract; name an operation or a TOML file"),
        ("./folder/", "'./folder/' is a folder, no contract"),
        ("pipe.o", "cannot read 'pipe.o': nobody writes into this pipe"),
        ("./no", "cannot read './no': No such file or directory"),
        ("no.toml", "cannot read 'no.toml': No such file or directory"),
        ("nowhere", "cannot read 'nowhere': No such file or directory"),
        ("/dev/null", "'/dev/null' needs operation = "),
        ("/dev/zero", "cannot read '/dev/zero': it is too long"),
        ("ad", "unknown operation 'ad'"),
        ("add", "'no.o' is not there"),
    ],
)
def test_what_is_no_contract_is_named_as_what_it_is(
    contract: str,
    why: str,
    pipe: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(pipe.parent)
    for name in ("folder", "add"):
        Path(name).mkdir()
    Path("nowhere").symlink_to("not-there")
    if contract != "add":
        Path("no.o").write_bytes(b"")
    words = ["--symbol", "f", "--contract", contract, "--field", "17"]
    assert cli.main(["prove", "no.o", *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and why in said, said
