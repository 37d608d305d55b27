"""Checks a loaded kernel against the meaning of its operation, on Python's integers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.aliasing import Aliasing
from fieldc.machine.frames import GuardedKernel
from fieldc.operands import Range
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

RANDOM_VECTORS = 40
STEPS = 200_000
"""Steps of words that a text is interpreted for, at most; a few operands at least."""
FEWEST = 4


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
    """Operands in ranges: every pair of edge values of any two of them, then random ones."""
    draw = random.Random(seed)
    edges = [list(edge_operands(bound, f)) for bound in ranges]
    yield from _every_pair(edges)
    for _ in range(RANDOM_VECTORS):
        values = ([draw.randrange(r.high(f) + 1) for _ in range(r.count)] for r in ranges)
        yield tuple(r.number(f, v) for r, v in zip(ranges, values, strict=True))


def _every_pair(edges: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield every pair of values of the first two operands; further operands cycle through theirs.

    So any two of three operands meet in all their values, the largest of all operands among them.
    """
    places = (range(len(values)) for values in edges[:2])
    for first, *others in product(*places):
        second = others[0] if others else 0
        more = (first + m * (second + 1) for m in range(1, len(edges) - 1))
        numbers = (first, *others, *more)
        yield tuple(v[n % len(v)] for v, n in zip(edges, numbers, strict=True))


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
    ranges = tuple(bound for _, bound in expression.kernel.operands)
    # Operands of one size may have different ranges, as a sum and two elements: those share none.
    aliasings = [one for one in kernel.aliasings() if one.merged(ranges) == ranges]
    for operands in vectors(expression, seed):
        for aliasing in aliasings:
            given = aliasing.merged(operands)
            _expect(expression, aliasing, given, kernel.aliased(aliasing, *given))
            calls += 1
    return calls


def check_text(expression: Expression, seed: int = 0) -> int:
    """Interpret the words of a kernel that nobody runs or proves; the number of operands tried.

    Raises CheckError for a wrong or non-canonical result, BrokenBound for a value out of its range.
    """
    program = lower(expression)
    every = list(vectors(expression, seed))
    count = max(FEWEST, min(RANDOM_VECTORS, STEPS // max(1, len(program.steps))))
    some = every[:: -(-len(every) // count)]
    for operands in some:
        _expect(expression, "none", operands, interpret(program, *operands, check_bounds=True))
    return len(some)


def agrees(expression: Expression, result: int, wanted: int) -> bool:
    """Whether a result is in its range and congruent to what is wanted, each of its values.

    Below p that is one number.
    """
    f, contract = expression.field, expression.kernel.result
    return all(
        0 <= found <= contract.high(f) and (found - right) % f.p == 0
        for found, right in zip(contract.values(f, result), contract.values(f, wanted), strict=True)
    )


def _expect(
    expression: Expression, aliasing: Aliasing | str, operands: tuple[int, ...], result: int
) -> None:
    f = expression.field
    wanted = expression.kernel.meaning(f, *operands)
    if not agrees(expression, result, wanted):
        names = (name for name, _ in expression.kernel.operands)
        given = ", ".join(f"{x} = {value:#x}" for x, value in zip(names, operands, strict=True))
        raise CheckError(
            f"{expression.kernel.operation} ({expression.kernel.algorithm}) for {f.short}, "
            f"{given}, aliasing: {aliasing}: got {result:#x}, expected {wanted:#x}"
        )
