"""Signals that wait until something is whole: a folder, or a module of native code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Hold back Ctrl-C and requests to end until the block ends; in the main thread only."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    held = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        # A handler that was not set from Python cannot be put back: such a signal is not held.
        held = {n: h for n in numbers if (h := signal.getsignal(n)) is not None}
    try:
        for number in held:
            signal.signal(number, note)
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
