"""Python's interface on a case: elements, arrays and compiled formulas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path

from campaign.case import Case, Finding
from campaign.rows import Row, formula_rows_of, rows_of
from fieldc import Element, Field, compile
from fieldc.formulas.load import load_formulas

WAYS: dict[str, Callable[..., Element]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "square": lambda x: x**2,
    "inv": lambda x: 1 / x,
    "pow": operator.pow,
}


def check(case: Case, folder: Path) -> None:
    """Raises Finding if anything is wrong."""
    F = Field(case.written)
    rows = [row for row in rows_of(case) if row.name in WAYS]
    for row in rows:
        if (found := _found(F, row)) != row.wanted:
            raise Finding(f"Python: {row.name}{row.operands} is {found}, not {row.wanted}")
    pairs = [row.operands for row in rows if row.name == "mul"]
    x, y = (F.array(column) for column in zip(*pairs, strict=True))  # type: ignore[arg-type]
    products = [row.wanted for row in rows if row.name == "mul"]
    if (array := [int(z) for z in x * y]) != products:
        raise Finding(f"Python: an array of products is {array}, not {products}")
    functions = [compile(F, one) for one in load_formulas(case.formulas_in(folder))]
    for formula_row in formula_rows_of(case):
        z = functions[formula_row.number](*formula_row.operands)  # type: ignore[arg-type]
        values = tuple(map(int, z if isinstance(z, tuple) else (z,)))
        if values != formula_row.wanted:
            raise Finding(f"Python: formula {formula_row} is {values}")


def _found(F: Field, row: Row) -> int | None:
    x, *rest = row.operands
    others = rest if row.name == "pow" else [F(y) for y in rest]  # type: ignore[arg-type]
    try:
        return int(WAYS[row.name](F(x), *others))  # type: ignore[arg-type]
    except ZeroDivisionError:
        return None
