"""What a processor's model says of a kernel, from its bytes: lower bounds, or predicted cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import field as of_class
from functools import cache, cached_property, lru_cache

from fieldc.counting.count import Count, count
from fieldc.counting.limits import Limits, lower_bounds
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.machine.processors import Processor, find_processor
from fieldc.simulator.predict import is_predictable, predict_latency, predict_throughput
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
    """The figure of a function on a processor, from its bytes. Raises CodeError."""
    of = modelled(code, judge, processor_key, window)
    return Figure(of.throughput, of.latency, of.instructions, of.is_predicted)


def throughput_of(judge: Judge, choice: Choice, processor_key: str) -> float:
    """The throughput of a kernel's figure: half the work where the simulator predicts it."""
    return modelled(judge.code(choice), judge, processor_key, CHOICE).throughput


@dataclass(frozen=True)
class ModelledCode:
    """A function's figure on a processor; each part is computed when it is asked for.

    Where the judge asks for it, the simulator predicts cycles, if it has the processor's core.
    """

    code: bytes
    judge: Judge
    processor: Processor
    window: CallWindow

    @property
    def instructions(self) -> int:
        """How many there are."""
        return self._count.instructions

    @cached_property
    def is_predicted(self) -> bool:
        """Whether the simulator predicts its cycles; else they are lower bounds."""
        return self.judge.is_simulated and is_predictable(self._count, self.processor)

    @cached_property
    def throughput(self) -> float:
        """Cycles of independent calls."""
        if self.is_predicted:
            return predict_throughput(self._count, self.processor, self.window)
        return self._limits.binding[1]

    @cached_property
    def latency(self) -> float:
        """Cycles of a call in a chain of them."""
        if self.is_predicted:
            return predict_latency(self._count, self.processor, self.window)
        return self._limits.latency[1]

    @cached_property
    def _count(self) -> Count:
        return count(self.code, self.judge.architecture)

    @cached_property
    def _limits(self) -> Limits:
        return lower_bounds(self._count, self.processor)


@lru_cache(maxsize=256)
def modelled(code: bytes, judge: Judge, processor_key: str, window: CallWindow) -> ModelledCode:
    """A function on a processor, once: many orders of a short kernel are the same bytes."""
    return ModelledCode(code, judge, find_processor(processor_key), window)


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
