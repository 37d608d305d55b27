"""What a call of a kernel executes, and what bounds it on this processor."""

from __future__ import annotations

from fieldc.artifacts.host import SYMBOL
from fieldc.counting.count import Count
from fieldc.counting.functions import count_in
from fieldc.counting.limits import Limits, lower_bounds
from fieldc.lab.emulate import TraceError
from fieldc.lab.trace import Request, count_of_call
from fieldc.language import Expression
from fieldc.machine.processors import find_processor, host_processor

MODELS = {"x86_64": "cascade-lake", "aarch64": "apple-m1"}
"""Whose bounds are shown where this processor is none of those in processors.toml."""


def executed(made: bytes, expression: Expression) -> Count | None:
    """The counts of a kernel's object file: of the code, or of one call where it has loops.

    None where the call leaves the object, for the C library say.
    """
    counts = count_in(made, SYMBOL)
    if counts.is_straight:
        return counts
    names = ("z", *(name for name, _ in expression.kernel.operands))
    try:
        return count_of_call(made, SYMBOL, Request(names, field=expression.field))
    except TraceError:
        return None


def limits_here(count: Count) -> Limits:
    """The lower bounds on this processor, or on one of MODELS."""
    return lower_bounds(count, host_processor() or find_processor(MODELS[count.architecture]))
