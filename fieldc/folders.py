"""Folders that are written whole or not at all, also by a program that is killed.

New content is made in a temporary folder. Where the system can, one call then exchanges it with
what was there. Elsewhere (a mount, the current folder, some file systems) files are moved one by
one: the seal leaves first and enters last, and a journal lets the next write put them back.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from fieldc.errors import quote
from fieldc.files import OutputError, empty_ones_removed, explained, temporary_folder
from fieldc.signals import deferred_signals

PREFIX, SUFFIX = ".fieldc.", ".part"
NEW, OLD, JOURNAL = "new", "old", "moves.json"
AT_FDCWD, EXCHANGE = -100, 2
TRIES = 100
SECONDS_BETWEEN_TRIES = 0.1


def write_folder(folder: Path, files: Mapping[str, bytes], hint: str, seal: str = "") -> None:
    """Put these files, by their paths inside the folder, in the place of all that is there.

    A folder without its `seal`, a file of that name, is being written, or its writer was killed.
    Raises OutputError.
    """
    with explained(folder, hint):
        target = Path(os.path.realpath(folder))  # a link stays a link
        with empty_ones_removed(target.parent):
            target.parent.mkdir(parents=True, exist_ok=True)
            recover(target)
            if not _may_be_exchanged(target) or not _by_exchange(target, files):
                _by_moves(target, files, seal)


@contextmanager
def turn(folder: Path, hint: str) -> Iterator[None]:
    """Let one program at a time look at this folder and write it, where the system has locks.

    Raises OutputError where another one takes long.
    """
    place = Path(os.path.realpath(folder)).parent
    with empty_ones_removed(place):
        with explained(folder, hint):
            place.mkdir(parents=True, exist_ok=True)
        with _alone(folder, place, hint):
            yield


@contextmanager
def look(folder: Path, hint: str) -> Iterator[None]:
    """Let nobody else write this folder while it is looked at, where a folder is there to lock.

    Raises OutputError where another program takes long.
    """
    place = Path(os.path.realpath(folder)).parent
    with _alone(folder, place, hint) if place.is_dir() else nullcontext():
        yield


@contextmanager
def _alone(folder: Path, place: Path, hint: str) -> Iterator[None]:
    """Hold the lock of the folder that is written beside. Raises OutputError."""
    if not _may_be_opened(place):
        yield
        return
    for _ in range(TRIES):
        with _locked(place) as is_mine:
            if is_mine:
                yield
                return
        time.sleep(SECONDS_BETWEEN_TRIES)
    raise OutputError(f"cannot write {quote(str(folder))}: another fieldc writes beside it; {hint}")


def _may_be_opened(folder: Path) -> bool:
    """Whether a folder can be opened, and so locked. Its modes do not tell that for every user."""
    try:
        os.close(os.open(folder, os.O_RDONLY))
    except OSError:
        return False
    return True


def recover(folder: Path) -> None:
    """Put back what a killed write had moved, and remove what it left.

    Raises OutputError while another program writes there.
    """
    folder = Path(os.path.realpath(folder))
    for scratch in _leftovers(folder):
        with _locked(scratch) as is_mine:
            if not is_mine:
                raise OutputError(f"cannot write {quote(str(folder))}: another fieldc writes there")
            _put_back(scratch, folder)
            shutil.rmtree(scratch, ignore_errors=True)
    for scratch in _leftovers(folder.parent):
        with _locked(scratch) as is_mine:
            if is_mine:
                shutil.rmtree(scratch, ignore_errors=True)


def _leftovers(place: Path) -> list[Path]:
    """The temporary folders of writes in a folder."""
    try:
        found = [p for p in place.iterdir() if p.name.startswith(PREFIX)]
    except OSError:
        return []
    ours = {NEW, OLD, JOURNAL}
    return [
        p
        for p in found
        if p.name.endswith(SUFFIX) and p.is_dir() and not p.is_symlink() and ours >= _names(p)
    ]


def _names(folder: Path) -> set[str]:
    try:
        return {path.name for path in folder.iterdir()}
    except OSError:
        return {""}


@contextmanager
def _scratch(place: Path) -> Iterator[Path]:
    """A temporary folder, locked while its writer lives."""
    with (
        ExitStack() as stack,
        temporary_folder(lambda: _locked_folder(place, stack)) as scratch,
    ):
        yield scratch


def _locked_folder(place: Path, stack: ExitStack) -> Path:
    """Make a folder and lock it until the stack is closed.

    Before it is locked, another program may take it for a leftover and remove it. Then the next
    folder is tried.
    """
    for _ in range(TRIES):
        made = Path(tempfile.mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=place))
        is_mine = stack.enter_context(_locked(made))
        if is_mine and made.is_dir():
            return made
    raise OutputError(
        f"cannot write in {quote(str(place))}: other programs remove what is new there"
    )


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Whether a folder could be locked; a killed program's locks are gone. True without locks."""
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        taken = True
    except OSError:
        taken = False
    try:
        yield taken
    finally:
        os.close(handle)


def _filled(made: Path, files: Mapping[str, bytes]) -> Path:
    made.mkdir()
    for path, content in files.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes(content)
    return made


def _may_be_exchanged(folder: Path) -> bool:
    """Whether another folder may take a folder's place: nobody stands in it, no mount is there."""
    if not folder.exists():
        return True
    try:
        current = Path.cwd()
    except OSError:
        current = Path()
    stands = folder == current or folder in current.parents
    parent = os.access(folder.parent, os.W_OK | os.X_OK)
    return parent and not stands and not folder.is_mount()


def _by_exchange(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Write a folder in one step; False, and nothing is done, where the system cannot."""
    with _scratch(folder.parent) as scratch:
        made = _filled(scratch / NEW, files)
        with deferred_signals():
            if not folder.exists() and _renamed(made, folder):
                return True
            shutil.copymode(folder, made)
            has_owner = (made.stat().st_uid, made.stat().st_gid)
            if has_owner != (folder.stat().st_uid, folder.stat().st_gid):
                return False
            done = exchange(made, folder)
            shutil.rmtree(scratch, ignore_errors=True)  # before a signal ends the program
            return done


def _renamed(made: Path, folder: Path) -> bool:
    """Give a folder its name; False where another program has just written there."""
    try:
        made.rename(folder)
    except OSError:
        if folder.is_dir():
            return False
        raise
    return True


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    a, b = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return int(library.renamex_np(a, b, EXCHANGE)) == 0
        return int(library.renameat2(AT_FDCWD, a, AT_FDCWD, b, EXCHANGE)) == 0
    except (AttributeError, OSError, TypeError):
        return False


def _by_moves(folder: Path, files: Mapping[str, bytes], seal: str) -> None:
    """Write into the folder that is there, file by file."""
    with _scratch(folder) as scratch:
        made, old = _filled(scratch / NEW, files), scratch / OLD
        old.mkdir()
        leave = sorted(_names(folder) - {scratch.name}, key=lambda name: name != seal)
        enter = sorted(_names(made), key=lambda name: name == seal)
        journal = {"leave": leave, "enter": enter}
        (scratch / JOURNAL).write_text(json.dumps(journal), "utf-8")
        with deferred_signals():
            try:
                for name in leave:
                    (folder / name).rename(old / name)
                for name in enter:
                    (made / name).rename(folder / name)
            except BaseException:
                _put_back(scratch, folder)
                raise
            (scratch / JOURNAL).unlink()
            shutil.rmtree(scratch, ignore_errors=True)  # before a signal ends the program


def _put_back(scratch: Path, folder: Path) -> None:
    """Undo the moves of a journal, where there is one and not all were done; the seal is last."""
    try:
        journal = json.loads((scratch / JOURNAL).read_text("utf-8"))
        leave, enter = list(map(str, journal["leave"])), list(map(str, journal["enter"]))
    except (OSError, ValueError, KeyError, TypeError):
        return
    if not _names(scratch / NEW):
        return
    for names, source, target in (
        (enter, folder, scratch / NEW),
        (leave, scratch / OLD, folder),
    ):
        for name in reversed(names):
            if os.path.lexists(source / name) and not os.path.lexists(target / name):
                with suppress(BaseException):  # the first error is the one that is told
                    (source / name).rename(target / name)
