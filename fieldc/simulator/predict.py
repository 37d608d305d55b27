"""How many cycles a call takes: of many that are independent, and of a chain of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

from fieldc.counting.count import Count
from fieldc.counting.instructions import DecodedInstruction
from fieldc.counting.places import RootedAccess
from fieldc.machine.processors import Processor
from fieldc.simulator.cores import core_of
from fieldc.simulator.run import CostedInstruction, Simulation, steps_of
from fieldc.simulator.window import STEADY, CallWindow, steady_cycles

CHAINED = {"x86_64": ("rdi", "rsi"), "aarch64": ("x0", "x1")}
"""The result and the first operand, which are one place in a chain of calls."""
DecodedCode = Sequence[DecodedInstruction]
AroundCalls = tuple[DecodedCode, DecodedCode]
"""What the caller executes before each call, and after it."""


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
    count: Count,
    processor: Processor,
    before: DecodedCode = (),
    after: DecodedCode = (),
    window: CallWindow = STEADY,
) -> PredictedCycles | None:
    """The cycles of a call of straight-line code, by System V's or AAPCS's arguments.

    `before` and `after` are what the caller executes around each call; without them all arguments
    are ready when a call begins. None if no core of the processor is known, or no path.
    """
    if not is_predictable(count, processor):
        return None
    around = before, after
    cycles = (
        each(count, processor, window, around) for each in (predict_throughput, predict_latency)
    )
    return PredictedCycles(processor.key, *cycles)


def is_predictable(count: Count, processor: Processor) -> bool:
    """Whether a core of the processor is known, and the path through the code."""
    return core_of(processor) is not None and bool(count.touches and count.code)


def predict_throughput(
    count: Count, processor: Processor, window: CallWindow = STEADY, around: AroundCalls = ((), ())
) -> float:
    """The cycles of independent calls alone. Raises ValueError if it is not predictable."""
    body = steps_of(count.code, count.touches, processor)
    return _each(processor, body, _operands(count), window, around)


def predict_latency(
    count: Count, processor: Processor, window: CallWindow = STEADY, around: AroundCalls = ((), ())
) -> float:
    """The cycles of a call in a chain of them alone. Raises ValueError as `predict_throughput`."""
    chained = CHAINED.get(count.architecture, ())
    body = [_chained(step, chained) for step in steps_of(count.code, count.touches, processor)]
    return _each(processor, body, (), window, around)


def _operands(count: Count) -> set[Hashable]:
    """The roots of what a call reads and writes; independent calls have operands of their own."""
    return {touch.root for touches in count.touches for touch in touches if touch.operand}


def _each(
    processor: Processor,
    body: Sequence[CostedInstruction],
    forgotten: Collection[Hashable],
    window: CallWindow,
    around: AroundCalls,
) -> float:
    """The cycles of each call, over a run of so many calls. Raises ValueError."""
    core = core_of(processor)
    if core is None:
        raise ValueError(f"{processor.key} is not simulated")
    head, tail = (steps_of(code, [()] * len(code), processor) for code in around)
    run, steps = Simulation(core, processor), [*head, *body, *tail]

    def call() -> int:
        run.forget(forgotten)
        return run.call(steps, all_ready=not head)

    return steady_cycles(call, len(steps), window).cycles


def _chained(step: CostedInstruction, registers: tuple[str, ...]) -> CostedInstruction:
    """An instruction in a chain of calls: these registers hold one address."""
    if not any(touch.root in registers for touch in step.touches if touch.operand):
        return step
    return replace(step, touches=[_moved(touch, registers) for touch in step.touches])


def _moved(touch: RootedAccess, registers: tuple[str, ...]) -> RootedAccess:
    same = touch.operand and touch.root in registers
    return replace(touch, root=registers) if same else touch
