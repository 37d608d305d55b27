"""How the tables of several verbs show figures, and the state of the machine they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fieldc.errors import shorten
from fieldc.lab.findings import figure

if TYPE_CHECKING:
    from fieldc.machine.timing import Spread


def run_state(calibration: Mapping[str, Any]) -> list[tuple[object, ...]]:
    """What the figures of a run rest on."""
    run = calibration
    return [
        ("processor", run["processor"]),
        ("clock", f"core {run['core_ghz']:.2f} GHz, counter {run['tsc_ghz']:.2f} GHz"),
        ("rounds", f"{run['rounds']} interleaved, seed {run['seed']}; ± is half of p10 to p90"),
        ("pairs", f"throughput of independent calls{_operands(run)} | latency of dependent calls"),
        ("verdict", "DISTURBED: no verdict, run again" if run["disturbed"] else "undisturbed"),
    ]


def _operands(run: Mapping[str, Any]) -> str:
    return f", {run['operands']} operands" if "operands" in run else ""


def short(label: str) -> str:
    """A field's label for a title: a long number without its middle."""
    return shorten(label, 24)


def more(worst: Sequence[float], usual: Sequence[float]) -> str:
    """How much more the worst places take than the median place: throughput | latency."""
    return " | ".join(f"{100 * (w / u - 1):+.0f}%" for w, u in zip(worst, usual, strict=True))


def pair(throughput: float, latency: float) -> str:
    """Two figures side by side."""
    return f"{figure(throughput)} | {figure(latency)}"


def spread_percent(spread: Spread) -> float:
    """Half of the distance from the 10th to the 90th percentile, in percent of their middle."""
    return 100 * (spread.high - spread.low) / (spread.high + spread.low)
