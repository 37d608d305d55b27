"""fieldc show FIELD --formula FILE.py: what the planner decides, with bounds."""

from __future__ import annotations

from pathlib import Path

from fieldc.commands.verb import Answer, Table
from fieldc.decisions.plans import ranked_plans, said_plans
from fieldc.errors import counted
from fieldc.field import Field
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import Computed, FormulaPlan
from fieldc.targets.registry import TARGETS

TARGET = "x86_64-linux"
"""Whose routines the plans are for."""
COLUMNS = ("value", "line", "is", "from", "below")


def formula_plans(field: Field, path: Path) -> Answer:
    """The plan of each formula of a file for this processor. Raises FormulaError."""
    tables, data = [], []
    for formula in (one.over(field) for one in load_formulas(path)):
        ranked = ranked_plans(field, formula, TARGETS[TARGET], None)
        plan, choices = ranked[0].plan, said_plans(ranked)
        rows = _rows(plan)
        said = (
            f"{formula.name}: {counted(plan.products, 'product')},"
            f" {counted(plan.reductions, 'reduction')},"
            f" {counted(len(plan.computed), 'value')} by {counted(len(plan.blocks), 'routine')}"
        )
        tables.append(Table(COLUMNS, rows, said))
        if len(choices) > 1:
            tables.append(Table((*choices[0],), [(*one.values(),) for one in choices]))
        data.append(
            {
                "formula": formula.name,
                "products": plan.products,
                "reductions": plan.reductions,
                "routines": len(plan.blocks),
                "plans": choices,
                "values": [dict(zip(COLUMNS, row, strict=True)) for row in rows],
            }
        )
    return Answer(tuple(tables), data)


def _rows(plan: FormulaPlan) -> list[tuple[object, ...]]:
    names = dict(enumerate(_inputs(plan)))
    rows: list[tuple[object, ...]] = []
    for one in plan.computed:
        names[one.number] = _name(one, [*names.values()])
        given = ", ".join(
            f"{letter} = {names[i]}" for letter, i in zip("abcdefgh", one.sources, strict=False)
        )
        rows.append((names[one.number], one.line, one.block.says, given, one.block.range.bound))
    return rows


def _inputs(plan: FormulaPlan) -> list[str]:
    return [
        name if count == 1 else f"{name}[{i}]"
        for name, count in plan.formula.operands
        for i in range(count)
    ]


def _name(one: Computed, taken: list[str]) -> str:
    """The name that the file gives a value; with a number where another value has it."""
    name = one.name or "t"
    if name not in taken:
        return name
    return next(f"{name}.{k}" for k in range(2, len(taken) + 3) if f"{name}.{k}" not in taken)
