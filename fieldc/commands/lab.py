"""fieldc lab: the whole study, from races to one page."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from fieldc.commands.bench import OPERANDS, positive
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, option, verb


@verb(
    option("--quick", action="store_true", help="fewer limb counts and rounds: about 2 minutes"),
    option("-o", dest="folder", default="build/lab", metavar="DIR", help="default build/lab"),
    option("--rounds", type=positive, metavar="N", help="rounds of each race (default 100 or 25)"),
    option("--seed", type=int, default=1, metavar="N", help="seed of inputs and order (default 1)"),
    OPERANDS,
)
def lab(arguments: argparse.Namespace) -> Answer:
    """the whole study: algorithms by flavours by limb counts, as CSV, JSON and one page"""
    try:
        from fieldc.lab.report.compose import compose
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
    folder = Path(arguments.folder)
    with progress() as show:
        rows, left_out = run_study(plan, folder, show)
    (folder / "rows.json").write_text(json.dumps(rows) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(compose(rows, left_out, folder), encoding="utf-8")
    fields = len({row["field"] for row in rows})
    disturbed = sorted({row["field"] for row in rows if row["calibration"]["disturbed"]})
    lines = [
        ("rows", f"{len(rows)} of {fields} fields, {plan.rounds} rounds each"),
        ("page", f"{folder}/index.html"),
        ("data", f"{folder}/rows.json; trials: a CSV file for each field"),
        ("verdict", f"DISTURBED: {', '.join(disturbed)}" if disturbed else "undisturbed"),
        *(("SKIPPED", reason) for reason in left_out),
    ]
    return Answer((Table((), lines, "the study"),), rows)
