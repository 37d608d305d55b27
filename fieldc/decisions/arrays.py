"""Decides from how many elements on a block of vectors is faster than our scalar kernel."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.machine.processors import find_processor
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.transpose import LANES

SCALARS_OF = {"mul_add": ("mul", "add"), "butterfly": ("mul", "add", "sub")}
"""The scalar kernels that do most of the work of an operation, where it has none of its own."""


def scalars_of(operation: str) -> tuple[str, ...]:
    """The scalar operations that a kernel on arrays is compared with."""
    return SCALARS_OF.get(operation, (operation,))


def least_for_a_block(kernel: ArrayKernel, scalars: Iterable[tuple[bytes, str]]) -> int:
    """The fewest elements for which a block takes less time than calls of scalar kernels.

    These are objects with their symbols. 0 where eight calls of each are faster. It is a model, not
    a measurement: both sides are lower bounds, on the processor of the kernel's target.
    """
    processor = find_processor(kernel.target.processor)
    bounds = (lower_bounds(count_in(*scalar), processor).binding for scalar in scalars)
    cycles = sum(cycles for _, cycles in bounds)
    least = ceil(kernel.ports / kernel.target.ports / cycles)
    return least if least <= LANES else 0
