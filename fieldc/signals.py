"""Signals that ask to end: raised, held back until something is whole, kept from children."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from fieldc.errors import Terminated

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
MOMENT = 0.01
"""Seconds after which a signal comes again that Python dropped."""


def raise_signals() -> None:
    """Raise Terminated where the system asks to end, and again where Python dropped a signal.

    A SIGHUP that is ignored, as under nohup, stays so.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    signal.signal(signal.SIGTERM, end)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, end)
    sys.unraisablehook = _dropped


def _dropped(what: UnraisableHookArgs) -> None:
    """Raise a signal again that came in a destructor or a callback, where Python raises nothing.

    Here it raises nothing either. A signal that comes while its thread begins is sent once more.
    """
    error, moment = what.exc_value, MOMENT
    if not isinstance(error, KeyboardInterrupt):
        sys.__unraisablehook__(what)
        return
    while error is not None:
        try:
            _send_after(moment, getattr(error, "signal", signal.SIGINT))
            error = None
        except KeyboardInterrupt as another:
            error, moment = another, 2 * moment


def _send_after(moment: float, number: int) -> None:
    """Send a signal to the main thread after so many seconds."""
    again = threading.Timer(moment, _send, (number,))
    again.daemon = True
    again.start()


def _send(number: int) -> None:
    """Send a signal to the main thread: it wakes where it waits, if the system can."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


@contextmanager
def blocked_signals() -> Iterator[None]:
    """Keep Ctrl-C and requests to end from processes that begin in the block, where one can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {getattr(signal, name) for name in SIGNALS}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def deferred_signals(hurry: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold back Ctrl-C and requests to end until the block ends; in the main thread only.

    `hurry` is called when one comes: it may make the block end soon, by an error too.
    """
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        hurry()

    held = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        # A handler that was not set from Python cannot be put back: such a signal is not held.
        free = (None, signal.SIG_IGN)
        held = {n: h for n in numbers if (h := signal.getsignal(n)) not in free}
    try:
        for number in held:
            signal.signal(number, note)
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
