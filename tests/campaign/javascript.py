"""The JavaScript package of a case: its own tests, and a program of calls in Node."""

from __future__ import annotations

from pathlib import Path

from campaign.case import Case, fieldc, run
from campaign.drawn_formulas import Operand
from campaign.rows import FormulaRow, Row, formula_rows_of, rows_of

HEAD = """import assert from "node:assert/strict";
import { load } from "./package/index.js";
const F = await load();
assert.equal(F.p, %sn);
"""


def check(case: Case, folder: Path) -> None:
    """Raises Finding if anything is wrong."""
    formulas = case.formulas_in(folder)
    words = ("--package", "js", "--formula", formulas)
    fieldc(folder, "build", case.written, *words, "-o", "package")
    run(folder / "package", "node", "--test")
    run(folder / "package", "node", "example.mjs")
    lines = [_row(row) for row in rows_of(case)]
    lines += [_formula_row(case, row) for row in formula_rows_of(case)]
    (folder / "program.mjs").write_text(HEAD % case.p + "\n".join(lines) + "\n")
    run(folder, "node", "program.mjs")


def _number(value: Operand) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_number, value))}]"
    return str(value).lower() if isinstance(value, bool) else f"{value}n"


def _row(row: Row) -> str:
    call = f"F.{row.name}({', '.join(map(_number, row.operands))})"
    if row.wanted is not None:
        return f"assert.equal({call}, {row.wanted}n);"
    if row.name == "sqrt":
        return f"assert.equal({call}, null);"
    return f"assert.throws(() => {call}, RangeError);"


def _formula_row(case: Case, row: FormulaRow) -> str:
    formula = case.formulas[row.number]
    wanted = row.wanted if formula.returns_pair else row.wanted[0]
    call = f"F.formulas.{formula.name}({', '.join(map(_number, row.operands))})"
    return f"assert.deepEqual({call}, {_number(wanted)});"  # type: ignore[arg-type]
