"""Files that a user names, read up to a limit: a device may have no end."""

from __future__ import annotations

import errno
import json
from pathlib import Path

MOST = 1 << 28
"""The bytes of the longest file that is read."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, also for a file of more than MOST bytes."""
    with path.open("rb") as file:
        content = file.read(MOST + 1)
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


def json_in(text: str) -> object:
    """The value of a text in JSON. Raises ValueError with a reason, RecursionError."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if text.strip() else "it is empty"
        raise ValueError(f"it is not JSON: {at}") from None
    except ValueError:
        raise ValueError("it has a number of too many digits") from None
