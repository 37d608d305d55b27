"""LIEF. An exception from a signal's handler, while LIEF is loaded, would abort the program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from fieldc.signals import deferred_signals

with deferred_signals():
    import lief as lief


@contextmanager
def quiet() -> Iterator[None]:
    """Let LIEF print nothing: no log, no warning of a number that it has no name for."""
    lief.logging.disable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
