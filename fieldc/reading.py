"""Files that a user names, read up to a limit: a device may have no end."""

from __future__ import annotations

import errno
import json
import os
import select
import stat
from pathlib import Path

from fieldc.errors import quote

MOST = 1 << 28
"""The bytes of the longest file that is read."""
PATIENCE = 5.0
"""Seconds in which somebody must begin to write into a pipe."""


def read_up_to(path: str | Path, most: int) -> bytes:
    """At most so many bytes of a file. Raises OSError, also where nobody writes into a pipe."""

    def without_waiting(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    first = b""
    with open(path, "rb", opener=without_waiting) as file:
        handle = file.fileno()
        if hasattr(os, "O_NONBLOCK"):
            if stat.S_ISFIFO(os.fstat(handle).st_mode):
                first = _begun(handle, path)
            os.set_blocking(handle, True)
        return first + file.read(most - len(first))


def _begun(handle: int, path: str | Path) -> bytes:
    """Wait for the writer of a pipe, and return what was read on the way: mostly nothing.

    Raises OSError where there is none.
    """
    if select.select([handle], [], [], PATIENCE)[0]:
        return b""
    try:
        first = os.read(handle, 1)
    except BlockingIOError:
        return b""  # there is a writer, and it is slow
    if not first:
        raise OSError(errno.EPIPE, "nobody writes into this pipe", str(path))
    return first


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, also for a file of more than MOST bytes."""
    content = read_up_to(path, MOST + 1)
    if len(content) > MOST:
        raise OSError(errno.EFBIG, f"it is too long; at most {MOST >> 20} MB are read", str(path))
    return content


def read_text(path: Path) -> str:
    """A file's text in UTF-8, with a byte order mark or without. Raises OSError, NotText."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise NotText(f"it is not text in UTF-8: line {line}") from None


class NotText(ValueError):
    """A file's bytes are no text; the message says where."""


class NamedTwice(ValueError):
    """An object of JSON has a name twice: one of its two values would be forgotten."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise NamedTwice(f"it has the name {quote(name)} twice in one place")
        found[name] = value
    return found


def json_in(text: str) -> object:
    """The value of a text in JSON. Raises ValueError with a reason, RecursionError."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except NamedTwice:
        raise
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if text.strip() else "it is empty"
        raise ValueError(f"it is not JSON: {at}") from None
    except ValueError:
        raise ValueError("it has a number of too many digits") from None
