"""Chooses the order of a kernel's instructions for one processor, by the simulator.

The simulator is off by several per cent, so it decides only where cycles differ by more than
`DOUBT` says. Of kernels that are nearer, the shortest wins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from fieldc.decisions.model import Figure, figure
from fieldc.machine.processors import Processor
from fieldc.simulator.cores import core_of
from fieldc.targets.choice import Choice
from fieldc.targets.judge import Judge

T = TypeVar("T")
NEAR = 1.03
"""Up to which multiple of the best kernel's cycles others are tried in all orders too."""
LONG = 600
"""Instructions; what has more stays in its own order, since a simulation takes a second then."""
DOUBT = 1.02
"""Up to which multiple of the fewest cycles shorter code is preferred."""


def in_best_order(
    judge: Judge, choice: Choice, known: Figure, model: Processor
) -> tuple[Choice, Figure]:
    """A kernel in its own order, of that figure, or in the one that the simulator puts first."""
    is_short = known.instructions <= LONG
    others = _in_orders(judge, choice, model) if is_short and core_of(model) else ()
    found: list[tuple[Choice, Figure]] = [(choice, known), *others]
    return shorter_first(found, lambda one: one[1])[0]


def shorter_first(found: Collection[T], figure_of: Callable[[T], Figure]) -> list[T]:
    """The best first: of those that the simulator cannot tell apart, the shortest."""
    best = min((figure_of(one).throughput for one in found), default=0)

    def place(one: T) -> tuple[bool, float, Figure]:
        known = figure_of(one)
        is_near = known.is_predicted and known.throughput <= DOUBT * best
        return not is_near, known.instructions if is_near else 0, known

    return sorted(found, key=place)


def _in_orders(judge: Judge, choice: Choice, model: Processor) -> Iterator[tuple[Choice, Figure]]:
    for plan in judge.orders:
        made = replace(choice, plan=plan)
        yield made, figure(judge, made, model.key)
