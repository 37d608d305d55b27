"""Trials as CSV, one line for each measured slice."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from fieldc.files import OTHER_FOLDER, write_file
from fieldc.lab.race import Report
from fieldc.reading import read_up_to

COLUMNS = (
    "field",
    "limbs",
    "op",
    "algorithm",
    "backend",
    "mode",
    "round",
    "placement",
    "cycles",
    "ns",
    "ticks_per_cycle",
    "canary",
    "accepted",
)


def write_trials(path: Path, report: Report) -> None:
    """Every slice of a race: cycles and nanoseconds of a call, and whether it was accepted."""
    held = io.StringIO()
    lines = csv.writer(held, lineterminator="\n")
    lines.writerow(COLUMNS)
    lines.writerows(_lines(report))
    write_file(path, held.getvalue(), OTHER_FOLDER)


def may_hold_trials(path: Path) -> bool:
    """Whether a file is one of trials, or there is none: no other one is written over."""
    try:
        head = ",".join(COLUMNS)
        return read_up_to(path, len(head) + 1).decode() in (head, head + "\n")
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False


def _lines(report: Report) -> Iterator[tuple[object, ...]]:
    race = report.race
    rows = {row.label: row for row in report.rows}
    for piece in race.slices:
        row = rows[piece.label]
        yield (
            *(row.field, row.limbs, row.op, row.algorithm, row.backend),
            *(piece.mode, piece.round, piece.placement, f"{piece.cycles:.2f}"),
            f"{piece.ticks / race.tsc_ghz:.2f}",
            *(f"{piece.ticks_per_cycle:.4f}", f"{piece.canary:.3f}"),
            int(piece.good(race.canary)),
        )
