"""What a formula file may change of this process while it runs: afterwards it is as it was."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAMES = ("stdout", "stderr", "__stdout__", "__stderr__")


class _Open(io.TextIOBase):
    """Standard error, which stays open when this is closed."""

    def __init__(self) -> None:
        self._to = sys.stderr

    def write(self, text: str) -> int:
        return self._to.write(text)

    def flush(self) -> None:
        self._to.flush()

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self.flush()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._to.fileno()

    def isatty(self) -> bool:
        return self._to.isatty()

    def __getattr__(self, name: str) -> object:
        return getattr(self._to, name)


@contextmanager
def kept_place() -> Iterator[None]:
    """Afterwards the current folder and the limit of recursion are what they were.

    Else a file that changes its folder would move what is written by a relative path.
    """
    folder, limit = os.getcwd(), sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        with suppress(OSError):  # the file may have deleted it
            os.chdir(folder)


@contextmanager
def imports_beside(file: Path) -> Iterator[None]:
    """Let a file import those of its folder, as Python lets a script; then forget them.

    The folder is looked at last, so that no file there takes the place of a library.
    """
    folder, before, loaded = str(file.absolute().parent), list(sys.path), set(sys.modules)
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - loaded:  # another folder may have one of the same name
            if os.path.dirname(getattr(sys.modules[name], "__file__", None) or "") == folder:
                del sys.modules[name]


@contextmanager
def kept_streams() -> Iterator[None]:
    """Print to standard error; afterwards the streams and their files are what they were."""
    streams = {name: getattr(sys, name) for name in NAMES}
    files = {number: os.dup(number) for number in (1, 2) if _is_open(number)}
    try:
        for name in NAMES:
            setattr(sys, name, _Open())
        yield
    finally:
        for name, stream in streams.items():
            setattr(sys, name, stream)
        for number, copy in files.items():
            os.dup2(copy, number)
            os.close(copy)


def _is_open(number: int) -> bool:
    with suppress(OSError):
        os.fstat(number)
        return True
    return False
