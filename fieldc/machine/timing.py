"""Races between kernels on a noisy shared machine: cycles per call that can be trusted.

A round gives every candidate one slice of latency and one of throughput, in random order. A slice
is about 40 microseconds of calls, in two halves, between two calibrations (ticks per core cycle)
and two canaries (a loop that fills every issue slot). It is dropped where a canary is more than
10 % above the run's best (a busy sibling hyper-thread, outside load), where the calibrations
disagree by 3 % (a change of frequency, an interrupt) or the halves by 10 % (preemption). Reported
are medians over accepted slices, and medians of per-round ratios. Call and loop overhead is
included everywhere (see `loops`).
"""

from __future__ import annotations

import math
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from fieldc.language import Expression
from fieldc.machine.loops import MAX_LIMBS, Loops, TimingError
from fieldc.machine.processor import brand
from fieldc.machine.results import (
    MODES,
    Mode,
    Race,
    Slice,
    Spread,
    Timing,
    best_canary,
    starved,
    summarise,
)

__all__ = [
    "MODES",
    "Candidate",
    "Mode",
    "PythonCandidate",
    "Race",
    "Slice",
    "Spread",
    "Timing",
    "TimingError",
    "measure",
]

_HALF_CYCLES = 60_000
_CALIBRATION_TURNS = 320
_CANARY_TURNS = 400
CALIBRATION_LIMIT = 1.03
_HALVES_LIMIT = 1.10
_PILOT_CALLS = 16


@dataclass(frozen=True)
class Candidate:
    """A loaded System V kernel: `void (z[limbs], x[operand_limbs[0]], y[operand_limbs[1]])`.

    Limbs have 64 bits. An operand is one value or several of the same length side by side; they are
    drawn below their `bounds`, and the same seed and bounds give the same inputs. `held` is
    whatever keeps the address valid (its Library).
    """

    label: str
    address: int
    limbs: int
    operand_limbs: tuple[int, ...]
    bounds: tuple[tuple[int, ...], ...]
    held: object = None

    def __post_init__(self) -> None:
        if len(self.operand_limbs) not in (1, 2) or len(self.bounds) != len(self.operand_limbs):
            raise TimingError(f"{self.label}: 1 or 2 operands can be timed, with a bound for each")
        if max(self.limbs, *self.operand_limbs) > MAX_LIMBS:
            raise TimingError(f"{self.label}: operands of up to {MAX_LIMBS} limbs can be timed")
        for bounds, width in zip(self.bounds, self.operand_limbs, strict=True):
            limbs = width // len(bounds)
            for bound in bounds:
                if not 0 < bound <= 1 << 64 * limbs:
                    text = f"the bound {bound:#x} does not fit {limbs} limbs"
                    raise TimingError(f"{self.label}: {text}")

    def inputs(self, seed: int) -> tuple[int, ...]:
        """The operands for a seed, each value below its bound."""
        draw = random.Random(seed)
        return tuple(
            sum(draw.randrange(b) << 64 * (width // len(bounds)) * i for i, b in enumerate(bounds))
            for bounds, width in zip(self.bounds, self.operand_limbs, strict=True)
        )


@dataclass(frozen=True)
class PythonCandidate:
    """A Python callable in the same rounds, timed by perf_counter_ns, its own loop included.

    Latency and throughput are two measurements of the same calls.
    """

    label: str
    call: Callable[[], object]


Runner = Candidate | PythonCandidate


def measure(
    candidates: Sequence[Runner],
    *,
    rounds: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    canary: float = math.inf,
    loops: Loops | None = None,
) -> Race:
    """Race the candidates for `rounds` rounds, about 0.2 ms each per candidate.

    `progress(done, rounds)` is called after each round. `canary` is the best one of an earlier
    race on this processor, `loops` are those that run the candidates. Raises TimingError on hosts
    that are not System V x86-64, without candidates or rounds, and for labels that repeat.
    """
    labels = [candidate.label for candidate in candidates]
    if not labels or rounds < 1 or len(set(labels)) < len(labels):
        raise TimingError("a race needs candidates with distinct labels and at least one round")
    track = _Track(loops or Loops(), seed, canary)
    with pinned() as hop:
        for candidate in candidates:
            track.enter(candidate)
        for number in range(rounds):
            if not track.run_round(number):
                hop()
            if progress:
                progress(number + 1, rounds)
    return track.finish(labels, rounds)


class _Track:
    """The running state of a race: slice lengths, random order, slices so far, the clock."""

    def __init__(self, loops: Loops, seed: int, canary: float) -> None:
        self.loops = loops
        self.seed = seed
        self.known = canary
        self.lowest = canary
        self.order = random.Random(seed)
        self.lanes: list[tuple[Mode, Runner, int]] = []
        self.slices: list[Slice] = []
        self.started = (loops.ticks(), time.perf_counter_ns())

    def enter(self, candidate: Runner) -> None:
        """Add a candidate's lanes, with the number of calls that fills half a slice."""
        for mode in MODES:
            ticks = min(self._ticks(candidate, mode, _PILOT_CALLS) for _ in range(3))
            cycles = ticks / self.loops.calibrate(_CALIBRATION_TURNS)
            self.lanes.append((mode, candidate, max(1, round(_HALF_CYCLES / cycles))))

    def run_round(self, number: int) -> bool:
        """One slice of every lane, in random order; whether most were good by what is known."""
        lanes = self.order.sample(self.lanes, len(self.lanes))
        pieces = [self._slice(number, *lane) for lane in lanes]
        self.slices += pieces
        self.lowest = min([self.lowest, *(piece.canary for piece in pieces if piece.steady)])
        return 2 * sum(piece.good(self.lowest) for piece in pieces) >= len(pieces)

    def finish(self, labels: Sequence[str], rounds: int) -> Race:
        """The race's result."""
        ghz = self._tsc_ghz()
        best = best_canary(self.slices, self.known)
        good = [piece for piece in self.slices if piece.good(best)]
        native = [runner.label for _, runner, _ in self.lanes if isinstance(runner, Candidate)]
        scale = statistics.median(piece.ticks_per_cycle for piece in good or self.slices)
        return Race(
            rows=[summarise(label, self.slices, best, ghz) for label in labels],
            slices=self.slices,
            ticks_per_cycle=scale,
            tsc_ghz=ghz,
            core_ghz=ghz / scale,
            canary=best,
            disturbed=starved(native, good, rounds) or 2 * len(good) < len(self.slices),
            processor=brand(),
            rounds=rounds,
            seed=self.seed,
        )

    def _slice(self, number: int, mode: Mode, candidate: Runner, count: int) -> Slice:
        before, first = self._surroundings()
        halves = [self._ticks(candidate, mode, count) for _ in range(2)]
        after, second = self._surroundings()
        scale = min(before, after)
        steady = max(before, after) < CALIBRATION_LIMIT * scale and max(
            halves
        ) < _HALVES_LIMIT * min(halves)
        canary = max(first, second) / scale
        return Slice(candidate.label, mode, number, sum(halves) / 2, scale, steady, canary)

    def _surroundings(self) -> tuple[float, float]:
        return self.loops.calibrate(_CALIBRATION_TURNS), self.loops.canary(_CANARY_TURNS)

    def _ticks(self, candidate: Runner, mode: Mode, count: int) -> float:
        if isinstance(candidate, PythonCandidate):
            return _python_ns(candidate.call, count) * self._tsc_ghz()
        self.loops.store(candidate.inputs(self.seed), candidate.operand_limbs)
        loop = self.loops.latency if mode == "latency" else self.loops.throughput
        return loop(candidate.address, count)

    def _tsc_ghz(self) -> float:
        ticks, ns = self.started
        return (self.loops.ticks() - ticks) / max(1, time.perf_counter_ns() - ns)


def _python_ns(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count


def candidate_of(
    label: str, address: int, expression: Expression, held: object = None
) -> Candidate:
    """A kernel of an expression that is loaded at an address."""
    f, ranges = expression.field, [bound for _, bound in expression.kernel.operands]
    widths = tuple(bound.width(f) for bound in ranges)
    bounds = tuple((bound.high(f) + 1,) * bound.count for bound in ranges)
    return Candidate(label, address, expression.kernel.result.width(f), widths, bounds, held)


@contextmanager
def pinned() -> Iterator[Callable[[], None]]:
    """Stay on one processor; the yielded function moves on to the next allowed one."""
    if not hasattr(os, "sched_setaffinity"):
        yield lambda: None
        return
    allowed = os.sched_getaffinity(0)
    ring = sorted(allowed)

    def hop() -> None:
        ring.append(ring.pop(0))
        with suppress(OSError):
            os.sched_setaffinity(0, {ring[0]})

    try:
        hop()
        yield hop
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, allowed)
