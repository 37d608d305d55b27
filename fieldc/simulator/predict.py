"""How many cycles a call takes: of many that are independent, and of a chain of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from fieldc.counting.count import Count
from fieldc.counting.instructions import DecodedInstruction
from fieldc.counting.places import RootedAccess
from fieldc.machine.processors import Processor
from fieldc.simulator.cores import core_of
from fieldc.simulator.run import CostedInstruction, Simulation, steps_of

CALLS, WARM_UP = 20, 8
"""Calls of a run; the first ones fill the window and do not count."""
LONG = 4000
"""A call of more instructions fills any window: of such code three run, and two of them count."""
CHAINED = {"x86_64": ("rdi", "rsi"), "aarch64": ("x0", "x1")}
"""The result and the first operand, which are one place in a chain of calls."""
DecodedCode = Sequence[DecodedInstruction]


@dataclass(frozen=True)
class PredictedCycles:
    """Cycles of a call on a processor. They are predicted, not measured."""

    processor: str
    throughput: float
    latency: float

    def __str__(self) -> str:
        return f"{self.throughput:.1f} | {self.latency:.1f}"

    def row(self) -> dict[str, object]:
        """The prediction for programs."""
        return {
            "processor": self.processor,
            "predicted_throughput": round(self.throughput, 2),
            "predicted_latency": round(self.latency, 2),
        }


def predict(
    count: Count, processor: Processor, before: DecodedCode = (), after: DecodedCode = ()
) -> PredictedCycles | None:
    """The cycles of a call of straight-line code, by System V's or AAPCS's arguments.

    `before` and `after` are what the caller executes around each call; without them all arguments
    are ready when a call begins. None if no core of the processor is known, or no path.
    """
    core = core_of(processor)
    if core is None or not count.touches or not count.code:
        return None
    head, tail = (steps_of(code, [()] * len(code), processor) for code in (before, after))
    body = steps_of(count.code, count.touches, processor)
    calls, warm_up = (CALLS, WARM_UP) if count.instructions <= LONG else (3, 1)
    figures = []
    for is_chain in (False, True):
        run, ends = Simulation(core, processor), []
        for number in range(calls):
            root = CHAINED.get(count.architecture, ()) if is_chain else number
            steps = [*head, *(_placed(step, root) for step in body), *tail]
            ends.append(run.call(steps, all_ready=not head))
        figures.append((ends[-1] - ends[warm_up - 1]) / (calls - warm_up))
    return PredictedCycles(processor.key, *figures)


def _placed(step: CostedInstruction, where: int | tuple[str, ...]) -> CostedInstruction:
    """An instruction in one call: independent calls, by a number, have operands of their own; in a
    chain, the registers `where` hold one address. The stack is the same in all."""
    if not any(touch.operand for touch in step.touches):
        return step
    return replace(step, touches=[_moved(touch, where) for touch in step.touches])


def _moved(touch: RootedAccess, where: int | tuple[str, ...]) -> RootedAccess:
    root: Hashable = touch.root
    if not touch.operand:
        return touch
    if isinstance(where, int):
        root = where, root
    elif root in where:
        root = where
    return replace(touch, root=root)
