"""Local search that noise cannot lead upwards. No clock in here: duels and time are given.

A candidate that looks faster in a short duel must win a long one before it becomes the incumbent.
Accepting what looks lower drifts upwards all the same, so every few acceptances the incumbent meets
the best kernel so far in a longer duel still: it becomes the best, or the search rolls back to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from fieldc.tune.duel import DuelResult

State = TypeVar("State")
GLANCE, LOOK, CONFIRM, SETTLE = 1, 4, 48, 160
"""Rounds of two first looks, of the duel before acceptance, and of the one with the best so far."""
FIRST, SECOND = 1.0, 0.997
"""Ratios at a glance and at a look, at most."""
SETTLE_TRIES = 3
"""Duels with the best so far, where the machine is disturbed, before the search rolls back."""
ACCEPTANCES = 6
"""Between two duels with the best so far."""


class Search(Generic[State]):
    """Hill climbing from a start. `duel(candidate, incumbent, rounds)` times a pair.

    `right(candidate)` checks it before it is timed for the first time; None from `propose` is a
    proposal that came to nothing.
    """

    def __init__(
        self,
        start: State,
        propose: Callable[[State], State | None],
        duel: Callable[[State, State, int], DuelResult],
        right: Callable[[State], bool],
    ) -> None:
        self.best = self.incumbent = start
        self.tried = self.accepted = self.rolled_back = self.disturbed = 0
        self.idle = 0
        """Attempts with a verdict since the last acceptance."""
        self._since_settled = 0
        self._propose, self._duel, self._right = propose, duel, right

    def run(self, more: Callable[[], bool], patience: int) -> State:
        """Search while there is `more` time and an acceptance in `patience` tries; the best."""
        while self.idle < patience and more():
            self.step()
        self.settle()
        return self.best

    def step(self) -> None:
        """Try one proposal."""
        self.idle += 1
        candidate = self._propose(self.incumbent)
        if candidate is None or not self._right(candidate):
            return
        self.tried += 1
        if not self._faster(candidate):
            return
        self.incumbent, self.idle = candidate, 0
        self.accepted += 1
        self._since_settled += 1
        if self._since_settled >= ACCEPTANCES:
            self.settle()

    def _faster(self, candidate: State) -> bool:
        for rounds, limit in ((GLANCE, FIRST), (LOOK, SECOND)):
            look = self._sound(candidate, self.incumbent, rounds)
            if look is None or look.ratio > limit:
                return False
        duel = self._sound(candidate, self.incumbent, CONFIRM)
        return duel is not None and duel.won

    def settle(self) -> None:
        """The incumbent becomes the best if it beats it; without a win, back to the best."""
        if not self._since_settled:
            return
        self._since_settled = 0
        duels = (self._sound(self.incumbent, self.best, SETTLE) for _ in range(SETTLE_TRIES))
        duel = next((each for each in duels if each is not None), None)
        if duel is not None and duel.won:
            self.best = self.incumbent
        else:
            self.incumbent = self.best
            self.rolled_back += 1

    def _sound(self, candidate: State, incumbent: State, rounds: int) -> DuelResult | None:
        duel = self._duel(candidate, incumbent, rounds)
        if duel.sound:
            return duel
        self.disturbed += 1
        self.idle -= 1  # nothing was learned
        return None
