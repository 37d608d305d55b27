"""What a processor's model says of a kernel, from its bytes: lower bounds, or predicted cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import field as of_class
from functools import cache

from fieldc.counting.count import count
from fieldc.counting.limits import lower_bounds
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.machine.processors import Processor, find_processor
from fieldc.simulator.predict import predict_latency, predict_throughput
from fieldc.simulator.window import CHOICE, CallWindow
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.judge import Judge


@dataclass(frozen=True, order=True)
class Figure:
    """Cycles that a kernel takes, at least or by the simulator; the lower the better, in order."""

    throughput: float
    latency: float
    instructions: int
    is_predicted: bool = of_class(default=False, compare=False)
    """Whether the simulator predicts them; else they are lower bounds."""

    def __str__(self) -> str:
        how = "predicted" if self.is_predicted else "at least"
        return f"{how} {self.throughput:.1f} | {self.latency:.1f} cycles"


def figure(judge: Judge, choice: Choice, processor_key: str) -> Figure:
    """The figure of a kernel on a processor of processors.toml."""
    expression = choice.expression
    return _figure(
        judge, expression.kernel, expression.field, choice.variant, choice.plan, processor_key
    )


@cache
def _figure(
    judge: Judge, kernel: Kernel, field: Field, variant: Variant, plan: object, processor_key: str
) -> Figure:
    code = judge.code(Choice(kernel.expression(field), variant, plan))
    return figure_of(code, judge, processor_key)


def figure_of(code: bytes, judge: Judge, processor_key: str, window: CallWindow = CHOICE) -> Figure:
    """The figure of a function on a processor, from its bytes. Raises CodeError.

    Where the judge asks for it, the simulator predicts its cycles, if it has the processor's core.
    """
    counts = count(code, judge.architecture)
    if judge.is_simulated:
        of = code, judge.architecture, processor_key, window
        throughput, latency = _throughput(*of), _latency(*of)
        if throughput is not None and latency is not None:
            return Figure(throughput, latency, counts.instructions, is_predicted=True)
    limits = lower_bounds(counts, find_processor(processor_key))
    return Figure(limits.binding[1], limits.latency[1], counts.instructions)


def throughput_of(judge: Judge, choice: Choice, processor_key: str) -> float:
    """The throughput of a kernel's figure: half the work where the simulator predicts it."""
    found = None
    if judge.is_simulated:
        found = _throughput(judge.code(choice), judge.architecture, processor_key, CHOICE)
    return figure(judge, choice, processor_key).throughput if found is None else found


# Many orders of a short kernel are the same bytes.
@cache
def _throughput(
    code: bytes, architecture: str, processor_key: str, window: CallWindow
) -> float | None:
    return predict_throughput(count(code, architecture), find_processor(processor_key), window)


@cache
def _latency(
    code: bytes, architecture: str, processor_key: str, window: CallWindow
) -> float | None:
    return predict_latency(count(code, architecture), find_processor(processor_key), window)


def rank(figure: Figure, variant: str, processor: Processor) -> Figure:
    """What orders kernels: the bounds, times what was measured of the variant there."""
    factor = processor.factors.get(variant, 1.0)
    return replace(figure, throughput=figure.throughput * factor, latency=figure.latency * factor)


def preferred_variant(
    judge: Judge, expression: Expression, processor: Processor, variants: Sequence[str]
) -> str:
    """The variant with the lowest rank on a processor."""

    def cost(name: str) -> Figure:
        variant = Variant(name)
        choice = Choice(expression, variant, judge.plans(variant, processor.key)[0])
        return rank(figure(judge, choice, processor.key), name, processor)

    return min(variants, key=cost)
