"""What a processor's limits say of a kernel: lower bounds, from its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from fieldc.counting.count import count
from fieldc.counting.limits import lower_bounds
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.machine.processors import Processor, find_processor
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.judge import Judge


@dataclass(frozen=True, order=True)
class Figure:
    """Cycles that a kernel takes at least; the lower the better, in this order."""

    throughput: float
    latency: float
    instructions: int

    def __str__(self) -> str:
        return f"at least {self.throughput:.1f} | {self.latency:.1f} cycles"


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
    return figure_of(code, judge.architecture, processor_key)


def figure_of(code: bytes, architecture: str, processor_key: str) -> Figure:
    """The figure of a function on a processor, from its bytes. Raises CodeError."""
    counts = count(code, architecture)
    limits = lower_bounds(counts, find_processor(processor_key))
    return Figure(limits.binding[1], limits.latency[1], counts.instructions)


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
