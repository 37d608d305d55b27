"""What a race measured: slices, spreads, rows and ratios. Plain data, no clock in here."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["latency", "throughput"]
MODES: tuple[Mode, ...] = ("latency", "throughput")

CANARY_LIMIT = 1.10
"""A slice is dropped if its canary exceeds the run's best by more than this factor."""
FEWEST = 3
"""Fewest good slices that a figure of an undisturbed race rests on."""


@dataclass(frozen=True)
class Slice:
    """One measured slice: ticks per call, and the state of the machine around it.

    `steady` says that the calibrations before and after agree, and the halves of the slice;
    `canary` is the worse of two, in cycles per turn. `placement` is the number of the copy that
    ran.
    """

    label: str
    mode: Mode
    round: int
    ticks: float
    ticks_per_cycle: float
    steady: bool
    canary: float
    placement: int = 0

    @property
    def cycles(self) -> float:
        """Core cycles per call."""
        return self.ticks / self.ticks_per_cycle

    def good(self, best: float) -> bool:
        """Whether the slice is accepted in a run whose best canary is `best`."""
        return self.steady and self.canary <= CANARY_LIMIT * best


@dataclass(frozen=True)
class Spread:
    """Median, 10th and 90th percentile. The 10th is the cross-check of the median."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Timing:
    """One candidate's row: core cycles and nanoseconds per call; slices accepted and dropped.

    Each copy of a kernel has a median. The figures' medians are those of the copies' medians; the
    worst is the largest of them, in core cycles.
    """

    label: str
    latency: Spread
    throughput: Spread
    latency_ns: Spread
    throughput_ns: Spread
    latency_worst: float
    throughput_worst: float
    placements: int
    """How many copies the figures rest on, in the mode that has fewer."""
    accepted: int
    dropped: int


@dataclass(frozen=True)
class Race:
    """The result of one run.

    `canary` is the best canary in cycles per turn: hand it to later races, so that a run that is
    disturbed from end to end is noticed. `disturbed` says that most slices were bad, or that a
    row of machine code had too few good ones: print no verdict. A row in Python is unsteady on any
    machine and does not decide; where it has no good slice, its figures come from all of them.
    """

    rows: list[Timing]
    slices: list[Slice]
    ticks_per_cycle: float
    tsc_ghz: float
    core_ghz: float
    canary: float
    disturbed: bool
    processor: str
    rounds: int
    seed: int
    operands: str = "moving"
    """What throughput means: see `loops`."""

    def calibration(self) -> dict[str, object]:
        """What every figure rests on."""
        return {
            "processor": self.processor,
            "ticks_per_cycle": self.ticks_per_cycle,
            "tsc_ghz": self.tsc_ghz,
            "core_ghz": self.core_ghz,
            "canary": self.canary,
            "disturbed": self.disturbed,
            "rounds": self.rounds,
            "seed": self.seed,
            "operands": self.operands,
        }

    def row(self, label: str) -> Timing:
        """Return the row with this label. Raises KeyError if there is none."""
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(label)

    def ratio(self, label: str, reference: str, mode: Mode) -> float:
        """Median over rounds of label's cycles by reference's; below 1 the label is faster.

        Only rounds where both were accepted count; where those are too few, all rounds do.
        Raises KeyError for a label that did not run.
        """
        pieces = {(piece.label, piece.round): piece for piece in self.slices if piece.mode == mode}
        pairs = [(pieces[label, n], pieces[reference, n]) for n in range(self.rounds)]
        good = [(a, b) for a, b in pairs if a.good(self.canary) and b.good(self.canary)]
        chosen = good if len(good) >= FEWEST else pairs
        return statistics.median(a.cycles / b.cycles for a, b in chosen)


def best_canary(slices: Sequence[Slice], known: float) -> float:
    """The run's best canary: 2 % of steady slices are lower; or the one `known` before."""
    canaries = sorted(piece.canary for piece in slices if piece.steady)
    return min(known, canaries[len(canaries) // 50]) if canaries else known


def starved(labels: Sequence[str], good: Sequence[Slice], rounds: int) -> bool:
    """Whether some figure of these would rest on too few good slices."""
    counts = dict.fromkeys(((label, mode) for label in labels for mode in MODES), 0)
    for piece in good:
        if (piece.label, piece.mode) in counts:
            counts[piece.label, piece.mode] += 1
    return min(counts.values(), default=rounds) < min(FEWEST, rounds)


def summarise(label: str, slices: Sequence[Slice], best: float, tsc_ghz: float) -> Timing:
    """The row of one candidate, from its good slices; from all of a mode that has none."""
    mine = [piece for piece in slices if piece.label == label]
    cycles: dict[Mode, Spread] = {}
    nanoseconds: dict[Mode, Spread] = {}
    medians: dict[Mode, list[float]] = {}
    for mode in MODES:
        every = [piece for piece in mine if piece.mode == mode]
        chosen = [piece for piece in every if piece.good(best)] or every
        copies = [[p for p in chosen if p.placement == n] for n in {p.placement for p in chosen}]
        cycles[mode] = _over([[piece.cycles for piece in copy] for copy in copies])
        nanoseconds[mode] = _over([[piece.ticks / tsc_ghz for piece in copy] for copy in copies])
        medians[mode] = [statistics.median(piece.cycles for piece in copy) for copy in copies]
    accepted = sum(piece.good(best) for piece in mine)
    return Timing(
        label=label,
        latency=cycles["latency"],
        throughput=cycles["throughput"],
        latency_ns=nanoseconds["latency"],
        throughput_ns=nanoseconds["throughput"],
        latency_worst=max(medians["latency"]),
        throughput_worst=max(medians["throughput"]),
        placements=min(map(len, medians.values())),
        accepted=accepted,
        dropped=len(mine) - accepted,
    )


def _over(copies: Sequence[Sequence[float]]) -> Spread:
    """The median of the copies' medians, and the 10th and 90th percentile of all values."""
    every = spread([value for values in copies for value in values])
    return Spread(statistics.median(map(statistics.median, copies)), every.low, every.high)


def spread(values: Sequence[float]) -> Spread:
    """Median, 10th and 90th percentile of at least one value."""
    ordered = sorted(values)
    low, high = (ordered[round((len(ordered) - 1) * share)] for share in (0.1, 0.9))
    return Spread(statistics.median(ordered), low, high)
