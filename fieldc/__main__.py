"""`python -m fieldc` is the command `fieldc`."""

from __future__ import annotations

import sys

from fieldc.cli import main

if __name__ == "__main__":
    sys.exit(main())
