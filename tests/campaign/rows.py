"""Calls that a program of any language makes, and what Python says of them."""

from __future__ import annotations

from dataclasses import dataclass

from campaign.case import Case
from campaign.drawn_formulas import Operand, element

PAIRS = 12
"""Pairs of operands of a case."""
CALLS = 6
"""Calls of each formula."""
LENGTH = 19
"""Elements of an array: one more than vectors of 2, 3, 6 and 9."""


@dataclass(frozen=True)
class Row:
    """One call. A result of None is one that there is not: an inverse of 0, a root of no square."""

    name: str
    operands: tuple[Operand, ...]
    wanted: int | None


@dataclass(frozen=True)
class FormulaRow:
    """One call of a formula: its number in the case, operands, and all results."""

    number: int
    operands: tuple[Operand, ...]
    wanted: tuple[int, ...]


def rows_of(case: Case) -> list[Row]:
    """Calls of the operations that every library has."""
    draw, p, found = case.draw(), case.p, []
    for _ in range(PAIRS):
        x, y, e = element(draw, p), element(draw, p), draw.getrandbits(64)
        found += [Row(name, (x, y), v % p) for name, v in _of_two(x, y).items()]
        found += [
            Row("neg", (x,), -x % p),
            Row("square", (x,), x * x % p),
            Row("inv", (x,), pow(x, -1, p) if x else None),
            Row("pow", (x, e), pow(x, e, p)),
            Row("sqrt", (x * x % p,), min(x, -x % p)),
        ]
        if x and pow(x, (p - 1) // 2, p) != 1:
            found.append(Row("sqrt", (x,), None))
    return found


def _of_two(x: int, y: int) -> dict[str, int]:
    return {"add": x + y, "sub": x - y, "mul": x * y}


def formula_rows_of(case: Case) -> list[FormulaRow]:
    """Calls of the case's formulas."""
    draw, found = case.draw(), []
    for number, formula in enumerate(case.formulas):
        for _ in range(CALLS):
            operands = formula.operands(draw, case.p)
            found.append(FormulaRow(number, operands, tuple(formula.computed(case.p, operands))))
    return found


def pairs_of(case: Case) -> list[tuple[int, int]]:
    """Two arrays of elements, side by side."""
    draw = case.draw()
    return [(element(draw, case.p), element(draw, case.p)) for _ in range(LENGTH)]
