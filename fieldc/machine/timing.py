"""Races between kernels on a noisy shared machine: cycles per call that can be trusted.

A round gives every candidate one slice of latency and one of throughput, in random order. A slice
is about 40 microseconds of calls, in two halves, between two calibrations (ticks per core cycle)
and two canaries (a loop that fills every issue slot). It is dropped where a canary is more than
10 % above the run's best (a busy sibling hyper-thread, outside load), where the calibrations
disagree by 3 % (a change of frequency, an interrupt) or the halves by 10 % (preemption). Reported
are medians over accepted slices, and medians of per-round ratios. Call and loop overhead is
included everywhere (see the target's loops).

Each kernel is written at several places in memory (see `pages`). Every round runs another copy, of
all candidates the same one, so a figure is a median over places, and the worst place is known.
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
from fieldc.machine.caller import Caller
from fieldc.machine.code import Code
from fieldc.machine.instruments import Instruments, TimingError
from fieldc.machine.pages import Copy, OperandMemory, Pages
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
from fieldc.machine.ring import OPERANDS, RING, Layout, OperandMode

__all__ = [
    "MODES",
    "OPERANDS",
    "Mode",
    "OperandMode",
    "PythonCandidate",
    "Race",
    "Slice",
    "Spread",
    "TimedKernel",
    "Timing",
    "TimingError",
    "measure",
]

HALF_CYCLES = 60_000
CALIBRATION_TURNS = 320
CANARY_TURNS = 400
CALIBRATION_LIMIT = 1.03
HALVES_LIMIT = 1.10
_PILOT_CALLS = 16
MAX_LIMBS = 96
"""Longest operand or result, in 64-bit limbs."""


@dataclass(frozen=True)
class TimedKernel:
    """A kernel `void (z[layout.result], x[layout.operands[0]], ...)`, with 64-bit limbs.

    An operand is one value or several of the same length side by side; they are drawn below their
    `bounds`, and the same seed and bounds give the same inputs. `caller` is what calls it, if that
    is not the target's loops for its layout.
    """

    label: str
    code: Code
    layout: Layout
    bounds: tuple[tuple[int, ...], ...]
    caller: Caller | None = None

    def __post_init__(self) -> None:
        widths = self.layout.operands
        if not widths or len(self.bounds) != len(widths):
            raise TimingError(f"{self.label}: a kernel is timed with a bound for each operand")
        if max(self.layout.result, *widths) > MAX_LIMBS:
            raise TimingError(f"{self.label}: operands of up to {MAX_LIMBS} limbs can be timed")
        for bounds, width in zip(self.bounds, widths, strict=True):
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
            for bounds, width in zip(self.bounds, self.layout.operands, strict=True)
        )

    def image(self, seed: int) -> bytes:
        """The ring of operands for a seed, as memory."""
        return self.layout.image([self.inputs(seed + number) for number in range(RING)])


@dataclass(frozen=True)
class PythonCandidate:
    """A Python callable in the same rounds, timed by perf_counter_ns, its own loop included.

    Latency and throughput are two measurements of the same calls.
    """

    label: str
    call: Callable[[], object]


Racer = TimedKernel | PythonCandidate


def measure(
    candidates: Sequence[Racer],
    *,
    instruments: Instruments,
    rounds: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    canary: float = math.inf,
    operands: OperandMode = "moving",
) -> Race:
    """Race the candidates for `rounds` rounds, about 0.2 ms each per candidate.

    `progress(done, rounds)` is called after each round. `canary` is the best one of an earlier
    race on this processor, `operands` says what throughput means. Raises TimingError where the
    instruments do not run, without candidates or rounds, and for labels that repeat.
    """
    labels = [candidate.label for candidate in candidates]
    if not labels or rounds < 1 or len(set(labels)) < len(labels):
        raise TimingError("a race needs candidates with distinct labels and at least one round")
    track = Track(candidates, instruments, seed, canary, operands)
    with pinned() as hop:
        track.set_pace()
        for number in range(rounds):
            if not track.run_round(number):
                hop()
            if progress:
                progress(number + 1, rounds)
    return track.finish(labels, rounds)


@dataclass(frozen=True)
class _Entrant:
    """A kernel in its places, with the memory that it starts from."""

    label: str
    copies: Sequence[Copy]
    image: bytes


@dataclass(frozen=True)
class TimedMode:
    """One mode of a candidate, with the number of calls that fills half a slice."""

    mode: Mode
    runner: _Entrant | PythonCandidate
    calls: int = _PILOT_CALLS


class Track:
    """The running state of a race: lanes, random order, slices so far, the clock."""

    def __init__(
        self,
        candidates: Sequence[Racer],
        instruments: Instruments,
        seed: int,
        canary: float,
        operands: OperandMode,
    ) -> None:
        self.clock, self.loops = instruments.clock(), instruments.loops
        self.seed, self.operands = seed, operands
        self.known = self.lowest = canary
        self.order = random.Random(seed)
        self.memory = OperandMemory()
        self.slices: list[Slice] = []
        kernels = [c for c in candidates if isinstance(c, TimedKernel)]
        room = max((len(c.code.data) for c in kernels), default=0)
        self.pages = Pages(max(1, len(kernels)), room, show=instruments.written)
        self.runners = [self._entrant(c) if isinstance(c, TimedKernel) else c for c in candidates]
        self.lanes: list[TimedMode] = []
        self.started = (self.clock.ticks(), time.perf_counter_ns())

    def _entrant(self, candidate: TimedKernel) -> _Entrant:
        caller = candidate.caller or self.loops(candidate.layout, self.operands)
        copies = self.pages.copies((caller, candidate.code))
        return _Entrant(candidate.label, copies, candidate.image(self.seed))

    def set_pace(self) -> None:
        """Make the lanes, each as long as half a slice."""
        for runner in self.runners:
            for mode in MODES:
                pilot = TimedMode(mode, runner, _PILOT_CALLS * self.clock.stretch)
                ticks = min(self._ticks(pilot, 0) for _ in range(3))
                cycles = ticks / self.clock.calibrate(CALIBRATION_TURNS)
                calls = max(1, round(HALF_CYCLES * self.clock.stretch / cycles))
                self.lanes.append(TimedMode(mode, runner, calls))

    def run_round(self, number: int) -> bool:
        """Run one slice of every mode, in random order. Return whether most were good so far."""
        lanes = self.order.sample(self.lanes, len(self.lanes))
        pieces = [self._slice(number, lane) for lane in lanes]
        self.slices += pieces
        self.lowest = min([self.lowest, *(piece.canary for piece in pieces if piece.steady)])
        return 2 * sum(piece.good(self.lowest) for piece in pieces) >= len(pieces)

    def finish(self, labels: Sequence[str], rounds: int) -> Race:
        """The race's result."""
        ghz = self._tsc_ghz()
        best = best_canary(self.slices, self.known)
        good = [piece for piece in self.slices if piece.good(best)]
        native = [runner.label for runner in self.runners if isinstance(runner, _Entrant)]
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
            operands=self.operands,
        )

    def _slice(self, number: int, lane: TimedMode) -> Slice:
        runner = lane.runner
        placement = number % len(runner.copies) if isinstance(runner, _Entrant) else 0
        before, first = self._surroundings()
        halves = [self._ticks(lane, placement) for _ in range(2)]
        after, second = self._surroundings()
        scale = min(before, after)
        agree = max(before, after) < CALIBRATION_LIMIT * scale
        steady = agree and max(halves) < HALVES_LIMIT * min(halves)
        canary = max(first, second) / scale
        ticks = sum(halves) / 2
        return Slice(runner.label, lane.mode, number, ticks, scale, steady, canary, placement)

    def _surroundings(self) -> tuple[float, float]:
        return self.clock.calibrate(CALIBRATION_TURNS), self.clock.canary(CANARY_TURNS)

    def _ticks(self, lane: TimedMode, placement: int) -> float:
        runner = lane.runner
        if isinstance(runner, PythonCandidate):
            return _python_ns(runner.call, lane.calls) * self._tsc_ghz()
        self.memory.write(runner.image)
        return runner.copies[placement].ticks(lane.mode, self.memory.address, lane.calls)

    def _tsc_ghz(self) -> float:
        ticks, ns = self.started
        return (self.clock.ticks() - ticks) / max(1, time.perf_counter_ns() - ns)


def _python_ns(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count


def candidate_of(
    label: str, code: Code, expression: Expression, caller: Caller | None = None
) -> TimedKernel:
    """A kernel of an expression."""
    f, ranges = expression.field, [bound for _, bound in expression.kernel.operands]
    bounds = tuple((bound.high(f) + 1,) * bound.count for bound in ranges)
    return TimedKernel(label, code, layout_of(expression), bounds, caller)


def layout_of(expression: Expression) -> Layout:
    """The lengths of a kernel's result and operands."""
    f = expression.field
    widths = tuple(bound.width(f) for _, bound in expression.kernel.operands)
    return Layout(expression.kernel.result.width(f), widths)


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
