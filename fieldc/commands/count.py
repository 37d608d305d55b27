"""fieldc count: what the functions of an object, library or program consist of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fieldc.commands.code import (
    PROCESSOR,
    bounds_table,
    located,
    memory_table,
    opcode_table,
    shown_bounds,
)
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.errors import quote

if TYPE_CHECKING:
    from fieldc.counting.count import Count
    from fieldc.counting.functions import Counted, File
    from fieldc.counting.limits import Limits
    from fieldc.progress import Progress
    from fieldc.simulator.opinions import Opinion
    from fieldc.simulator.predict import PredictedCycles

MOST = 4000
"""Longer code is not simulated: it would take more than a few seconds."""
COLUMNS = ("function", "instructions", "mul", "add", "sub", "moves", "memory", "spills", "one path")


@verb(
    option(
        "path",
        metavar="PATH[:SYMBOL]",
        help="a file of machine code (ELF, Mach-O, COFF, a static archive) and one of its "
        "functions, or part of a name that only one function has; without it a row for each",
    ),
    PROCESSOR,
    option(
        "--opinions",
        action="store_true",
        help="show what llvm-mca and OSACA predict too, where they are installed",
    ),
)
def count(arguments: argparse.Namespace) -> Answer:
    """instructions, memory accesses and lower bounds of compiled functions"""
    from fieldc.counting.functions import open_file

    path, symbol = located(arguments.path)
    file = open_file(path)
    if symbol:
        return one(file.counted(symbol), arguments.processor, arguments.opinions)
    for name in ("opinions", "processor"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} needs one function: {quote(str(path))}:SYMBOL")
    with progress() as show:
        return every(file, show)


def one(found: Counted, key: str | None, second: bool = False) -> Answer:
    """Everything about one function; with second opinions on its cycles if they are asked for."""
    bounds = shown_bounds(found.count, key)
    predicted = predictions(found.count, bounds)
    data = {
        **found.row(),
        "bounds": [limits.row() for limits in bounds],
        "predictions": [prediction.row() for prediction in predicted],
    }
    tables = [
        Table((), properties(found), found.routine.name),
        opcode_table(found.count),
        memory_table(found.count.memory(False), found.count.memory(True), "memory accesses"),
    ]
    if bounds:
        tables.append(bounds_table(bounds))
    if predicted:
        tables.append(predictions_table(predicted))
    if second:
        said = [*second_opinions(found.count, predicted)]
        tables.append(opinions_table(said))
        data["opinions"] = [each.row() for each, _ in said]
    return Answer(tuple(tables), data)


def predictions(count: Count, bounds: list[Limits]) -> list[PredictedCycles]:
    """What the simulator says, for the processors with bounds that it knows."""
    from fieldc.simulator.predict import predict

    if count.instructions > MOST:
        return []
    found = (predict(count, limits.processor) for limits in bounds)
    return [prediction for prediction in found if prediction]


def predictions_table(predicted: list[PredictedCycles]) -> Table:
    """Cycles of independent and of dependent calls."""
    rows = [(p.processor, f"{p.throughput:.1f}", f"{p.latency:.1f}") for p in predicted]
    title = "a call takes about (by the simulator, not measured)"
    return Table(("processor", "independent", "dependent"), rows, title)


def second_opinions(
    count: Count, predicted: list[PredictedCycles]
) -> Iterator[tuple[Opinion, PredictedCycles]]:
    """What other tools say, beside our prediction. Raises UsageError where there is none."""
    from fieldc.machine.processors import find_processor
    from fieldc.simulator.opinions import opinions

    if not predicted:
        raise UsageError("--opinions stand beside a prediction: none is made of this function")
    for ours in predicted:
        for each in opinions(count, find_processor(ours.processor)):
            yield each, ours


def opinions_table(said: list[tuple[Opinion, PredictedCycles]]) -> Table:
    """Each tool's cycles of independent calls, and whether they agree with ours."""
    rows = [
        (
            ours.processor,
            f"{ours.throughput:.1f}",
            each.tool,
            "-" if each.cycles is None else f"{each.cycles:.1f}",
            each.verdict(ours.throughput),
        )
        for each, ours in said
    ]
    columns = ("processor", "independent", "tool", "says", "verdict")
    return Table(columns, rows, "second opinions on independent calls")


def properties(found: Counted) -> list[tuple[object, ...]]:
    """The figures of a function, one a line."""
    counts = found.count
    spills = counts.spills()
    pushed, popped = counts.pushed_and_popped()
    rows: list[tuple[object, ...]] = [
        ("code", f"{found.image.architecture}, {found.image.container}, {found.size} bytes"),
        ("address", f"{found.routine.address:#x}"),
        ("instructions", counts.instructions),
        *((f"  {kind}", times) for kind, times in counts.by_kind().items()),
        (
            "at the stack",
            f"{spills['loads']} loads, {spills['stores']} stores, {pushed} pushed, {popped} popped",
        ),
    ]
    if found.calls:
        rows.append(("calls", ", ".join(found.calls)))
    if not counts.is_straight:
        rows.append(("bounds", "none: it branches or calls; fieldc trace has those of one call"))
    return rows


def every(file: File, show: Progress) -> Answer:
    """A row for each function of a file."""
    found = list(file.every(show))
    rows: list[tuple[object, ...]] = []
    for name, member, each in found:
        shown = f"{member}: {name}" if member else name
        if isinstance(each, str):
            rows.append((shown, "-", "-", "-", "-", "-", "-", "-", each))
            continue
        row = each.count.row()
        rows.append(
            (
                shown,
                *(row[k] for k in ("instructions", "multiplications", "additions")),
                *(row[k] for k in ("subtractions", "moves")),
                sum(each.count.memory().values()),
                sum(each.count.spills().values()),
                "yes" if each.count.is_straight else "no",
            )
        )
    data = [
        {"symbol": name, "member": member, "refused": each} if isinstance(each, str) else each.row()
        for name, member, each in found
    ]
    return Answer((Table(COLUMNS, rows, optional=("moves", "sub", "spills")),), data)
