"""fieldc bench --batch: kernels on arrays against our scalar kernel in a loop."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldc.catalogue import find_field
from fieldc.commands.figures import short, spread_percent
from fieldc.commands.options import MOVING, array_operations
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError

if TYPE_CHECKING:
    from fieldc.lab.arrays import BatchReport, BatchRow

ELEMENTS = 512
"""The length of arrays: those of 6 limbs fit a cache of the second level, and most the first."""
COLUMNS = ("target", "layout", "cycles", "±%", "port bound", "x scalar")
DEFAULT_OPERATIONS = ("mul", "square", "add", "sub")
EXCLUDED = ("algorithm", "operands", "peers", "plot", "all_goals")
"""Options of other races."""


def batch(arguments: argparse.Namespace) -> Answer:
    """The answer of a race of kernels on arrays. Raises UsageError for what it does not take."""
    from fieldc.lab.arrays import run_batch
    from fieldc.targets.array_targets import ARRAY_TARGETS, check_modulus

    for name in EXCLUDED:
        if getattr(arguments, name) not in (None, False, [], MOVING):
            option = name.replace("_", "-")
            raise UsageError(f"--batch races kernels on arrays; leave out --{option}")
    if arguments.field is None or arguments.word not in ("32", "64"):
        raise UsageError("--batch takes a FIELD in words of 64 or 32 bits; see fieldc bench --help")
    field = find_field(arguments.field, int(arguments.word))
    check_modulus((), field)
    targets = [*ARRAY_TARGETS.values()]
    operations = array_operations(field, arguments.op or DEFAULT_OPERATIONS, targets)
    elements = arguments.elements or ELEMENTS
    with progress() as show:
        report = run_batch(field, operations, arguments.rounds, arguments.seed, elements, show)
    return Answer(tuple(_tables(report)), report.data(), conclusion=tuple(_said(report)))


def _tables(report: BatchReport) -> list[Table]:
    tables = []
    for operation in dict.fromkeys(row.op for row in report.rows):
        rows = [row for row in report.rows if row.op == operation]
        title = f"{operation} on arrays of {rows[0].elements}, {short(rows[0].field)}"
        tables.append(Table(COLUMNS, [_row(row) for row in rows], title))
    calibration = report.race.calibration()
    state: list[tuple[object, ...]] = [
        ("processor", calibration["processor"]),
        ("rounds", f"{calibration['rounds']}, seed {calibration['seed']}; ± half of p10 to p90"),
        ("cycles", "of one element; x scalar is against our kernel in a loop over arrays"),
        ("port bound", "micro-operations on vector ports, by count"),
        ("verdict", "DISTURBED: no verdict, run again" if report.race.disturbed else "undisturbed"),
    ]
    state += [("SKIPPED", reason) for reason in report.skipped]
    return [*tables, Table((), state, "this run")]


def _row(row: BatchRow) -> tuple[object, ...]:
    bound = f"{row.port_bound:.2f}" if row.port_bound else "-"
    figures = f"{row.cycles.median:.2f}", f"{spread_percent(row.cycles):.1f}"
    return row.target, row.layout, *figures, bound, f"{row.ratio:.2f}"


def _said(report: BatchReport) -> Sequence[str]:
    found = []
    for operation in dict.fromkeys(row.op for row in report.rows):
        best = min((r for r in report.rows if r.op == operation), key=lambda r: r.cycles.median)
        cycles = best.cycles.median
        said = f"{cycles:.{2 if cycles < 1 else 1}f}"
        if best.port_bound:
            found.append(
                f"{operation} on arrays takes {said} cycles an element in"
                f" {best.layout}, {best.ratio:.1f} times as fast as our scalar kernel."
            )
    if report.race.disturbed:
        found.append("The machine was disturbed: these figures are no verdict, run again.")
    return found
