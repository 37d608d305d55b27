"""fieldc page: everything about one prime on one self-contained page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fieldc.algorithms import KERNELS, STUDIED, applicability
from fieldc.algorithms.shapes import shapes
from fieldc.catalogue import find_field
from fieldc.commands.code import bounds_table
from fieldc.commands.figures import short
from fieldc.commands.options import ending, file
from fieldc.commands.progress import progress
from fieldc.commands.show import constants, shape_table
from fieldc.commands.verb import FIELD, Answer, Table, option, verb
from fieldc.commands.why import why_representation
from fieldc.errors import counted
from fieldc.field import Field
from fieldc.files import check_file, write_file
from fieldc.lab.report.listing import listing
from fieldc.lab.report.page import Grid, Listing, Picture, Section, page
from fieldc.properties import shape

if TYPE_CHECKING:
    from fieldc.targets.target import Artifact

SHOWN = ("mul", "square", "add", "sub")
TARGET = "x86_64-linux"
PAGES = (".html", ".htm")
ROUNDS = 60
MOST_STEPS = 40
"""Of a certificate's case."""


@verb(
    FIELD,
    option("-o", dest="file", type=file, required=True, metavar="FILE", help="the page, .html"),
    option("--no-race", action="store_true", help="leave the race out"),
)
def page_(arguments: argparse.Namespace) -> Answer:
    """one self-contained HTML page for a prime: constants, kernels, proof, bounds, race"""
    field, path = find_field(arguments.field), ending(arguments.file, PAGES, "page")
    check_file(path)
    kernels = best_kernels(field)
    made = [numbers(field), forms(field), which(field), chosen(kernels), code(kernels[0])]
    made += [ports(kernels[0]), proof(kernels[0])]
    race = [] if arguments.no_race else race_of(field)
    name = short_name(field)
    typed = field.label if field.name or "..." in name else name.replace(" ", "")
    text = page(
        f"Arithmetic modulo {name}",
        f"Made by fieldc page {typed}. Values are residues modulo p in {field.size}.",
        "",
        [*made, *race],
    )
    write_file(path, text)
    rows = [("page", path), ("bytes", len(text.encode())), ("kernels", len(kernels))]
    return Answer((Table((), rows),), {"page": str(path), "kernels": [k.row() for k in kernels]})


def short_name(field: Field) -> str:
    """The field's name, or its prime as a formula of numbers, or the ends of its number."""
    form = shape(field.p)
    is_formula = not any(part.isalpha() for part in form.split())
    return field.name or (form if is_formula else short(hex(field.p)))


def best_kernels(field: Field) -> list[Artifact]:
    """The preferred kernel of each operation for x86-64, proved."""
    from fieldc.artifacts.write import build
    from fieldc.commands.build import decided

    with progress() as show:
        made = build(decided(field, dict.fromkeys(SHOWN), TARGET, show=show), show)
    return [artifact for artifact in made if artifact.preferred]


def numbers(field: Field) -> Section:
    """The derived constants."""
    lines = constants(field).rows
    return Section("The prime", "What follows from p.", [Grid("", ("constant", "value"), lines)])


def forms(field: Field) -> Section:
    """What of the prime's form saves work, and how residues may stand for numbers."""
    from fieldc.targets.registry import find_target

    shown = shape_table(shapes(field))
    judged = why_representation(field, find_target(TARGET), None).tables
    text = (
        "A shape is what of the prime's form saves work. The kernels below are for residues in "
        "Montgomery form; a package takes the representation that stands first here."
    )
    titled = [
        (table.title.replace(field.label, short_name(field)), table) for table in (shown, *judged)
    ]
    grids = [
        Grid(title[:1].upper() + title[1:], table.columns, table.rows) for title, table in titled
    ]
    return Section("Shape and representation", text, grids)


def which(field: Field) -> Section:
    """Which algorithms hold, by operations, and which do not, by reasons."""
    rows = applicability(field, (*KERNELS, *STUDIED))
    places = list(dict.fromkeys(row.kernel.operation for row in rows))
    hold = [
        (row.kernel.operation, row.kernel.algorithm, row.bound)
        for row in sorted(rows, key=lambda row: places.index(row.kernel.operation))
        if row.applies
    ]
    fail: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if not row.applies:
            fail.setdefault((row.kernel.algorithm, row.hint), []).append(row.kernel.operation)
    refused = [(name, ", ".join(ops), why) for (name, why), ops in fail.items()]
    text = (
        "An algorithm holds where its bounds show that the result is canonical. The bound is the "
        "largest value before the last subtraction."
    )
    grids = [
        Grid("", ("operation", "algorithm", "bound"), hold),
        Grid("Those that do not hold", ("algorithm", "operations", "why not"), refused),
    ]
    return Section("Which algorithms hold", text, grids)


def chosen(kernels: Sequence[Artifact]) -> Section:
    """The kernels, and how far they are trusted."""
    columns = ("operation", "algorithm", "variant", "contract", "status")
    names = [(k.expression.kernel.operation, k.expression.kernel.algorithm) for k in kernels]
    lines = [
        (*name, k.variant, k.contract, k.status) for name, k in zip(names, kernels, strict=True)
    ]
    text = f"The kernels that fieldc builds for {TARGET}. PROVED: for all inputs, from the bytes."
    return Section("The chosen kernels", text, [Grid("", columns, lines)])


def code(kernel: Artifact) -> Section:
    """The instructions of the multiplication."""
    text = (
        "Rows of the product are blue, rows of the reduction orange. A bar at the left marks an "
        "addition: solid for the chain in the carry flag, dotted for the one in the overflow flag."
    )
    lines = [
        (f"{line.part} {line.chain}".strip(), line.text, line.comment, line.says)
        for line in listing(kernel.text)
    ]
    return Section(f"The multiplication: {kernel.symbol}", text, [Listing(lines)])


def ports(kernel: Artifact) -> Section:
    """What the processors' units must do for the multiplication."""
    from fieldc.counting.functions import count_in
    from fieldc.counting.limits import all_bounds

    table = bounds_table(all_bounds(count_in(kernel.code or b"", kernel.symbol)))
    text = (
        "Cycles that each unit of a processor is busy for one call, by published tables. The "
        "largest is a lower bound for independent calls. The latency chain is the longest path "
        "through one call, from operands in the cache; a chain of calls may take less."
    )
    return Section("Pressure on ports", text, [Grid("", table.columns, table.rows)])


def proof(kernel: Artifact) -> Section:
    """How the multiplication is proved, and the steps of its certificate."""
    text = (
        "The prover reads the finished bytes, knows nothing of the compiler, and runs them on "
        "symbols. Each word that an instruction gives satisfies an equation over the integers. In "
        "each case below the carries that cannot occur are shown to be 0, and the equations are "
        "added up to the claim. Memory, stack, registers, aliasing and constant time are checked "
        "in the same run. fieldc-check replays the certificate with a decoder of its own."
    )
    if not kernel.certificate:
        return Section("The proof", f"{kernel.status}: there is no certificate.", [])
    certificate: dict[str, Any] = json.loads(kernel.certificate)
    grids = [_case(number, case) for number, case in enumerate(certificate["cases"], 1)]
    return Section("The proof", text, grids)


def _case(number: int, case: dict[str, Any]) -> Grid:
    facts = case["facts"]
    flags = ", ".join(f"variable {name} is {value}" for name, value in case["flags"]) or "none"
    lines = [
        (
            step,
            f"variable {fact['variable']} = {fact['value']}",
            "its bounds" if "bound" in fact else "its residue",
        )
        for step, fact in enumerate(facts[:MOST_STEPS], 1)
    ]
    more = len(facts) - len(lines)
    note = f"{more} more steps are in the certificate." if more > 0 else ""
    title = f"Case {number}: flags assumed: {flags}; {counted(len(facts), 'step')}"
    return Grid(title, ("step", "shown", "by"), lines, note)


def race_of(field: Field) -> list[Section]:
    """The race on this machine, as a chart; nothing where none can be run or drawn."""
    from fieldc.lab.race import run_race
    from fieldc.machine.instruments import TimingError

    try:
        from fieldc.lab.report.race import race_dots
        from fieldc.lab.report.style import styled, svg

        with progress() as show:
            report = run_race(field, SHOWN, ROUNDS, 1, show, every_algorithm=False)
    except (ImportError, TimingError) as error:
        return [Section("The race", f"SKIPPED: {error}", [])]
    with styled():
        drawn = svg(race_dots([{**row, "field": short_name(field)} for row in report.data()]))
    run = report.calibration()
    caption = f"{run['processor']}, {run['core_ghz']:.2f} GHz, {run['rounds']} interleaved rounds."
    warning = " The machine was disturbed: no verdict." if run["disturbed"] else ""
    text = "Cycles of one call on the machine that made this page."
    return [Section("The race", text, [Picture(drawn, caption + warning, fits=True)])]
