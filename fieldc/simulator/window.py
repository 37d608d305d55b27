"""How many calls a prediction counts: so many that windows of calls agree on the cycles of one.

A run of equal calls does not repeat itself: small differences in where each micro-operation waits
last for thousands of cycles. So the cycles of a call are a mean over windows, and the spread of
the windows says how well it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, stdev


@dataclass(frozen=True)
class CallWindow:
    """How long a run is. Windows have whole calls, and as many instructions as one says.

    The first window fills the core, and does not count. The run ends when the standard error of
    the mean over the others is within the tolerance, at the latest after `most` of them.
    """

    instructions: int = 3000
    """Five times the largest window of a core."""
    least: int = 4
    most: int = 32
    tolerance: float = 0.003


@dataclass(frozen=True)
class SteadyCycles:
    """The mean cycles of a call, and the standard error of that mean."""

    cycles: float
    error: float
    agreed: bool
    """Whether the error came within the tolerance. If not, the mean is over all windows."""


STEADY = CallWindow()
"""For every figure that is shown, and for what was searched."""
CHOICE = CallWindow(1500, least=2, most=8, tolerance=0.01)
"""For a choice among many kernels: off by 1 % as a rule, and by 3.5 % at the most that was seen."""


def steady_cycles(
    call: Callable[[], int], instructions: int, window: CallWindow = STEADY
) -> SteadyCycles:
    """The cycles of a call of so many instructions; `call` runs one and returns when it ended."""
    calls = max(1, -(-window.instructions // instructions))

    def after_a_window() -> int:
        for _ in range(calls - 1):
            call()
        return call()

    ends, found = [after_a_window()], list[float]()
    while len(found) < window.most:
        ends.append(after_a_window())
        found.append((ends[-1] - ends[-2]) / calls)
        if len(found) < window.least:
            continue
        cycles, error = mean(found), stdev(found) / len(found) ** 0.5
        if error <= window.tolerance * cycles:
            return SteadyCycles(cycles, error, agreed=True)
    return SteadyCycles(cycles, error, agreed=False)
