"""Files that are written whole or not at all.

New content goes to a temporary name beside its target, which a rename then replaces. Whatever goes
wrong before the rename (a full disk, a failure, Ctrl-C), what was there before is still there.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir, mkdtemp
from typing import Any

from fieldc.errors import UserError, quote
from fieldc.reading import read_text
from fieldc.signals import deferred_signals

TRIED = 4096
"""Bytes of a block: a full disk takes an empty file."""

MANIFEST = "manifest.json"
"""What a folder of fieldc build says of itself."""
KEPT = 40
"""Letters of a name that its temporary name keeps: together they may be too long for a system."""


NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class OutputError(UserError):
    """A file or folder cannot be written; the message is one line for the user."""


OTHER_FOLDER = "name another folder with -o"
"""What to do where a folder of a study, or a file in it, cannot be written."""


@contextmanager
def explained(path: Path, hint: str) -> Iterator[None]:
    """Make an error of the system one of the user."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write {quote(str(path))}: {reason}; {hint}") from None


def write_file(path: Path, content: str | bytes, hint: str = "name another file") -> None:
    """Write a file. What is no plain file, such as /dev/stdout, is written to directly.

    Raises OutputError.
    """
    data = content.encode() if isinstance(content, str) else content
    with explained(path, hint):
        if is_device(path):
            path.write_bytes(data)
            return
        check_links(path, hint)
        target = Path(os.path.realpath(path))  # a link stays a link
        check_parent(path, hint)
        part = target.with_name(f".{target.name[:KEPT]}.{os.getpid()}.part")
        try:
            part.write_bytes(data)
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def is_device(path: Path) -> bool:
    """Whether a path names a stream or device, which cannot be replaced by a rename."""
    there = path.exists() and not path.is_file() and not path.is_dir()
    return there or path.parts[:2] == ("/", "dev")


def check_file(path: Path, hint: str = "name another file") -> None:
    """Raise OutputError for a file that cannot be written, before any work is done for it."""
    with explained(path, hint):
        if "\0" in str(path):
            raise ValueError("a null byte in its name")
        if path.is_dir():
            raise OutputError(f"cannot write {quote(str(path))}: Is a directory; {hint}")
        check_links(path, hint)
        check_parent(path, hint)
        check_outside_builds(path, hint)
        if path.exists() and not os.access(path, os.W_OK):
            raise OutputError(f"cannot write {quote(str(path))}: Permission denied; {hint}")


@contextmanager
def temporary_folder(make: Callable[[], Path] | None = None) -> Iterator[Path]:
    """Make a folder for the block and remove it afterwards, even if a signal comes.

    It is in the system's temporary folder, unless another function makes it. Raises OutputError
    where that folder has no more room.
    """
    made = None
    try:
        with deferred_signals():
            made = make() if make else Path(mkdtemp(prefix="fieldc."))
        yield made
    except OSError as error:
        if make is None and error.errno in NO_ROOM:  # files that users name raise OutputError
            with explained(made or Path(gettempdir()), "set TMPDIR to another folder"):
                raise
        raise
    finally:
        with deferred_signals():
            if made is not None:
                shutil.rmtree(made, ignore_errors=True)


@contextmanager
def made_folder(folder: Path, hint: str) -> Iterator[None]:
    """Make a folder for the block, unless it is there; of those made, empty ones go after it.

    Raises OutputError where no file can be made in it.
    """
    with empty_ones_removed(folder):
        with explained(folder, hint):
            if folder.exists() and not folder.is_dir():
                raise OutputError(f"cannot write {quote(str(folder))}: it is not a folder; {hint}")
            folder.mkdir(parents=True, exist_ok=True)
            try_folder(folder)
        yield


@contextmanager
def empty_ones_removed(folder: Path) -> Iterator[None]:
    """Remove the folders on a path that were made in the block, unless something is in them."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    finally:
        with suppress(OSError):
            for path in missing:
                path.rmdir()


def check_links(path: Path, hint: str) -> None:
    """Raise OutputError for a path whose symbolic links lead nowhere but to each other."""
    if os.path.islink(os.path.realpath(path)):
        raise OutputError(f"cannot write {quote(str(path))}: its links lead in a circle; {hint}")


def manifest_in(folder: Path) -> dict[str, Any]:
    """The manifest of an earlier build; nothing where there is none that names its files.

    Raises PermissionError.
    """
    try:
        found = json.loads(read_text(folder / MANIFEST))
    except PermissionError:
        raise
    except (OSError, ValueError, RecursionError):
        return {}
    files = found.get("files") if isinstance(found, dict) else None
    named = isinstance(files, list) and all(isinstance(name, str) for name in files)
    return found if named else {}


def check_outside_builds(path: Path, hint: str) -> None:
    """Raise OutputError for a path in an earlier build, which could not be replaced any more."""
    for outer in Path(os.path.realpath(path)).parents:
        with suppress(PermissionError):
            if "p" not in manifest_in(outer):
                continue
            name, build = quote(str(path)), quote(str(outer))
            raise OutputError(f"cannot write {name}: it is in the build {build}; {hint}")


def check_parent(path: Path, hint: str) -> None:
    """Raise OutputError unless a file can be made beside the path."""
    parent = path.parent
    if not parent.is_dir():
        what = "is not a folder" if parent.exists() else "is not there"
        where = quote(str(parent))
        raise OutputError(f"cannot write {quote(str(path))}: the folder {where} {what}; {hint}")
    if is_device(path):
        return
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(f"cannot write {quote(str(path))}: no permission in its folder; {hint}")
    with explained(path, hint):  # some places only say so when written
        try_folder(parent)


def try_folder(folder: Path) -> None:
    """Write a little into a folder, and remove it again. Raises OSError, also on a full disk."""
    with TemporaryFile(dir=folder) as file:
        file.write(bytes(TRIED))
        file.flush()
