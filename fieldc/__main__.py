"""The command `fieldc`, also `python -m fieldc`: Ctrl-C is one line however early it comes."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from fieldc.errors import Terminated, interruption

INTERRUPTED, TERMINATED = 130, 143
"""What a shell reports for a program that SIGINT or SIGTERM ends."""


def end(number: int, frame: FrameType | None) -> None:
    """Raise what ends the program, so that temporary files are removed."""
    raise Terminated


def main() -> int:
    """Load the command line and run it."""
    signal.signal(signal.SIGTERM, end)
    try:
        from fieldc.cli import main as run

        status = run()
    except BaseException as error:
        if interruption(error) is None:
            raise
        print("fieldc: interrupted", file=sys.stderr)
        status = INTERRUPTED
    if status in (INTERRUPTED, TERMINATED):
        # Pools and compilers that were interrupted may abort while Python ends: do not wait for it.
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
