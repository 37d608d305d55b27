"""A folder is the old one or the new one, whatever stops its writer: an error, a signal, a kill."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from outputs import BUILD, FULL, contents, fail_at

from fieldc import files, folders
from fieldc.artifacts.write import MANIFEST, check_writable
from fieldc.catalogue import find_field
from fieldc.files import OutputError, temporary_folder
from fieldc.folders import recover, write_folder
from fieldc.signals import deferred_signals

OLD = {"a": b"1", "old": b"2", "sub/c": b"3", "seal": b"4"}
NEW = {"a": b"5", "b": b"6", "sub/d": b"7", "seal": b"8"}
UNIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")


def by_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system have no exchange of folders."""
    monkeypatch.setattr(folders, "exchange", lambda one, other: False)


@pytest.mark.parametrize("way", ["exchange", "moves"])
@pytest.mark.parametrize(("method", "name"), [("write_bytes", "b"), ("mkdir", "sub")])
@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["full", "interrupt"])
def test_a_failure_leaves_the_folder_as_it_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    name: str,
    error: BaseException,
    way: str,
) -> None:
    if way == "moves":
        by_moves(monkeypatch)
    check_failure(tmp_path, monkeypatch, method, name, error)


@pytest.mark.parametrize("name", ["old", "b", "seal"])
def test_a_failed_move_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    by_moves(monkeypatch)
    check_failure(tmp_path, monkeypatch, "rename", name, FULL)


def check_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, name: str, error: BaseException
) -> None:
    """A folder stays as it was where a method of Path fails, and is written where it does not."""
    folder = tmp_path / "out"
    write_folder(folder, OLD, "hint", "seal")
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        fail_at(patch, method, name, error)
        with pytest.raises((OutputError, KeyboardInterrupt)):
            write_folder(folder, NEW, "hint", "seal")
    assert contents(tmp_path) == before and not list(tmp_path.rglob(".fieldc.*"))
    write_folder(folder, NEW, "hint", "seal")
    assert contents(folder) == NEW and not list(tmp_path.rglob(".fieldc.*"))


def test_links_and_modes_stay(tmp_path: Path) -> None:
    folder, link = tmp_path / "out", tmp_path / "link"
    write_folder(folder, OLD, "hint")
    folder.chmod(0o750)
    link.symlink_to(folder)
    write_folder(link, NEW, "hint")
    assert link.is_symlink() and contents(folder) == NEW
    assert os.name == "nt" or folder.stat().st_mode & 0o777 == 0o750


@pytest.fixture(autouse=True, scope="module")
def signals_are_not_ignored() -> Iterator[None]:
    """As nohup and jobs in the background leave them: a child would ignore them too."""
    names = [name for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    before = {n: signal.getsignal(n) for n in (getattr(signal, name) for name in names)}
    for number, handler in before.items():
        if handler is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


STRUCK = """
import os, signal, sys
from pathlib import Path
from fieldc import folders

root, number, way = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
out, OLD, NEW = root / "out", {old!r}, {new!r}


def contents():
    found = (p for p in out.rglob("*") if p.is_file() and ".fieldc." not in str(p))
    return {{str(p.relative_to(out)): p.read_bytes() for p in found}}


def strike_at(place):
    count = 0

    def strike():
        nonlocal count
        count += 1
        if count == place:
            os.kill(os.getpid(), number)

    def struck(function):
        def call(*given, **named):
            strike()
            done = function(*given, **named)
            strike()
            return done
        return call

    Path.rename, folders.exchange = struck(Path.rename), struck(folders.exchange)
    folders.shutil.rmtree = struck(folders.shutil.rmtree)


if way == "moves":
    folders._may_be_exchanged = lambda folder: not folder.exists()
for place in range(1, 100):
    folders.write_folder(out, OLD, "hint", "seal")
    child = os.fork()
    if not child:
        os.close(2)
        strike_at(place)
        status = 3
        try:
            folders.write_folder(out, NEW, "hint", "seal")
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    there = contents()
    left = list(root.glob(".fieldc.*")) + list(out.glob(".fieldc.*"))
    is_killed = number == signal.SIGKILL
    assert there in (OLD, NEW) or (is_killed and way == "moves" and not (out / "seal").exists())
    assert is_killed or not left, left
    folders.recover(out)
    assert contents() in (OLD, NEW) and (there not in (OLD, NEW) or there == contents())
    assert not list(root.glob(".fieldc.*")) + list(out.glob(".fieldc.*"))
    if os.WIFEXITED(status) and not os.WEXITSTATUS(status):
        print(place)
        break
"""


@UNIX
@pytest.mark.parametrize("way", ["exchange", "moves"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_a_signal_at_any_step_leaves_one_folder(tmp_path: Path, name: str, way: str) -> None:
    text = STRUCK.format(old=OLD, new=NEW)
    number = str(int(getattr(signal, name)))
    command = [sys.executable, "-c", text, str(tmp_path), number, way]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > (12 if way == "moves" else 2)


@UNIX
@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_build_that_is_told_to_end_is_whole(tmp_path: Path, number: str, status: int) -> None:
    text = f"""
import os, signal, sys
from fieldc import folders
from fieldc.__main__ import main
honest = folders.exchange
def exchange(one, other):
    os.kill(os.getpid(), signal.{number})
    return honest(one, other)
folders.exchange = exchange
sys.exit(main())
"""
    out = tmp_path / "out"
    words = [*BUILD, "-o", str(out)]
    for expected in (0, status):
        command = [sys.executable, "-c", text, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == expected
        assert json.loads((out / MANIFEST).read_text())["files"] == sorted(contents(out))
        assert os.listdir(tmp_path) == ["out"]
        words = ["sub" if word == "add" else word for word in words]
    assert done.stderr.splitlines()[-1] in ("fieldc: terminated", "fieldc: interrupted")
    assert (out / "c" / "sub_portable.c").is_file()


def test_a_temporary_folder_without_room_is_named() -> None:
    said = "cannot write '.*fieldc.*': No space left on device; set TMPDIR to another folder"
    with pytest.raises(OutputError, match=said), temporary_folder():
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(FileNotFoundError), temporary_folder() as folder:
        (folder / "no/such").write_text("")


@pytest.mark.parametrize("moment", ["mkdtemp", "rmtree"])
def test_a_signal_at_either_end_leaves_no_temporary_folder(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = files if moment == "mkdtemp" else shutil
    honest = getattr(place, moment)

    def struck(*given: str, **named: object) -> object:
        if moment == "rmtree":
            signal.raise_signal(signal.SIGINT)
        found = honest(*given, **named)
        signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(place, moment, struck)
    with pytest.raises(KeyboardInterrupt), temporary_folder() as folder:
        (folder / "file").write_text("")
    assert not any(tmp_path.iterdir())


@UNIX
def test_signals_wait_for_the_block() -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
            assert not came
        assert came == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


@UNIX
def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    out, scratch = tmp_path / "out", tmp_path / "out" / ".fieldc.other.part"
    scratch.mkdir(parents=True)
    refused = pytest.raises(OutputError, match="another fieldc writes there")
    with folders._locked(scratch), refused:
        recover(out)
    (scratch / "mine").touch()
    recover(out)
    assert (scratch / "mine").exists()
    (scratch / "mine").unlink()
    recover(out)
    assert not scratch.exists()


WRITES = """
import sys
from pathlib import Path
from fieldc.folders import write_folder
for count in range(100):
    write_folder(Path(sys.argv[1]), {"a": sys.argv[1].encode(), "count": b"%d" % count}, "hint")
"""


@UNIX
@pytest.mark.parametrize("names", [("one", "two"), ("same", "same")])
def test_two_programs_write_at_the_same_time(tmp_path: Path, names: tuple[str, str]) -> None:
    """One may find the other's temporary folder before it is locked, and remove it."""
    places = [str(tmp_path / name) for name in names]
    running = [
        subprocess.Popen([sys.executable, "-c", WRITES, place], stderr=subprocess.PIPE, text=True)
        for place in places
    ]
    assert [(program.communicate()[1], program.returncode) for program in running] == [("", 0)] * 2
    expected = {place: {"a": place.encode(), "count": b"99"} for place in places}
    assert {place: contents(Path(place)) for place in places} == expected
    assert sorted(os.listdir(tmp_path)) == sorted(set(names))


@UNIX
def test_a_build_looks_at_a_folder_that_nobody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it tries there was once taken for something foreign by another build."""
    monkeypatch.setattr(folders, "TRIES", 1)
    field, out = find_field("17"), tmp_path / "out"
    with folders._locked(tmp_path), pytest.raises(OutputError, match="writes beside it"):
        check_writable(out, field)
    check_writable(out, field)
    check_writable(tmp_path / "none" / "out", field)
    assert not os.listdir(tmp_path)


LOADS = """
import os, signal, sys, threading, time

class End(BaseException):
    pass

def end(number, frame):
    raise End

def shoot():
    while "lief._lief" not in sys.modules:
        time.sleep(0.0001)
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.001)

sys.setswitchinterval(1e-5)
signal.signal(signal.SIGTERM, end)
try:
    threading.Thread(target=shoot, daemon=True).start()
    from fieldc.binary.native import lief
    lief.ELF
    time.sleep(10)
except End:
    os._exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_while_native_code_is_loaded_does_not_abort() -> None:
    done = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (7, "")
