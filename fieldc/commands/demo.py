"""fieldc demo: one field from its prime to machine code that runs, is checked and is raced."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldc.algorithms import OPERATIONS, applicability
from fieldc.catalogue import find_field
from fieldc.commands.build import decided
from fieldc.commands.options import ALL, folder
from fieldc.commands.progress import progress
from fieldc.commands.races import conclusion, draw, race_tables
from fieldc.commands.show import algorithms, constants
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.field import Field
from fieldc.files import OutputError, temporary_folder

if TYPE_CHECKING:
    from fieldc.lab.race import Report
    from fieldc.targets.target import Artifact

RACED = ("mul", "square", "add", "sub")
ROUNDS = 100
FOLDER = Path("build/demo")
"""Where a demo lies unless another folder is named; there a demo of another prime is replaced."""


@verb(
    option("field", metavar="FIELD", nargs="?", default="bls12-381-p", help="default bls12-381-p"),
    option(
        "-o",
        dest="folder",
        type=folder,
        default=FOLDER,
        metavar="DIR",
        help="where to write (default build/demo)",
    ),
)
def demo(arguments: argparse.Namespace) -> Answer:
    """a prime to machine code: derive, compile for every target, check, race"""
    from fieldc.artifacts.write import check_writable, files_of, write
    from fieldc.machine.instruments import TimingError

    field = find_field(arguments.field)
    replaces_any = arguments.folder == FOLDER
    check_writable(arguments.folder, field, any_field=replaces_any)
    artifacts = build_everything(field)
    files = files_of(field, artifacts)
    tables = [constants(field), algorithms(applicability(field)), built_table(artifacts)]
    names = ["manifest.json and the kernels of every target"]
    data: Any = []
    sentences: tuple[str, ...] = ()
    try:
        report = race_here(field)
        data = report.data()
        more = {**chart(data), "race.json": (json.dumps(data, indent=2) + "\n").encode()}
        files |= more
        names += more
        tables += race_tables(report)
        sentences = conclusion(report)
    except TimingError as error:
        tables.append(Table((), [("SKIPPED race", str(error))]))
    unwritten = None
    try:
        write(arguments.folder, field, files, any_field=replaces_any)
        tables.append(Table((), [("left in", f"{arguments.folder}: {', '.join(names)}")]))
    except OutputError as error:
        unwritten = error
    return Answer(tuple(tables), data, conclusion=sentences, unwritten=unwritten)


def build_everything(field: Field) -> list[Artifact]:
    """Every operation for every target of the field's word width."""
    from fieldc.artifacts.write import build

    with progress() as show:
        return build(decided(field, dict.fromkeys(OPERATIONS), ALL, show=show), show)


def built_table(artifacts: list[Artifact]) -> Table:
    """How many kernels each target has, and how far they are trusted."""
    counts = Counter(
        (a.target.name, a.variant, f"{a.status} {a.reason}".strip()) for a in artifacts
    )
    rows = [(target, variant, n, status) for (target, variant, status), n in counts.items()]
    return Table(("target", "variant", "kernels", "status"), rows, "built")


def race_here(field: Field) -> Report:
    """Every backend of this host against each other, the preferred algorithm of each operation."""
    from fieldc.lab.race import run_race

    with progress() as show:
        return run_race(field, RACED, ROUNDS, 1, show, every_algorithm=False)


def chart(rows: Sequence[dict[str, object]]) -> dict[str, bytes]:
    """race.svg, the chart that fieldc plot draws; nothing without matplotlib."""
    with temporary_folder() as place:
        path = place / "race.svg"
        try:
            draw(rows, path)
        except UsageError:
            return {}
        return {path.name: path.read_bytes()}
