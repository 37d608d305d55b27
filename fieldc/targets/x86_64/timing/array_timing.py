"""Cycles per element of kernels on arrays, and of a scalar kernel in a loop over arrays.

A slice is some turns over whole arrays, between two calibrations and two canaries as in `timing`.
A turn goes before it that is not timed: the first vectors of 512 bits run slowly, and the arrays
must be in the caches. Arrays lie at different distances from a page's start: processors take a load
for the store of another array if the lowest 12 bits of their addresses agree.
"""

from __future__ import annotations

import ctypes
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from fieldc.machine.assemble import assemble
from fieldc.machine.load import Library, load
from fieldc.machine.processor import brand
from fieldc.machine.results import Slice, Spread, best_canary, spread
from fieldc.machine.timing import CALIBRATION_LIMIT, pinned
from fieldc.targets.x86_64.timing.array_loops import LOOPS, SCALAR, VECTOR
from fieldc.targets.x86_64.timing.clock import TickClock

_HALF_CYCLES = 100_000
_TURNS, _CANARY = 320, 400
_HALVES_LIMIT = 1.05
_PAGE, _LINE = 4096, 64


@dataclass(frozen=True)
class ArrayCandidate:
    """A kernel and its arrays. `step` is the bytes of one element where it takes one a call."""

    label: str
    address: int
    count: int
    result: int
    """Bytes of an array of results."""
    operands: tuple[bytes, ...]
    step: int = 0
    results: int = 1
    """How many arrays of results there are, before those of operands."""


@dataclass(frozen=True)
class ArrayRow:
    """Cycles per element, and how many slices they rest on."""

    cycles: Spread
    accepted: int


@dataclass(frozen=True)
class ArrayRace:
    """The rows of one run by label, and the state of the machine."""

    rows: dict[str, ArrayRow]
    disturbed: bool
    rounds: int
    seed: int
    canary: float
    processor: str

    def calibration(self) -> dict[str, object]:
        """What every figure rests on."""
        return {
            "processor": self.processor,
            "canary": self.canary,
            "disturbed": self.disturbed,
            "rounds": self.rounds,
            "seed": self.seed,
        }


def measure_arrays(
    candidates: Sequence[ArrayCandidate],
    rounds: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> ArrayRace:
    """Time the candidates, each once a round in random order. Raises TimingError."""
    clock, order, slices = TickClock(), random.Random(seed), list[Slice]()
    with pinned() as hop:
        runs = [_Run(candidate, clock) for candidate in candidates]
        for number in range(rounds):
            pieces = [run.slice(number) for run in order.sample(runs, len(runs))]
            slices += pieces
            best = best_canary(slices, float("inf"))
            if 2 * sum(piece.good(best) for piece in pieces) < len(pieces):
                hop()
            if progress:
                progress(number + 1, rounds)
    best = best_canary(slices, float("inf"))
    rows = {c.label: _row(c, [s for s in slices if s.label == c.label], best) for c in candidates}
    few = min(row.accepted for row in rows.values()) < min(3, rounds)
    return ArrayRace(rows, few, rounds, seed, best, brand())


def _row(candidate: ArrayCandidate, slices: Sequence[Slice], best: float) -> ArrayRow:
    good = [piece for piece in slices if piece.good(best)]
    cycles = [piece.cycles / candidate.count for piece in good or slices]
    return ArrayRow(spread(cycles), len(good))


class _Run:
    """One candidate with its memory and the number of turns that fills half a slice."""

    def __init__(self, candidate: ArrayCandidate, clock: TickClock) -> None:
        self.label, self._clock = candidate.label, clock
        lengths = [candidate.result] * candidate.results
        lengths += map(len, candidate.operands)
        room = sum(-(-length // _PAGE) + 2 for length in lengths) * _PAGE
        self._memory = ctypes.create_string_buffer(room)
        base = -(-ctypes.addressof(self._memory) // _PAGE) * _PAGE
        places = []
        for number, length in enumerate(lengths):
            places.append(base + 5 * _LINE * number)
            base += (-(-length // _PAGE) + 1) * _PAGE
        for place, data in zip(places[candidate.results :], candidate.operands, strict=True):
            ctypes.memmove(place, data, len(data))
        places += [0] * (5 - len(places))
        steps = candidate.step
        self._call = (ctypes.c_uint64 * 8)(candidate.address, candidate.count, *places, steps)
        loop = SCALAR if candidate.step else VECTOR
        self._loop = _LOOP(_library().address(loop))
        self._turns = 1
        scale = clock.calibrate(_TURNS)
        cycles = min(self._ticks(1) for _ in range(3)) / scale
        self._turns = max(1, round(_HALF_CYCLES / cycles))

    def _ticks(self, turns: int) -> float:
        return int(self._loop(ctypes.addressof(self._call), turns)) / turns

    def slice(self, number: int) -> Slice:
        """Two halves between calibrations; ticks are those of one turn."""
        self._ticks(1)
        before, first = self._surroundings()
        self._ticks(1)
        halves = [self._ticks(self._turns) for _ in range(2)]
        after, second = self._surroundings()
        scale = min(before, after)
        agree = max(before, after) < CALIBRATION_LIMIT * scale
        steady = agree and max(halves) < _HALVES_LIMIT * min(halves)
        canary = max(first, second) / scale
        ticks = statistics.fmean(halves)
        return Slice(self.label, "throughput", number, ticks, scale, steady, canary)

    def _surroundings(self) -> tuple[float, float]:
        return self._clock.calibrate(_TURNS), self._clock.canary(_CANARY)


_LOOP = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


@cache
def _library() -> Library:
    return load(assemble(LOOPS))
