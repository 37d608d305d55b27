"""fieldc plot: draw the rows that a race left."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldc.commands.options import file, picture
from fieldc.commands.races import draw
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.errors import quote
from fieldc.files import check_file
from fieldc.reading import json_in, read_text

LEAST, MOST = 1e-9, 1e15
"""Of the figures that a picture can have; an axis has no room for others."""
DRAWN = "plot draws those above 1e-9 and below 1e15"


@verb(
    option(
        "rows",
        type=file,
        metavar="ROWS",
        help="a file of bench --json (without --batch) or of make race RACE='--json FILE'",
    ),
    option("-o", dest="picture", required=True, type=picture, metavar="FILE", help="the picture"),
)
def plot(arguments: argparse.Namespace) -> Answer:
    """draw the rows of a race, with their 10th and 90th percentiles"""
    check_file(arguments.picture)
    rows = read_rows(arguments.rows)
    draw(rows, arguments.picture)
    return Answer(
        (Table((), [("rows", len(rows)), ("drawn in", arguments.picture)]),),
        {"rows": len(rows), "picture": str(arguments.picture)},
    )


def read_rows(path: Path) -> list[Mapping[str, Any]]:
    """The rows of a race in a file. Raises UsageError."""
    name = quote(str(path))
    try:
        rows = json_in(read_text(path))
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"cannot read the rows of {name}: {error}") from None
    except RecursionError:
        raise UsageError(f"{name} has no rows: it is nested too deeply") from None
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{name} has no rows; bench --json FILE writes some")
    for number, row in enumerate(rows, 1):
        if wrong := what_is_wrong(row):
            raise UsageError(f"these are no rows of a race: row {number} {wrong}")
    return rows


def what_is_wrong(row: object) -> str:
    """Why a row cannot be drawn; empty where it can."""
    if not isinstance(row, dict):
        return "is no object"
    if "cycles_per_element" in row:
        return "is of bench --batch, which has no picture"
    if wrong := wrong_text(row):
        return wrong
    for mode in ("throughput", "latency"):
        spread = row.get(f"{mode}_spread")
        figures: dict[str, Any] = dict(spread) if isinstance(spread, dict) else {}
        figures["median"] = row.get(f"{mode}_cycles")  # it is drawn, not that of the spread
        for name in ("median", "low", "high"):
            if wrong := wrong_number(figures.get(name), f"the {mode}, {name}"):
                return wrong
        if figures["low"] > figures["high"]:
            return f"has a {mode} whose low end is above its high end"
    if "peer" in row and not isinstance(row.get("version", 0), str | None):
        return "has no 'version'"
    return wrong_clock(row.get("calibration"))


def wrong_clock(run: object) -> str:
    """Why a calibration has no clock of a race; empty where it has one."""
    if not isinstance(run, dict) or "core_ghz" not in run or "disturbed" not in run:
        return "has no 'calibration' with the clock of a race"
    return wrong_number(run["core_ghz"], "the clock, 'core_ghz'")


def wrong_text(row: Mapping[str, object]) -> str:
    """Which of a row's texts is missing, or cannot be drawn; empty where none is."""
    for name in ("field", "op", "algorithm", "peer" if "peer" in row else "backend"):
        if not isinstance(row.get(name), str):
            return f"has no {quote(name)}"
    for name, text in row.items():
        if isinstance(text, str) and not text.isprintable():
            return f"has letters that cannot be drawn in {quote(name)}"
    return ""


def wrong_number(value: object, what: str) -> str:
    """Why a picture cannot have a value, which is no truth value; empty where it can."""
    if not isinstance(value, int | float) or value is True or not value > 0:
        return f"has no positive number for {what}"
    return "" if LEAST < value < MOST else f"has a number out of range for {what}: {DRAWN}"
