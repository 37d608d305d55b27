"""Work in a child process: it is kept, made again, and holds nothing of its parent."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fieldc.machine.guarded
from fieldc.machine.guarded import WorkFailed, guarded

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this host has no fork")


def number() -> int:
    """The child's."""
    return int(guarded(process))


def process() -> bytes:
    return str(os.getpid()).encode()


def raise_an_error(text: str) -> bytes:
    raise RuntimeError(text)


def say_and_end(text: str, status: int) -> bytes:
    os.write(2, text.encode())
    os._exit(status)


def complain(text: str) -> bytes:
    os.write(2, text.encode())
    return b"done"


def twice(data: bytes) -> bytes:
    return 2 * data


def wait() -> bytes:
    time.sleep(60)
    return b""


def test_a_child_stays_for_the_next_piece_of_work() -> None:
    first = number()
    assert first != os.getpid() and number() == first
    assert guarded(twice, bytes(10**6)) == bytes(2 * 10**6)


def test_a_child_does_not_stay_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkFailed):
        guarded(say_and_end, "", 1)
    monkeypatch.setattr(fieldc.machine.guarded, "PIECES", 3)
    first, *others = [number() for _ in range(4)]
    assert first == others[0] == others[1] != others[2]


def test_an_error_and_a_complaint_are_failures_that_the_child_survives() -> None:
    first = number()
    with pytest.raises(WorkFailed, match=r"^not so$"):
        guarded(raise_an_error, "not so")
    with pytest.raises(WorkFailed, match=r"^a warning$"):
        guarded(complain, "a warning")
    assert number() == first


def test_the_end_of_a_child_is_a_failure_and_the_next_one_works() -> None:
    first = number()
    with pytest.raises(WorkFailed, match=r"^the reason$"):
        guarded(say_and_end, "the reason", 1)
    with pytest.raises(WorkFailed, match=r"^LLVM ended with status 3$"):
        guarded(say_and_end, "", 3)
    assert number() != first


def test_a_child_that_somebody_ended_is_replaced() -> None:
    first = number()
    os.kill(first, signal.SIGKILL)
    time.sleep(0.1)
    assert number() != first


def test_an_interrupted_answer_is_not_taken_for_the_next_one() -> None:
    first = number()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            guarded(wait)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert number() != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_forked_process_has_a_child_of_its_own() -> None:
    first, (reads, writes) = number(), os.pipe()
    if os.fork() == 0:
        os.write(writes, str(number()).encode())
        os._exit(0)
    os.wait()
    assert int(os.read(reads, 20)) != first == number()


def test_a_lock_is_not_kept(tmp_path: Path) -> None:
    """The first child of this test is forked while its parent holds the lock."""
    with pytest.raises(WorkFailed):
        guarded(say_and_end, "", 1)
    with (tmp_path / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert number()
    with (tmp_path / "lock").open("w") as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)


ASKS = """
import os
import {module} as here
print(here.number(), flush=True)
"""


def test_a_child_ends_after_its_parent() -> None:
    """And what its parent prints to is closed then."""
    words = [sys.executable, "-c", ASKS.format(module=__name__)]
    here = Path(__file__).parent
    done = subprocess.run(words, cwd=here, capture_output=True, text=True, timeout=60, check=True)
    child = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("it still runs")


def test_a_child_that_ends_at_once_is_no_broken_standard_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fieldc.machine.guarded, "_child", None)
    monkeypatch.setattr(fieldc.machine.guarded, "_serve", lambda *_: os._exit(1))
    monkeypatch.setattr(fieldc.machine.guarded.pickle, "dumps", lambda _: bytes(1 << 20))
    with pytest.raises(ChildProcessError, match="ended at once"):
        guarded(process)
