"""What a target brings to time its kernels: a clock, and loops that call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fieldc.errors import UserError
from fieldc.machine.caller import Caller
from fieldc.machine.ring import Layout, OperandMode


class TimingError(UserError):
    """Timing cannot be done here, or a candidate cannot be timed. The message is one line."""


class Clock(Protocol):
    """A counter of constant rate, and two loops that show the state of the processor."""

    @property
    def stretch(self) -> int:
        """Return how many times longer slices are, for a counter that is slow; most often 1."""
        ...

    @property
    def reading(self) -> float:
        """Return the ticks that reading the counter twice takes."""
        ...

    def ticks(self) -> int:
        """Return the counter."""
        ...

    def calibrate(self, count: int) -> float:
        """Return ticks per core cycle, from this many turns of a chain of known latency."""
        ...

    def canary(self, count: int) -> float:
        """Return ticks per turn of a loop that fills every issue slot."""
        ...


def written_at_once(start: int, end: int) -> None:
    """Do nothing: what was written may be run."""


@dataclass(frozen=True)
class Instruments:
    """A target's means to time kernels. The first two raise TimingError."""

    clock: Callable[[], Clock]
    """Makes a clock; an error on other hosts."""
    loops: Callable[[Layout, OperandMode], Caller]
    """Makes the loops for kernels of a layout."""
    written: Callable[[int, int], None] = written_at_once
    """Makes code visible that was written from one address to another."""
