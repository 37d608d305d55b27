"""What a processor's limits say of a kernel: lower bounds, from its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.machine.assemble import assemble
from fieldc.machine.processors import Processor, find_processor
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.plan import DEFAULTS, Plan
from fieldc.targets.x86_64.print import GNU

SYMBOL = "kernel"


@dataclass(frozen=True, order=True)
class Figure:
    """Cycles that a kernel takes at least; the lower the better, in this order."""

    throughput: float
    latency: float
    instructions: int

    def __str__(self) -> str:
        return f"at least {self.throughput:.1f} | {self.latency:.1f} cycles"


@cache
def figure(field: Field, kernel: Kernel, plan: Plan, processor_key: str) -> Figure:
    """The figure of an x86-64 kernel on a processor of processors.toml."""
    code = assemble(plan.compile(kernel.expression(field), SYMBOL).text(GNU))
    counts = count_in(code, SYMBOL)
    limits = lower_bounds(counts, find_processor(processor_key))
    return Figure(limits.binding[1], limits.latency[1], counts.instructions)


def preferred_variant(
    expression: Expression, processor: Processor, variants: Sequence[str] = tuple(VARIANTS)
) -> str:
    """The variant with the lowest bound on a processor; of equal ones that with fewest slots."""

    def cost(variant: str) -> Figure:
        return figure(expression.field, expression.kernel, DEFAULTS[variant], processor.key)

    return min(variants, key=cost)
