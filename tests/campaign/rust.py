"""The Rust package of a case: its own tests, and a program of calls, with assembly and without."""

from __future__ import annotations

import json
from pathlib import Path

from campaign.case import Case, fieldc, run
from campaign.drawn_formulas import Operand
from campaign.rows import FormulaRow, Row, formula_rows_of, pairs_of, rows_of
from fieldc.catalogue import find_field
from fieldc.packages.rust.package import type_name

PROGRAM = """//! Calls, and what Python's integers say.

use {name}::{{{field} as F, formulas, inner_product}};

fn n(text: &str) -> F {{
    F::from_hex(text).expect("a number below p")
}}

fn main() {{
{lines}
}}
"""
CALLS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "neg": "-{0}",
    "square": "{0}.square()",
    "pow": "{0}.pow(&[{1}])",
}
WARNINGS = {"CARGO_NET_OFFLINE": "true", "RUSTFLAGS": "-D warnings", "CARGO_INCREMENTAL": "0"}


def check(case: Case, folder: Path) -> None:
    """Raises Finding if anything is wrong."""
    formulas = case.formulas_in(folder)
    words = ("--package", "rust", "--formula", formulas)
    fieldc(folder, "build", case.written, *words, "-o", "package")
    package = folder / "package"
    metadata = json.loads(run(package, "cargo", "metadata", "--format-version=1", "--no-deps"))
    name = metadata["packages"][0]["name"].replace("-", "_")
    lines = [f"    {_row(row)}" for row in rows_of(case)]
    lines += [f"    {_formula_row(case, row)}" for row in formula_rows_of(case)]
    lines += _arrays(case)
    field = type_name(find_field(case.written))
    program = PROGRAM.format(name=name, field=field, lines="\n".join(lines))
    (package / "examples/drawn.rs").write_text(program)
    for more in ((), ("--features", "portable")):
        run(package, "cargo", "run", "--quiet", "--example", "drawn", *more, **WARNINGS)
    run(package, "cargo", "test", "--quiet", **WARNINGS)


def _arrays(case: Case) -> list[str]:
    pairs = pairs_of(case)
    x, y = ("&[" + ", ".join(map(_element, column)) + "]" for column in zip(*pairs, strict=True))
    inner = sum(a * b for a, b in pairs) % case.p
    return [f"    assert_eq!(inner_product({x}, {y}), {_element(inner)});"]


def _element(value: Operand) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_element, value))}]"
    return f'n("{value:x}")'


def _row(row: Row) -> str:
    x = _element(row.operands[0])
    if row.name == "sqrt":
        wanted = "None" if row.wanted is None else f"Some({_element(row.operands[0])})"
        return f"assert_eq!({x}.sqrt().map(|root| root.square()), {wanted});"
    if row.name == "inv":
        wanted = "None" if row.wanted is None else f"Some({_element(row.wanted)})"
        return f"assert_eq!({x}.invert(), {wanted});"
    last = row.operands[-1]
    call = CALLS[row.name].format(x, last if row.name == "pow" else _element(last))
    return f"assert_eq!({call}, {_element(row.wanted or 0)});"


def _formula_row(case: Case, row: FormulaRow) -> str:
    formula = case.formulas[row.number]
    operands = ", ".join(map(_operand, formula.kinds, row.operands))
    wanted = row.wanted if formula.returns_pair else row.wanted[0]
    return f"assert_eq!(formulas::{formula.name}({operands}), {_element(wanted)});"  # type: ignore[arg-type]


def _operand(kind: str, value: Operand) -> str:
    if kind == "Mask":
        return str(value).lower()
    return str(value) if kind == "U64" else f"&{_element(value)}"
