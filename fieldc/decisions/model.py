"""Which of our variants a processor should run, by the model of its limits."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.artifacts.host import SYMBOL
from fieldc.lab.functions import count_in
from fieldc.lab.limits import lower_bounds
from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.machine.processors import Processor
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU


def preferred_variant(
    expression: Expression, processor: Processor, variants: Sequence[str] = tuple(VARIANTS)
) -> str:
    """The variant with the lowest bound on a processor; of equal ones that with fewest slots."""

    def cost(variant: str) -> tuple[float, float, float]:
        code = assemble(compile_expression(expression, SYMBOL, VARIANTS[variant]).text(GNU))
        counts = count_in(code, SYMBOL)
        limits = lower_bounds(counts, processor)
        return limits.binding[1], limits.latency[1], counts.instructions

    return min(variants, key=cost)
