"""Decides from how many elements on a block of vectors is faster than our scalar kernel."""

from __future__ import annotations

from math import ceil

from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.machine.processors import find_processor
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.transpose import LANES

VECTOR_PORTS = 2
"""Micro-operations on vectors of 512 bits that start in a cycle, up to Sapphire Rapids."""


def least_for_a_block(kernel: ArrayKernel, scalar: bytes, symbol: str) -> int:
    """The fewest elements for which a block takes less time than calls of a scalar kernel.

    0 where eight calls are faster. It is a model, not a measurement: both sides are lower bounds,
    on the processor of the kernel's target.
    """
    processor = find_processor(kernel.target.processor)
    _, cycles = lower_bounds(count_in(scalar, symbol), processor).binding
    least = ceil(kernel.ports / VECTOR_PORTS / cycles)
    return least if least <= LANES else 0
