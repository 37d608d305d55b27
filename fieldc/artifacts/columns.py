"""Sums in columns among built kernels: what they promise, their proofs, and that both are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from fieldc.algorithms.columns import ACCUMULATE, SUM, Columns
from fieldc.algorithms.lanes import DIGIT_BITS, excess, in_lanes
from fieldc.artifacts.promise import ArrayPromise
from fieldc.artifacts.verify import Job
from fieldc.machine.arrays import BLOCK
from fieldc.machine.columns import ColumnSums, LoadedColumnKernel, check_columns
from fieldc.targets.vectors.kernel import ArrayKernel


class HasKernel(Protocol):
    """A built kernel on arrays."""

    @property
    def kernel(self) -> ArrayKernel:
        """The kernel."""

    @property
    def promise(self) -> ArrayPromise:
        """What it takes and gives."""


OnArrays = TypeVar("OnArrays", bound=HasKernel)


def job_of_arrays(kernel: ArrayKernel, promise: ArrayPromise) -> Job:
    """The proof of a kernel on arrays of one layout, or of one of sums in columns."""
    columns, f = promise.columns, promise.field
    word = DIGIT_BITS if promise.reads_digits else f.word
    job = Job(kernel.object, kernel.symbol, promise.operation, f.p, f.n, array_word=word)
    if columns is None:
        return job
    bits, multiple = columns.bits, columns.multiple
    return replace(job, turns=columns.turns, column_bits=bits, multiple=multiple)


def row_of_columns(promise: ArrayPromise) -> dict[str, object]:
    """What a manifest says of columns, where a kernel has some."""
    columns = promise.columns
    if columns is None:
        return {}
    row: dict[str, object] = {"turns": columns.turns, "column_bits": columns.bits}
    row |= {"multiple": columns.multiple} if columns.multiple else {}
    return row | ({"in_digits": ["x", "y"]} if promise.reads_digits else {})


def said_of_columns(promise: ArrayPromise, columns: Columns) -> str:
    """The contract of a kernel of sums in words."""
    f, operation = promise.field, promise.operation
    digits = in_lanes(f)
    lanes = f"t has {columns.count} columns of {BLOCK} lanes, {columns.bits} bits apart"
    most = f"at most {columns.turns} turns of a lane since t was 0"
    if promise.reads_digits:
        factors, radix = "x < 2p, y < 2p", DIGIT_BITS * digits.n
        if columns.multiple:
            factors, radix = f"x < p*2^{excess(f)}, y < {columns.multiple}p", f.word * f.n
        return (
            f"accumulate in digits: t = t + x*y, {factors}, R = 2^{radix};"
            f" {lanes}, {most}. x and y are in {digits.size}, in blocks of {BLOCK} elements."
            f" Element i is added to lane i mod {BLOCK}. t must be apart from x and y."
        )
    if operation == ACCUMULATE:
        up = "" if f.n == 1 else f"*2^{excess(f)}"
        lane = f"i mod {BLOCK}" if columns.terms == 1 else f"floor(i/2) mod {BLOCK}"
        return (
            f"accumulate on arrays: t = t + x*y{up}, x < p, y < p, R = 2^{f.word * f.n};"
            f" {lanes}, {most}. Element i is added to lane {lane}. t must be apart from x and y."
        )
    divisor = f.word if f.n == 1 else DIGIT_BITS * digits.n
    most += f" of products below {columns.multiple}p*p*2^{excess(f)}" * bool(columns.multiple)
    return (
        f"collect on arrays: z = t/2^{divisor} mod p, z < p, R = 2^{f.word * f.n}; z has"
        f" words of 64 bits; {lanes}, {most}. z and t must be apart."
    )


def arrays_of_columns(promise: ArrayPromise, columns: Columns) -> str:
    """What a kernel of sums takes after the count, in C: columns have words of 64 bits."""
    if not promise.adds:
        return f"uint64_t *z, const uint64_t *{SUM}"
    word = f"uint{columns.word}_t"
    return f"uint64_t *{SUM}, const {word} *x, const {word} *y"


def in_pairs(built: Sequence[OnArrays]) -> list[OnArrays]:
    """The kernels, but none of sums in columns whose other half is missing. Raises CheckError.

    Both halves are run on vectors where this processor can. Sums of elements in digits and
    products in towers are not looked at.
    """
    sums = [each for each in built if _is_of_pair(each.promise)]
    pairs = {
        each.kernel.target.name: [s for s in sums if s.kernel.target is each.kernel.target]
        for each in sums
    }
    for name, pair in pairs.items():
        if len(pair) == 2:
            check_pair(*pair)
        else:
            sums = [each for each in sums if each.kernel.target.name != name]
    return [each for each in built if not _is_of_pair(each.promise) or each in sums]


def _is_of_pair(promise: ArrayPromise) -> bool:
    """Whether it is one of the two kernels of an inner product of elements in limbs."""
    columns = promise.columns
    return columns is not None and not columns.multiple and not promise.reads_digits


def check_pair(accumulate: HasKernel, collect: HasKernel) -> None:
    """Run a pair on vectors. Raises CheckError."""
    adds, made = accumulate.promise, ((accumulate.kernel, 3), (collect.kernel, 2))
    if adds.columns is not None and accumulate.kernel.target.runs_here:
        calls = (LoadedColumnKernel(each.object, each.symbol, arrays) for each, arrays in made)
        f = in_lanes(adds.field) if adds.reads_digits else adds.field
        check_columns(ColumnSums(f, adds.columns, collect.promise.result_field, *calls))
