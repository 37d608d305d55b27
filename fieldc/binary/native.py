"""LIEF, loaded when it is first used: that takes longer than all the rest of fieldc.

An exception from a signal's handler, while LIEF is loaded, would abort the program.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from fieldc.signals import deferred_signals

if TYPE_CHECKING:
    import lief as lief
else:

    class _LoadedLate:
        """LIEF's module; each name is looked up there once."""

        def __getattr__(self, name):
            with deferred_signals():
                import lief
            self.__dict__[name] = getattr(lief, name)
            return self.__dict__[name]

    lief = _LoadedLate()


class Named(Protocol):
    """A symbol, section or function of LIEF. Its name is bytes where those are no UTF-8."""

    @property
    def name(self) -> str | bytes: ...


def name_of(named: Named) -> str:
    """The name of a symbol or a section, with bytes that are no UTF-8 written out: `\\xff`."""
    name = named.name
    return name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name


@contextmanager
def quiet() -> Iterator[None]:
    """Let LIEF print nothing: no log, no warning of a number that it has no name for."""
    lief.logging.disable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
