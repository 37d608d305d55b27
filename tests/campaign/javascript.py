"""The JavaScript package of a case: its own tests, and a program of calls in Node."""

from __future__ import annotations

from pathlib import Path

from campaign.case import Case, fieldc, run
from campaign.drawn_formulas import Operand
from campaign.rows import FormulaRow, Row, formula_rows_of, pairs_of, rows_of
from fieldc.packages.checked_in import ROOT

TYPED = """import { load } from "./package/index.js";

const F = await load();
"""
TYPESCRIPT = ROOT / "packages/js/node_modules/.bin/tsc"
"""Where `npm install` in packages/js leaves it."""
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
    lines += _arrays(case)
    (folder / "program.mjs").write_text(HEAD % case.p + "\n".join(lines) + "\n")
    run(folder, "node", "program.mjs")
    if TYPESCRIPT.exists():
        check_types(case, folder)


def check_types(case: Case, folder: Path) -> None:
    """A program in TypeScript knows the operands and results of each formula."""
    lines = [_typed_call(case, row) for row in formula_rows_of(case)]
    (folder / "types.ts").write_text("\n".join([TYPED, *lines, ""]))
    (folder / "package.json").write_text('{"type": "module"}')
    words = ("--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", "")
    run(folder, TYPESCRIPT, *words, "types.ts")


def _arrays(case: Case) -> list[str]:
    pairs, p = pairs_of(case), case.p
    wanted = {"addVec": "+", "subVec": "-", "mulVec": "*"}
    means = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}
    x, y = (list(column) for column in zip(*pairs, strict=True))
    lines = [f"const [x, y] = [F.from({_list(x)}), F.from({_list(y)})];"]
    for name, sign in wanted.items():
        values = _list([means[sign](a, b) % p for a, b in pairs])
        lines.append(f"assert.deepEqual(F.{name}(F.vector({len(x)}), x, y).toBigInts(), {values});")
    inner = sum(a * b for a, b in pairs) % p
    lines.append(f"assert.equal(F.innerProduct(x, y), {inner}n);")
    return [*lines, f"assert.equal(F.sum(x), {sum(x) % p}n);"]


def _list(values: list[int]) -> str:
    return f"[{', '.join(f'{value}n' for value in values)}]"


def _typed_call(case: Case, row: FormulaRow) -> str:
    formula = case.formulas[row.number]
    result = "[bigint, bigint]" if formula.returns_pair else "bigint"
    call = f"F.formulas.{formula.name}({', '.join(map(_number, row.operands))})"
    return f"{{ const z: {result} = {call}; void z; }}"


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
