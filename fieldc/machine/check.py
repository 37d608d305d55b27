"""Checks a loaded kernel against the meaning of its operation, on Python's integers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.frames import Alias, GuardedKernel
from fieldc.operands import Range

RANDOM_VECTORS = 40


class CheckError(Refusal):
    """A kernel computed something else than its operation means; names inputs and results."""


def edge_values(bound: int, field: Field) -> list[int]:
    """0, 1, the largest, values whose limbs are all ones, and neighbours of R; below `bound`."""
    top = field.base - 1
    ones = sum(top << field.word * i for i in range(field.n - 1))
    values = [0, 1, 2, bound - 1, bound - 2, bound // 2, ones, ones + 1, top, field.base]
    values += [field.R % field.p, field.R2, field.p, field.p * (field.R - 1)]
    return sorted({v for v in values if 0 <= v < bound})


def vectors(expression: Expression, seed: int) -> Iterator[tuple[int, ...]]:
    """Operands of a kernel: every pair of edge values, then random ones."""
    yield from operands_of(
        [bound for _, bound in expression.kernel.operands], expression.field, seed
    )


def operands_of(ranges: Sequence[Range], f: Field, seed: int) -> Iterator[tuple[int, ...]]:
    """Operands in ranges: every pair of edge values, then random ones."""
    draw = random.Random(seed)
    yield from product(*(edge_operands(bound, f) for bound in ranges))
    for _ in range(RANDOM_VECTORS):
        values = ([draw.randrange(r.high(f) + 1) for _ in range(r.count)] for r in ranges)
        yield tuple(r.number(f, v) for r, v in zip(ranges, values, strict=True))


def edge_operands(bound: Range, f: Field) -> Iterator[int]:
    """Edge values; of several side by side each with the next ones, and all the largest."""
    edges = edge_values(bound.high(f) + 1, f)
    for i in range(len(edges)):
        yield bound.number(f, [edges[(i + k) % len(edges)] for k in range(bound.count)])
    if bound.count > 1:
        yield bound.number(f, [bound.high(f)] * bound.count)


def check(kernel: GuardedKernel, expression: Expression, seed: int = 0) -> int:
    """Run a kernel on its vectors in every legal aliasing; the number of calls made.

    What it must compute is its operation's function.
    Raises CheckError for a wrong or non-canonical result, FrameError for a write out of bounds.
    """
    calls = 0
    for operands in vectors(expression, seed):
        for alias in ALIASES[len(operands)]:
            same = alias in (Alias.X_IS_Y, Alias.ALL)
            given = (operands[0],) * len(operands) if same else operands
            _expect(expression, alias, given, kernel.aliased(alias, *given))
            calls += 1
    return calls


ALIASES = {
    1: (Alias.NONE, Alias.Z_IS_X),
    2: (Alias.NONE, Alias.Z_IS_X, Alias.Z_IS_Y, Alias.X_IS_Y, Alias.ALL),
}
"""The aliasings of kernels with one and with two operands: all are legal."""


def _expect(expression: Expression, alias: Alias, operands: tuple[int, ...], result: int) -> None:
    f, contract = expression.field, expression.kernel.result
    wanted = expression.kernel.meaning(f, *operands)
    # Below p there is one right number; of results that may be p and above, any that is congruent.
    if not all(
        0 <= found <= contract.high(f) and (found - right) % f.p == 0
        for found, right in zip(contract.values(f, result), contract.values(f, wanted), strict=True)
    ):
        given = ", ".join(
            f"{name} = {value:#x}" for name, value in zip("xy", operands, strict=False)
        )
        raise CheckError(
            f"{expression.kernel.operation} ({expression.kernel.algorithm}) for {f.label}, "
            f"{given}, aliasing {alias.name}: got {result:#x}, expected {wanted:#x}"
        )
