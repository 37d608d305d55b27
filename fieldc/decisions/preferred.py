"""Which kernel a processor should run: the shipped schedule's, or what the model puts lowest."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL
from fieldc.decisions.model import preferred_variant
from fieldc.decisions.schedule import ScheduleError, shipped
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.processor import missing
from fieldc.machine.processors import Processor, find_processor, host_processor
from fieldc.targets.x86_64.choices import FEATURES, VARIANTS
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression

FALLBACK = "cascade-lake"
"""The model for a processor that is not in processors.toml: narrow, so that nothing is wasted."""


@dataclass(frozen=True)
class Preferred:
    """A kernel, the expression it is of, and by what it was chosen."""

    kernel: X86Kernel
    expression: Expression
    chosen_by: str


def preferred(field: Field, operation: str) -> Preferred:
    """The kernel for this host: a shipped schedule's if there is one, otherwise by the model."""
    processor = host_processor()
    if processor is not None and (tuned := _tuned(field, operation, processor)):
        return tuned
    expression = choose(field, operation)
    runnable = [variant for variant in VARIANTS if not missing(FEATURES[variant])]
    variant = preferred_variant(expression, processor or find_processor(FALLBACK), runnable)
    kernel = compile_expression(expression, SYMBOL, VARIANTS[variant])
    return Preferred(kernel, expression, f"model: {variant}")


def _tuned(field: Field, operation: str, processor: Processor) -> Preferred | None:
    try:
        entry = shipped(field, processor.key).entry(operation)
    except ScheduleError:
        return None
    if entry is None or missing(FEATURES[entry.decisions.choices.variant]):
        return None
    expression = choose(field, operation, entry.decisions.algorithm)
    return Preferred(entry.compile(expression, SYMBOL), expression, "schedule")
