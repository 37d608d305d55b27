"""Sums in columns among built kernels: what they promise, their proofs, and that both are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from fieldc.algorithms.columns import Columns
from fieldc.algorithms.lanes import DIGIT_BITS, excess, in_lanes
from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.machine.columns import ColumnSums, LoadedColumnKernel, check_columns
from fieldc.targets.vectors.kernel import ArrayKernel


class HasKernel(Protocol):
    """A built kernel on arrays."""

    @property
    def kernel(self) -> ArrayKernel:
        """The kernel."""


OnArrays = TypeVar("OnArrays", bound=HasKernel)


def field_of(kernel: ArrayKernel) -> Field:
    """The field in limbs of a kernel of sums: one of its two sides has limbs."""
    f = kernel.expression.field
    return kernel.result_field if f.word == DIGIT_BITS else f


def job_of_arrays(kernel: ArrayKernel) -> Job:
    """The proof of a kernel on arrays of one layout, or of one of sums in columns."""
    f, operation = kernel.expression.field, kernel.expression.kernel.operation
    if kernel.columns is None:
        return Job(kernel.object, kernel.symbol, operation, f.p, f.n, array_word=f.word)
    f, turns = field_of(kernel), kernel.columns.turns
    return Job(kernel.object, kernel.symbol, operation, f.p, f.n, array_word=f.word, turns=turns)


def said_of_columns(kernel: ArrayKernel, columns: Columns) -> str:
    """The contract of a kernel of sums in words."""
    f, operation = field_of(kernel), kernel.expression.kernel.operation
    lanes = f"t has {columns.count} columns of {BLOCK} lanes, {DIGIT_BITS} bits apart"
    most = f"at most {columns.turns} products in a lane since t was 0"
    if operation == "accumulate":
        return (
            f"accumulate on arrays: t = t + x*y*2^{excess(f)}, x < p, y < p, R = 2^{f.word * f.n};"
            f" {lanes}, {most}. Element i is added to lane i mod {BLOCK}. t must be apart from x"
            " and y."
        )
    return (
        f"collect on arrays: z = t/2^{DIGIT_BITS * in_lanes(f).n} mod p, z < p, R ="
        f" 2^{f.word * f.n}; {lanes}, {most}. z and t must be apart."
    )


def in_pairs(built: Sequence[OnArrays]) -> list[OnArrays]:
    """The kernels, but none of sums in columns whose other half is missing. Raises CheckError.

    Both halves are run on vectors where this processor can.
    """
    sums = [each for each in built if each.kernel.columns is not None]
    pairs = {
        each.kernel.target.name: [s for s in sums if s.kernel.target is each.kernel.target]
        for each in sums
    }
    for name, pair in pairs.items():
        if len(pair) == 2:
            _check(*(each.kernel for each in pair))
        else:
            sums = [each for each in sums if each.kernel.target.name != name]
    return [each for each in built if each.kernel.columns is None or each in sums]


def _check(accumulate: ArrayKernel, collect: ArrayKernel) -> None:
    """Run a pair on vectors. Raises CheckError."""
    if accumulate.columns is not None and accumulate.target.runs_here:
        made = (accumulate, 3), (collect, 2)
        calls = (LoadedColumnKernel(each.object, each.symbol, arrays) for each, arrays in made)
        check_columns(ColumnSums(field_of(accumulate), accumulate.columns, *calls))
