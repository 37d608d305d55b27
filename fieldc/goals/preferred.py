"""Which kernel a processor should run: the shipped schedule's, or what the model puts lowest."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms import choose
from fieldc.artifacts.schedule import ScheduleError, shipped
from fieldc.backends.x86_64.choices import FEATURES, VARIANTS
from fieldc.backends.x86_64.kernel import X86Kernel, compile_trace
from fieldc.field import Field
from fieldc.lab.variants import preferred_variant
from fieldc.language import Trace
from fieldc.machine.host import SYMBOL
from fieldc.machine.processor import missing
from fieldc.machine.processors import Processor, find_processor, host_processor

FALLBACK = "cascade-lake"
"""The model for a processor that is not in processors.toml: narrow, so that nothing is wasted."""


@dataclass(frozen=True)
class Preferred:
    """A kernel, the trace it is of, and by what it was chosen."""

    kernel: X86Kernel
    trace: Trace
    chosen_by: str


def preferred(field: Field, operation: str) -> Preferred:
    """The kernel for this host: a shipped schedule's if there is one, otherwise by the model."""
    processor = host_processor()
    if processor is not None and (tuned := _tuned(field, operation, processor)):
        return tuned
    trace = choose(field, operation)
    runnable = [variant for variant in VARIANTS if not missing(FEATURES[variant])]
    variant = preferred_variant(trace, processor or find_processor(FALLBACK), runnable)
    kernel = compile_trace(trace, SYMBOL, VARIANTS[variant])
    return Preferred(kernel, trace, f"model: {variant}")


def _tuned(field: Field, operation: str, processor: Processor) -> Preferred | None:
    try:
        entry = shipped(field, processor.key).entry(operation)
    except ScheduleError:
        return None
    if entry is None or missing(FEATURES[entry.decisions.choices.variant]):
        return None
    trace = choose(field, operation, entry.decisions.algorithm)
    return Preferred(entry.compile(trace, SYMBOL), trace, "schedule")
