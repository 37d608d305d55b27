"""Sums in columns among built kernels: what they promise, their proofs, and that both are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from fieldc.algorithms.columns import ACCUMULATE, SUM, Columns
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


def field_of(kernel: ArrayKernel, columns: Columns) -> Field:
    """The field of a kernel of sums, in words as its elements have in memory."""
    f = kernel.expression.field
    return Field(f.p, columns.word, f.name)


def reads_digits(kernel: ArrayKernel) -> bool:
    """Whether it adds products of elements in digits."""
    return kernel.adds and kernel.expression.field.word == DIGIT_BITS


def job_of_arrays(kernel: ArrayKernel) -> Job:
    """The proof of a kernel on arrays of one layout, or of one of sums in columns."""
    columns = kernel.columns
    f = kernel.expression.field if columns is None else field_of(kernel, columns)
    operation = kernel.expression.kernel.operation
    word = DIGIT_BITS if reads_digits(kernel) else f.word
    job = Job(kernel.object, kernel.symbol, operation, f.p, f.n, array_word=word)
    if columns is None:
        return job
    bits, multiple = columns.bits, columns.multiple
    return replace(job, turns=columns.turns, column_bits=bits, multiple=multiple)


def row_of_columns(kernel: ArrayKernel) -> dict[str, object]:
    """What a manifest says of columns, where a kernel has some."""
    if kernel.columns is None:
        return {}
    row: dict[str, object] = {
        "turns": kernel.columns.turns,
        "column_bits": kernel.columns.bits,
    }
    row |= {"multiple": kernel.columns.multiple} if kernel.columns.multiple else {}
    return row | ({"in_digits": ["x", "y"]} if reads_digits(kernel) else {})


def said_of_columns(kernel: ArrayKernel, columns: Columns) -> str:
    """The contract of a kernel of sums in words."""
    f, operation = field_of(kernel, columns), kernel.expression.kernel.operation
    digits = in_lanes(f)
    lanes = f"t has {columns.count} columns of {BLOCK} lanes, {columns.bits} bits apart"
    most = f"at most {columns.turns} turns of a lane since t was 0"
    if reads_digits(kernel):
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


def prototype_of_columns(kernel: ArrayKernel, columns: Columns) -> str:
    """The C declaration of a kernel of sums: columns have words of 64 bits."""
    if kernel.adds:
        word = f"uint{columns.word}_t"
        arrays = f"uint64_t *{SUM}, const {word} *x, const {word} *y"
    else:
        arrays = f"uint64_t *z, const uint64_t *{SUM}"
    return f"void {kernel.symbol}(size_t count, {arrays});"


def in_pairs(built: Sequence[OnArrays]) -> list[OnArrays]:
    """The kernels, but none of sums in columns whose other half is missing. Raises CheckError.

    Both halves are run on vectors where this processor can. Sums of elements in digits and
    products in towers are not looked at.
    """
    sums = [each for each in built if _is_of_pair(each.kernel)]
    pairs = {
        each.kernel.target.name: [s for s in sums if s.kernel.target is each.kernel.target]
        for each in sums
    }
    for name, pair in pairs.items():
        if len(pair) == 2:
            check_pair(*(each.kernel for each in pair))
        else:
            sums = [each for each in sums if each.kernel.target.name != name]
    return [each for each in built if not _is_of_pair(each.kernel) or each in sums]


def _is_of_pair(kernel: ArrayKernel) -> bool:
    """Whether it is one of the two kernels of an inner product of elements in limbs."""
    columns = kernel.columns
    return columns is not None and not columns.multiple and not reads_digits(kernel)


def check_pair(accumulate: ArrayKernel, collect: ArrayKernel) -> None:
    """Run a pair on vectors. Raises CheckError."""
    if accumulate.columns is not None and accumulate.target.runs_here:
        made = (accumulate, 3), (collect, 2)
        calls = (LoadedColumnKernel(each.object, each.symbol, arrays) for each, arrays in made)
        f, result = field_of(accumulate, accumulate.columns), collect.result_field
        f = in_lanes(f) if reads_digits(accumulate) else f
        check_columns(ColumnSums(f, accumulate.columns, result, *calls))
