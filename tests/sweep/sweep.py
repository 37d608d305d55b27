"""Every kernel of a field on every input, by the interpreter or in native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, cast

import numpy as np
import pytest
from primes import expressions_of, style_id

from fieldc.algorithms import KERNELS
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice
from sweep.inputs import Array, Domain, domain, wanted
from sweep.native import Bytes, NativeProgram
from sweep.text import LANES

SUMS = ("add", "sub", "neg", "double")
BLOCK = 256 * LANES
FEW = 16
"""All fours of numbers below this are no more than all pairs of two limbs."""
Styles = tuple[RowChoice, ...]


class Words(np.ndarray[Any, Any]):
    """Many inputs at once, as the interpreter takes a number.

    `%` by a power of two needs no division: 4 times as fast. `>` says whether any element is
    greater, so that the check of bounds works; no word of 4 bits is above 15. Flags are small.
    """

    def __mod__(self, modulus: Any) -> Any:
        return self & (modulus - 1)

    def __gt__(self, bound: Any) -> Any:
        return bound < 15 and int(self.view(np.ndarray).max()) > bound

    def __lt__(self, bound: Any) -> Any:
        return (self.view(np.ndarray) < bound).astype(np.int16).view(Words)

    def __format__(self, spec: str) -> str:
        return format(int(self.view(np.ndarray).max()), spec)


def run(program: Program, values: tuple[Array, ...], check_bounds: bool = True) -> Array:
    """The program on arrays by the interpreter."""
    # int16 holds every value of a word program at up to 4 bits, and residues of 3 limbs.
    dtype = np.int32 if program.operands[0][1] > 3 else np.int16
    given = (cast(int, v.astype(dtype).view(Words)) for v in values)
    result = interpret(program, *given, check_bounds=check_bounds)
    return np.broadcast_to(np.asarray(result, dtype=np.int32), values[0].shape)


def compare(
    expression: Expression, rows: RowChoice, program: Program, values: tuple[Array, ...]
) -> None:
    """Run the interpreter; fail with the first wrong result. Raises BrokenBound."""
    f = expression.field
    result, want = run(program, values), wanted(expression.kernel.operation, f.p, f.word, values)
    if np.array_equal(result, want):
        return
    at = int(np.argmax(result != want))
    given = [int(v[at]) for v in values]
    pytest.fail(f"{_title(expression, rows)}: {given} gives {int(result[at])}, not {int(want[at])}")


def _title(expression: Expression, rows: RowChoice) -> str:
    f, kernel = expression.field, expression.kernel
    operation = f"{kernel.operation} ({kernel.algorithm})"
    return f"p = {f.p}, {f.word}-bit words, {operation}, {style_id(rows)}"


def sweep_by_interpreter(
    p: int, word: int, styles: Styles, kernels: Sequence[Kernel] = KERNELS
) -> int:
    """Every kernel on every input by the interpreter; the number of results compared."""
    compared = 0
    for expression, rows in _kernels(Field(p, word), styles, kernels):
        program = lower(expression, rows)
        for values in domain(expression).blocks(32 * LANES):
            compare(expression, rows, program, values)
        compared += domain(expression).total
    return compared


def _kernels(
    f: Field, styles: Styles, kernels: Sequence[Kernel]
) -> Iterator[tuple[Expression, RowChoice]]:
    """The field's kernels; those that multiply in each style; of four inputs where p is small."""
    for expression in expressions_of(kernels, f):
        if len(expression.inputs) > 2 and f.p >= FEW:
            continue
        for rows in styles[:1] if expression.kernel.operation in SUMS else styles:
            yield expression, rows


class NativeKernel:
    """A kernel that runs in native code."""

    def __init__(
        self, expression: Expression, rows: RowChoice, program: Program | None = None
    ) -> None:
        self.expression, self.rows = expression, rows
        self.program = lower(expression, rows) if program is None else program
        self.native = NativeProgram(self.program)
        self.operation = expression.kernel.operation
        self.domain = domain(expression)

    def check(self, planes: Bytes, values: tuple[Array, ...]) -> None:
        """Run on the planes; what is wrong is reported by the interpreter."""
        at = self.native.agreeing(planes)
        if at < planes.shape[1]:
            compare(
                self.expression, self.rows, self.program, tuple(v[at : at + LANES] for v in values)
            )
            pytest.fail(
                f"{_title(self.expression, self.rows)}: native code and interpreter differ for one "
                f"of {LANES} inputs from {[int(v[at]) for v in values]}"
            )


def sweep(p: int, word: int, styles: Styles, kernels: Sequence[Kernel] = KERNELS) -> int:
    """Every kernel on every input in native code; the number of results compared."""
    f = Field(p, word)
    built = [NativeKernel(expression, rows) for expression, rows in _kernels(f, styles, kernels)]
    for inputs in dict.fromkeys(kernel.domain for kernel in built):
        sweep_domain(f, inputs, [kernel for kernel in built if kernel.domain == inputs])
    return sum(kernel.domain.total for kernel in built)


def sweep_domain(f: Field, inputs: Domain, kernels: list[NativeKernel]) -> None:
    """Kernels of the same inputs, block by block."""
    native = kernels[0].native
    for values in inputs.blocks(BLOCK):
        planes = np.empty((native.planes, len(values[0])), dtype=np.uint8)
        limbs = native.inputs // len(values)
        for i, operand in enumerate(values):
            _split(operand, f.word, planes[i * limbs : (i + 1) * limbs])
        for operation, group in groupby(kernels, key=lambda kernel: kernel.operation):
            want = wanted(operation, f.p, f.word, values)
            _split(want, f.word, planes[native.inputs :])
            for kernel in group:
                kernel.check(planes, values)


def _split(values: Array, word: int, planes: Bytes) -> None:
    """The limbs of values, each in its plane; values above the last plane are refused."""
    assert int(values.max()) >> word * len(planes) == 0
    # Residues fit in 16 bits, which numpy shifts twice as fast.
    narrow = values.astype(np.uint16) if len(planes) <= 3 else values
    for i, plane in enumerate(planes):
        plane[:] = narrow >> word * i & (1 << word) - 1
