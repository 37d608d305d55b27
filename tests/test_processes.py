"""Programs that begin others: all end with this one, or when their time is up."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from fieldc.artifacts.workers import on_all_processors
from fieldc.errors import Terminated
from fieldc.processes import run_group, why_no_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups of POSIX")
SECONDS = 0.3
BEGINS = "sleep 100 & echo begun >&2; sleep 100; echo never"
STUBBORN = "trap '' TERM; sleep 100 & sleep 100; sleep 100"


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A pipe that every program of a group holds open: it ends with the last of them."""
    reads, writes = os.pipe()
    os.set_inheritable(writes, True)
    begin = subprocess.Popen.__init__

    def inherit(self: subprocess.Popen[str], *words: object, **options: object) -> None:
        begin(self, *words, **options, close_fds=False)  # type: ignore[call-overload]
        os.close(writes)

    monkeypatch.setattr(subprocess.Popen, "__init__", inherit)
    yield reads
    os.close(reads)


def have_ended(pipe: int) -> bool:
    ready, _, _ = select.select([pipe], [], [], 5)
    return bool(ready) and os.read(pipe, 1) == b""


@pytest.mark.parametrize("script", [BEGINS, STUBBORN])
def test_all_end_with_an_interruption(pipe: int, script: str) -> None:
    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with pytest.raises(Terminated):
            run_group(["sh", "-c", script])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert have_ended(pipe)


def test_all_end_when_their_time_is_up(pipe: int) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_group(["sh", "-c", BEGINS], timeout=SECONDS)
    assert have_ended(pipe)


def test_what_is_said_is_kept_or_heard(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["sh", "-c", "pwd; echo reason >&2; exit 3"]
    done = run_group(command, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{tmp_path}\n", "reason\n")
    assert run_group(command, is_heard=True).stderr is None
    assert capfd.readouterr().err == "reason\n"


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        run_group(["no-such-program"])


def test_programs_get_a_temporary_folder_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert Path(run_group(["sh", "-c", "echo $TMPDIR"]).stdout.strip()).is_dir()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho v1\n", ""),
        ("#!/bin/sh\necho 'no version is set' >&2\nexit 126\n", "begin here: no version is set"),
        ("#!/bin/sh\nexit 3\n", "tool does not begin here: exit status 3"),
        ("no program", "tool does not begin here: Exec format error"),
        ("", "tool is not installed"),
    ],
)
def test_a_program_that_does_not_begin_is_not_used(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the shim of node that a manager of versions leaves on PATH."""
    if text:
        (tmp_path / "tool").write_text(text)
        (tmp_path / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_no_program("tool").endswith(said) and bool(said) == bool(why_no_program("tool"))


def test_a_system_without_locks_does_many_jobs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a container whose /dev/shm is read-only."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("multiprocessing.context.BaseContext.Lock", refused)
    assert list(on_all_processors(lambda number: number + 1, [*range(9)])) == [*range(1, 10)]
