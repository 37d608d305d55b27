"""Duels: two kernels timed in turns, in slices so short that thousands fit a second.

A round times both kernels in each mode, in random order, between two calibrations and two canaries;
it is dropped by the rules of `timing`. What counts is the median over good rounds of the ratio of
candidate to incumbent, latency and throughput multiplied. A duel with few good rounds has no
verdict: nobody wins it.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.language import Expression
from fieldc.machine.loops import Loops
from fieldc.machine.pages import Pages
from fieldc.machine.results import CANARY_LIMIT, MODES, Mode
from fieldc.machine.timing import CALIBRATION_LIMIT, candidate_of

CALIBRATION_TURNS, CANARY_TURNS, CALLS = 96, 96, 48
FIRST_CANARIES = 200
FASTER, MOST = 0.9985, 0.7
"""The ratio of a victory at most, and the share of rounds to win."""
PATIENCE, REST_SECONDS = 12, 0.02


@dataclass(frozen=True)
class Verdict:
    """Of the good rounds: the median ratio (below 1 the candidate is faster) and share of wins."""

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


def verdict(ratios: Sequence[float], rounds: int) -> Verdict:
    """What the ratios of the good rounds say."""
    if not ratios:
        return Verdict(math.inf, 0.0, 0, rounds)
    wins = sum(ratio < 1 for ratio in ratios) / len(ratios)
    return Verdict(statistics.median(ratios), wins, len(ratios), rounds)


class Duels:
    """Where the kernels of one expression meet. Raises TimingError on hosts that cannot time."""

    def __init__(
        self,
        expression: Expression,
        seed: int,
        modes: Sequence[Mode] = MODES,
        hop: Callable[[], None] = lambda: None,
        loops: Loops | None = None,
    ) -> None:
        self._loops, self._modes, self._hop = loops or Loops(), modes, hop
        self.pages = Pages()
        self._draw = random.Random(seed)
        shape = candidate_of("", 0, expression)
        # Once: what latency writes over x is an operand again, and no value changes the time.
        self._loops.store(shape.inputs(seed), shape.operand_limbs)
        self._canary = self._best_canary()
        self._dropped_in_a_row = 0
        self.rounds = self.dropped = 0

    def __call__(self, candidate: bytes, incumbent: bytes, rounds: int) -> Verdict:
        """The candidate against the incumbent, for some rounds."""
        other = self.pages.address(incumbent, candidate)
        mine = self.pages.address(candidate, incumbent)
        ratios = [r for r in (self._round(mine, other) for _ in range(rounds)) if r is not None]
        self.rounds += rounds
        self.dropped += rounds - len(ratios)
        result = verdict(ratios, rounds)
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

    def _round(self, mine: int, other: int) -> float | None:
        before = self._surroundings()
        total = 0.0
        for mode in self._modes:
            pair = (mine, other) if self._draw.random() < 0.5 else (other, mine)
            ticks = {kernel: self._ticks(kernel, mode) for kernel in pair}
            total += math.log(ticks[mine] / ticks[other])
        canary = canary_of(before, self._surroundings())
        if canary > CANARY_LIMIT * self._canary:
            return None
        # Towards a better canary in small steps: one outlier must not spoil all that follow.
        self._canary = min(self._canary, 0.9 * self._canary + 0.1 * canary)
        return math.exp(total / len(self._modes))

    def _ticks(self, kernel: int, mode: Mode) -> float:
        loop = self._loops.latency if mode == "latency" else self._loops.throughput
        return loop(kernel, CALLS)

    def _best_canary(self) -> float:
        pairs = ((self._surroundings(), self._surroundings()) for _ in range(FIRST_CANARIES))
        return sorted(canary_of(*pair) for pair in pairs)[FIRST_CANARIES // 50]

    def _surroundings(self) -> tuple[float, float]:
        scale = self._loops.calibrate(CALIBRATION_TURNS)
        return scale, self._loops.canary(CANARY_TURNS) / scale


def canary_of(before: tuple[float, float], after: tuple[float, float]) -> float:
    """The worse canary of two surroundings (calibration, canary); infinite if they disagree."""
    one, other = before[0], after[0]
    steady = max(one, other) < CALIBRATION_LIMIT * min(one, other)
    return max(before[1], after[1]) if steady else math.inf
