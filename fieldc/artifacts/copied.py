"""What the process that workers are copies of imports first: no copy that comes too late is heard.

A copy that begins while the command ends lacks what it needs; Python would print a traceback.
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
