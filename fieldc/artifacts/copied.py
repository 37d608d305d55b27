"""Keeps a worker silent that begins when its command has ended.

Such a worker lacks what it needs, and Python would print a traceback. The process that workers are
copied from loads this first.
"""

from __future__ import annotations

import sys
from types import TracebackType


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print why a copy could not begin, unless the command that asked for it is gone."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = str(trace.tb_frame.f_globals.get("__name__")) if trace else ""
    if not (isinstance(error, EOFError | OSError) and place.startswith("multiprocessing.")):
        sys.__excepthook__(kind, error, error.__traceback__)


sys.excepthook = tell
