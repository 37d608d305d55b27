"""LIEF. An exception from a signal's handler, while LIEF is loaded, would abort the program."""

from __future__ import annotations

from fieldc.signals import deferred_signals

with deferred_signals():
    import lief as lief
