"""Searches for an order of AArch64 instructions by the simulator: a walk with a seed.

An instruction at a time moves to another place between what it needs and what needs it. What takes
more cycles is kept for a while, less and less so. Nothing is measured, so the same seed finds the
same order on any machine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fieldc.counting.count import counted
from fieldc.counting.decode import decode
from fieldc.counting.instructions import DecodedInstruction
from fieldc.machine.processors import Processor
from fieldc.simulator.predict import predict, predict_throughput
from fieldc.simulator.window import CallWindow
from fieldc.targets.aarch64.allocate import allocated
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.permute import needs
from fieldc.targets.aarch64.virtual import TABLE_LABEL, ArmCode, Selected

ARCHITECTURE = "aarch64"
HEAT = 0.4
"""Cycles more that are often accepted in the beginning."""
FAR, NEAR = 40, 6
"""Places that a move goes at most: a quarter of the moves, and the others."""
LONG_RUN = CallWindow(least=30, most=30)
"""What a walk is judged by. A short run has luck of several per cent, which a walk would find."""
PER_INSTRUCTION = 0.01
"""Cycles that an instruction more counts as: what moves a word to the stack has its price."""


@dataclass
class Judged:
    """How an order of one kernel is judged."""

    chosen: Selected
    code: Sequence[ArmCode]
    processor: Processor
    decoded: dict[str, DecodedInstruction] = field(default_factory=dict)
    """Each line that was met."""

    def lines(self, order: Sequence[int]) -> tuple[DecodedInstruction, ...]:
        """The finished instructions, decoded."""
        made = allocated(self.chosen, [self.code[place] for place in order])
        return tuple(map(self._decoded, made))

    def _decoded(self, line: str) -> DecodedInstruction:
        if line not in self.decoded:
            code = assembled(f"{line}\nret\n{TABLE_LABEL}:\n.quad 0")
            self.decoded[line] = decode(code, ARCHITECTURE)[0]
        return self.decoded[line]

    def cost(self, order: Sequence[int], window: CallWindow) -> float:
        """Cycles of independent calls, and a little for each instruction."""
        found = counted(self.lines(order), ARCHITECTURE)
        cycles = predict_throughput(found, self.processor, window)
        return cycles + PER_INSTRUCTION * found.instructions


@dataclass
class OrderWalk:
    """The walk from one order of a kernel."""

    judged: Judged
    chance: random.Random
    tries: int
    window: CallWindow = LONG_RUN

    @cached_property
    def _needs(self) -> list[list[int]]:
        return needs(self.judged.code)

    @cached_property
    def _users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self._needs]
        for place, needed in enumerate(self._needs):
            for each in needed:
                users[each].append(place)
        return users

    def run(self) -> tuple[float, list[int]]:
        """The best order that was met, and what it costs."""
        order = list(range(len(self.judged.code)))
        cost = self.judged.cost(order, self.window)
        best = cost, order
        for number in range(self.tries):
            heat = HEAT * (1 - number / self.tries) ** 2
            other = self._moved(order)
            found = self.judged.cost(other, self.window)
            if found <= cost or found - cost < heat * self.chance.expovariate(3):
                order, cost = other, found
            best = min(best, (cost, order), key=lambda one: one[0])
        return best

    def _moved(self, order: Sequence[int]) -> list[int]:
        """The order with an instruction at another place."""
        place_of = {one: place for place, one in enumerate(order)}
        while True:
            place = self.chance.randrange(len(order))
            one = order[place]
            far = FAR if self.chance.random() < 0.25 else NEAR
            first = max((place_of[n] + 1 for n in self._needs[one]), default=0)
            last = min((place_of[n] - 1 for n in self._users[one]), default=len(order) - 1)
            low, high = max(first, place - far), min(last, place + far)
            to = self.chance.randint(low, high)
            if to != place:
                other = [*order[:place], *order[place + 1 :]]
                other.insert(to, one)
                return other


def predicted(judged: Judged, order: Sequence[int]) -> str:
    """Throughput and latency of an order, as predicted."""
    return str(predict(counted(judged.lines(order), ARCHITECTURE), judged.processor))
