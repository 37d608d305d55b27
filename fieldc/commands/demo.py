"""fieldc demo: one field from its prime to machine code that runs, is checked and is raced."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.algorithms import OPERATIONS, applicability, choose
from fieldc.catalogue import find_field
from fieldc.commands.bench import race_tables
from fieldc.commands.build import targets_of
from fieldc.commands.progress import progress
from fieldc.commands.show import algorithms, constants
from fieldc.commands.verb import Answer, Table, option, rich_table, verb
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.artifacts.artifact import Artifact

RACED = ("mul", "square", "add", "sub")
ROUNDS = 100


@verb(
    option("field", metavar="FIELD", nargs="?", default="bls12-381-p", help="default bls12-381-p"),
    option("-o", dest="folder", default="build/demo", metavar="DIR", help="where to write"),
)
def demo(arguments: argparse.Namespace) -> Answer:
    """a prime to machine code: derive, compile for every target, check, race"""
    from fieldc.machine.clock import TimingError

    field, folder = find_field(arguments.field), Path(arguments.folder)
    tables = [constants(field), algorithms(applicability(field))]
    tables.append(built_table(build_everything(field, folder)))
    files = ["manifest.json and the kernels of every target"]
    data: object = []
    try:
        race, data = race_here(field)
        draw(race, folder / "race.svg")
        (folder / "race.json").write_text(json.dumps(data, indent=2) + "\n")
        files += ["race.svg", "race.json"]
        tables += race
    except TimingError as error:
        tables.append(Table((), [("SKIPPED race", str(error))]))
    tables.append(Table((), [("left in", f"{folder}: {', '.join(files)}")]))
    return Answer(tuple(tables), data)


def build_everything(field: Field, folder: Path) -> list[Artifact]:
    """Every operation for every target of the field's word width, written to the folder."""
    from fieldc.artifacts.write import build_folder

    expressions = [choose(field, operation) for operation in OPERATIONS]
    with progress() as show:
        return build_folder(
            field, expressions, targets_of(field, "all", expressions), folder, show
        )[0]


def built_table(artifacts: list[Artifact]) -> Table:
    """How many kernels each target has, and how far they are trusted."""
    counts = Counter((a.target, a.variant, f"{a.status} {a.reason}".strip()) for a in artifacts)
    rows = [(target, variant, n, status) for (target, variant, status), n in counts.items()]
    return Table(("target", "variant", "kernels", "status"), rows, "built")


def race_here(field: Field) -> tuple[tuple[Table, ...], object]:
    """Every backend of this host against each other, the preferred algorithm of each operation."""
    from fieldc.lab.race import run_race

    with progress() as show:
        report = run_race(field, RACED, ROUNDS, 1, show, every_algorithm=False)
    return race_tables(report), report.data()


def draw(tables: tuple[Table, ...], path: Path) -> None:
    """The tables as a picture."""
    import io

    from rich.console import Console

    console = Console(record=True, width=84, file=io.StringIO())
    for table in tables:
        console.print(rich_table(table))
        console.print()
    path.write_text(console.export_svg(title="fieldc demo"), encoding="utf-8")
