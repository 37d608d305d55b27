"""The command `fieldc`, also `python -m fieldc`: Ctrl-C is one line however early it comes."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

INTERRUPTED = 130
"""What a shell reports for a program that SIGINT ends."""


def main() -> int:
    """Load the command line and run it."""
    try:
        from fieldc.cli import main as run

        status = run()
    except KeyboardInterrupt:
        print("fieldc: interrupted", file=sys.stderr)
        status = INTERRUPTED
    if status == INTERRUPTED:
        # Pools and compilers that were interrupted may abort while Python ends: do not wait for it.
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
