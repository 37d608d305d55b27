"""Files that a user names, read up to a limit: a device may have no end."""

from __future__ import annotations

import errno
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
    """A file's text in UTF-8, with a byte order mark or without. Raises OSError, ValueError."""
    return read_bytes(path).decode("utf-8-sig")
