"""Duels: two kernels timed in turns, in slices so short that thousands fit a second.

A round times both kernels in each mode, in random order, between two calibrations and two canaries;
it is dropped by the rules of `timing`. Rounds go through the places in memory that both kernels are
written to. What counts is the worst place of each: the largest, over places, of the median over
good rounds, latency and throughput multiplied. A duel with few good rounds has no verdict: nobody
wins it.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.language import Expression
from fieldc.machine.code import Code
from fieldc.machine.pages import Copy, OperandMemory, Pages, Timed
from fieldc.machine.results import CANARY_LIMIT, MODES, Mode
from fieldc.machine.timing import CALIBRATION_LIMIT, candidate_of
from fieldc.targets.registry import instruments_here

CALIBRATION_TURNS, CANARY_TURNS, CALLS = 96, 96, 48
FIRST_CANARIES = 200
SLOTS, ROOM = 8, 1 << 15
"""Kernels that are kept in memory, and the largest one with its constants, in bytes."""
FASTER, MOST = 0.9985, 0.7
"""The ratio of a victory at most, and the share of rounds at the worst places to win."""
PATIENCE, REST_SECONDS = 12, 0.02


@dataclass(frozen=True)
class Bout:
    """A good round: the place, and the core cycles of candidate and incumbent.

    The cycles are the geometric mean over the modes.
    """

    place: int
    mine: float
    other: float


@dataclass(frozen=True)
class DuelResult:
    """Of the good rounds: the ratio of the worst places (below 1 the candidate is faster).

    `wins` is the share of rounds that the candidate won at the places where it or the incumbent is
    worst.
    """

    ratio: float
    wins: float
    good: int
    rounds: int

    @property
    def sound(self) -> bool:
        """Whether most rounds were good."""
        return 2 * self.good > self.rounds

    @property
    def won(self) -> bool:
        """Whether the candidate is faster beyond doubt."""
        return self.sound and self.ratio < FASTER and self.wins >= MOST


def verdict(bouts: Sequence[Bout], rounds: int) -> DuelResult:
    """What the good rounds say."""
    if not bouts:
        return DuelResult(math.inf, 0.0, 0, rounds)
    places = {bout.place for bout in bouts}
    mine = {p: statistics.median(b.mine for b in bouts if b.place == p) for p in places}
    other = {p: statistics.median(b.other for b in bouts if b.place == p) for p in places}
    worst = max(mine, key=mine.__getitem__), max(other, key=other.__getitem__)
    counted = [bout.mine < bout.other for bout in bouts if bout.place in worst]
    ratio = mine[worst[0]] / other[worst[1]]
    return DuelResult(ratio, sum(counted) / len(counted), len(bouts), rounds)


class Duels:
    """Where the kernels of one expression meet. Raises TimingError on hosts that cannot time."""

    def __init__(
        self,
        expression: Expression,
        seed: int,
        modes: Sequence[Mode] = MODES,
        hop: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock, self._modes, self._hop = instruments_here().clock(), modes, hop
        self.pages, self._memory = Pages(SLOTS, ROOM), OperandMemory()
        self._draw = random.Random(seed)
        # Once: what latency writes over x is an operand again, and no value changes the time.
        self._memory.write(candidate_of("", Code(b""), expression).image(seed))
        self._canary = self._best_canary()
        self._dropped_in_a_row = self._turn = 0
        self.rounds = self.dropped = 0

    def __call__(self, candidate: Timed, incumbent: Timed, rounds: int) -> DuelResult:
        """The candidate against the incumbent, for some rounds."""
        other = self.pages.copies(incumbent, [candidate])
        mine = self.pages.copies(candidate, [incumbent])
        bouts = [b for b in (self._round(mine, other) for _ in range(rounds)) if b is not None]
        self.rounds += rounds
        self.dropped += rounds - len(bouts)
        result = verdict(bouts, rounds)
        self._rest(result.sound)
        return result

    def _rest(self, sound: bool) -> None:
        """After many duels without a verdict: another processor, and a moment of quiet."""
        self._dropped_in_a_row = 0 if sound else self._dropped_in_a_row + 1
        if self._dropped_in_a_row >= PATIENCE:
            self._dropped_in_a_row = 0
            self._hop()
            time.sleep(REST_SECONDS)

    @property
    def disturbed(self) -> bool:
        """Whether most rounds so far were dropped."""
        return 2 * self.dropped > self.rounds

    def _round(self, mine: Sequence[Copy], other: Sequence[Copy]) -> Bout | None:
        self._turn = (self._turn + 1) % self.pages.placements
        before = self._surroundings()
        logarithms = [0.0, 0.0]
        pair = (mine[self._turn], other[self._turn])
        for mode in self._modes:
            for side in self._draw.sample((0, 1), 2):
                ticks = pair[side].ticks(mode, self._memory.address, CALLS)
                logarithms[side] += math.log(ticks / before[0])
        canary = canary_of(before, self._surroundings())
        if canary > CANARY_LIMIT * self._canary:
            return None
        # Towards a better canary in small steps: one outlier must not spoil all that follow.
        self._canary = min(self._canary, 0.9 * self._canary + 0.1 * canary)
        cycles = [math.exp(total / len(self._modes)) for total in logarithms]
        return Bout(self._turn, *cycles)

    def _best_canary(self) -> float:
        pairs = ((self._surroundings(), self._surroundings()) for _ in range(FIRST_CANARIES))
        return sorted(canary_of(*pair) for pair in pairs)[FIRST_CANARIES // 50]

    def _surroundings(self) -> tuple[float, float]:
        scale = self._clock.calibrate(CALIBRATION_TURNS)
        return scale, self._clock.canary(CANARY_TURNS) / scale


def canary_of(before: tuple[float, float], after: tuple[float, float]) -> float:
    """The worse canary of two surroundings (calibration, canary); infinite if they disagree."""
    one, other = before[0], after[0]
    steady = max(one, other) < CALIBRATION_LIMIT * min(one, other)
    return max(before[1], after[1]) if steady else math.inf
