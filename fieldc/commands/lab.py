"""fieldc lab: the whole study, from races to one page."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fieldc.commands.options import OPERANDS, SEED, folder, positive
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.errors import counted, quote
from fieldc.files import OTHER_FOLDER, OutputError, write_file
from fieldc.reading import read_text

SHOWN = "x86-mulx"
"""The flavour of which the last sentences speak."""


@verb(
    option("--quick", action="store_true", help="fewer limb counts and rounds: about 3 minutes"),
    option(
        "-o",
        dest="folder",
        type=folder,
        default=Path("build/lab"),
        metavar="DIR",
        help="default build/lab",
    ),
    option("--rounds", type=positive, metavar="N", help="rounds of each race (default 100 or 25)"),
    SEED,
    OPERANDS,
)
def lab(arguments: argparse.Namespace) -> Answer:
    """the whole study: algorithms by flavours by limb counts, as CSV, JSON and one page"""
    try:
        from fieldc.lab.report.compose import COMMAND, compose
    except ImportError:
        raise UsageError("fieldc lab draws with matplotlib; pip install 'fieldc[plots]'") from None
    from fieldc.lab.study import FULL, QUICK, run_study

    plan = QUICK if arguments.quick else FULL
    plan = replace(
        plan,
        seed=arguments.seed,
        rounds=arguments.rounds or plan.rounds,
        operands=arguments.operands,
    )
    folder = arguments.folder
    check_page(folder / "index.html", COMMAND)
    if (folder / "rows.json").exists() and not (folder / "index.html").exists():
        held = quote(str(folder / "rows.json"))
        raise UsageError(f"fieldc lab did not write {held}; {OTHER_FOLDER}")
    if (folder / "manifest.json").exists():
        held = quote(str(folder))
        raise UsageError(f"{held} is a folder of fieldc build; {OTHER_FOLDER}")
    with progress() as show:
        rows, left_out = run_study(plan, folder, show)
    unwritten = None
    page = compose(rows, left_out, folder)
    try:  # the page first: rows without a page are somebody else's
        write_file(folder / "index.html", page, OTHER_FOLDER)
        write_file(folder / "rows.json", json.dumps(rows) + "\n", OTHER_FOLDER)
    except OutputError as error:
        unwritten = error
    fields = len({row["field"] for row in rows})
    disturbed = sorted({row["field"] for row in rows if row["calibration"]["disturbed"]})
    lines = [
        ("rows", f"{len(rows)} of {fields} fields, {counted(plan.rounds, 'round')} each"),
        *(() if unwritten else left_in(folder)),
        ("verdict", f"DISTURBED: {', '.join(disturbed)}" if disturbed else "undisturbed"),
        *(("SKIPPED", reason) for reason in left_out),
    ]
    table, said = Table((), lines, "the study"), conclusion(rows)
    return Answer((table,), rows, conclusion=said, unwritten=unwritten)


def left_in(folder: Path) -> list[tuple[str, str]]:
    """Where the page and the figures are."""
    data = f"{folder}/rows.json; trials: a CSV file for each field"
    return [("page", f"{folder}/index.html"), ("data", data)]


def conclusion(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Which algorithm wins how often, by our own code: one sentence for each operation."""
    from fieldc.lab.findings import places

    sentences = []
    for op in dict.fromkeys(row["op"] for row in rows):
        mine = [dict(row) for row in rows if row["op"] == op]
        first = [p for p in places(mine, "throughput") if p.backend == SHOWN and p.by_best == 1]
        if not first:
            continue
        (name, wins), *_ = Counter(place.algorithm for place in first).most_common(1)
        sentences.append(
            f"{op}: {name} is the fastest algorithm of {SHOWN} in {wins} of {len(first)} fields."
        )
    return tuple(sentences)


def check_page(page: Path, mark: str) -> None:
    """Raise UsageError for a page that is there and is not a study's."""
    try:
        ours = not page.exists() or mark in read_text(page)
    except PermissionError:
        raise
    except (OSError, ValueError):
        ours = False
    if not ours:
        raise UsageError(f"fieldc lab did not write {quote(str(page))}; {OTHER_FOLDER}")
