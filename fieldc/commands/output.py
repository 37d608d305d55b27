"""How an answer is printed: tables on a terminal, plain columns elsewhere, JSON on request."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from fieldc.commands.verb import JSON_ALONE, Answer, Table
from fieldc.errors import printable
from fieldc.files import OutputError, write_file

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table as RichTable

WORD = 24
"""Letters of the longest words that are not broken: names of targets."""
SEAM = re.compile(r"(?<=[^\s/_:,+-])(?:[/_:,+-]+|\.\.\.)")
"""Where a word that is too long is broken: after signs within a path or the name of a function."""
NARROWEST, WIDTH, HEIGHT = 10, 80, 24
"""A terminal that says less than the first, or nothing, is taken to have the second."""


def emit(answer: Answer, json_file: str | None) -> None:
    """Print the answer: tables, or JSON with --json; tables and a file with --json FILE.

    What could not be written is raised last.
    """
    unwritten = answer.unwritten
    if json_file is None:
        print_answer(answer)
    elif json_file == "-":
        sys.stdout.write(json.dumps(answer.data, indent=2) + "\n")
    else:
        failed = attempt(json_file, answer.data)
        print_answer(answer)
        unwritten = unwritten or failed
    if unwritten is not None:
        raise unwritten


def attempt(json_file: str, data: object) -> OutputError | None:
    """Write the rows to a file; the error where that fails."""
    try:
        write_file(Path(json_file), json.dumps(data, indent=2) + "\n", JSON_ALONE)
    except OutputError as error:
        return error
    return None


def print_answer(answer: Answer) -> None:
    """Print tables, conclusion, and the content of a file that could not be written."""
    for number, table in enumerate(answer.tables):
        if number:
            print()
        _print(plain_names(table))
    for number, sentence in enumerate(map(printable, answer.conclusion)):
        if not number and answer.tables:
            print()
        print(wrapped(sentence, _terminal().width) if sys.stdout.isatty() else sentence)
    if answer.content:
        print(f"\n{answer.content}", end="")


def plain_names(table: Table) -> Table:
    """The table with names of files as one line each, whatever they hold."""
    rows = [
        tuple(printable(str(one)) if isinstance(one, str | Path) else one for one in row)
        for row in table.rows
    ]
    return replace(table, title=printable(table.title), rows=rows)


def _print(table: Table) -> None:
    if sys.stdout.isatty():
        console = _terminal()
        shown, left_out = fitted(table, console)
        if not has_room(shown, console.width):
            print_records(table, console)
            return
        console.print(rich_table(shown, console.width))
        if left_out:
            names = ", ".join(left_out)
            left = f"not shown: {names} (a wider terminal or --json has them)"
            print(wrapped(left, console.width))
        return
    if table.title:
        print(table.title)
    rows = [tuple(map(str, row)) for row in table.rows]
    rows = [table.columns, *rows] if table.columns else rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _terminal() -> Console:
    """The terminal of the standard output."""
    from rich.console import Console

    room = get_terminal_size((WIDTH, HEIGHT))
    width = room.columns if room.columns >= NARROWEST else WIDTH
    return Console(width=width, height=room.lines)  # rich asks no terminal that calls itself dumb


def fitted(table: Table, console: Console) -> tuple[Table, list[str]]:
    """The table with as many optional columns as the console has room for, and the others."""
    from rich.measure import Measurement

    left_out: list[str] = []
    for name in table.optional:
        wide = Measurement.get(console, console.options.update(max_width=1000), rich_table(table))
        if wide.maximum <= console.width:
            break
        if name in table.columns:
            left_out.append(name)
            table = without(table, name)
    return table, left_out


def without(table: Table, name: str) -> Table:
    """The table without a column."""
    at = table.columns.index(name)
    columns = (*table.columns[:at], *table.columns[at + 1 :])
    return replace(table, columns=columns, rows=[(*r[:at], *r[at + 1 :]) for r in table.rows])


def column_widths(table: Table, room: int) -> list[int]:
    """The width of each column: the widest are narrowed first, and no word is broken if it fits.

    Words of more than WORD letters are broken before columns stand under each other.
    """
    rows = [[str(cell) for cell in row] for row in (table.columns, *table.rows) if row]
    cells = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in cells]
    words = [max(len(word) for cell in column for word in [*cell.split(), ""]) for column in cells]
    for least in (words, [min(longest, WORD) for longest in words]):
        while sum(widths) + len(widths) - 1 > room:
            wide = [i for i, width in enumerate(widths) if width > least[i]]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def has_room(table: Table, room: int) -> bool:
    """Whether the columns stand side by side without a broken word."""
    widths = column_widths(table, room)
    return sum(widths) + len(widths) - 1 <= room


def print_records(table: Table, console: Console) -> None:
    """Print each row as lines of its own, a cell a line under its column's name."""
    from rich.text import Text

    if table.title:
        console.print(Text(table.title, style="italic"))
    for number, row in enumerate(table.rows):
        if number or table.title:
            console.print()
        named = zip(table.columns or ("",) * len(row), map(str, row), strict=True)
        cells = [f"{name}: {cell}" if name else cell for name, cell in named if cell]
        lines = (wrapped(cell, console.width) for cell in cells)
        style = "bold green" if number in table.best else ""
        console.print(Text("\n".join(lines), style=style))


def wrapped(text: str, width: int, indent: str = "  ") -> str:
    """The text in lines of a width, those after the first set in.

    A word that fits no line is broken after a sign within it, if it has one.
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line.strip() and len(line) + 1 + len(word) > width:
            lines, line = [*lines, line], indent
        line += " " * bool(line.strip()) + word
        while len(line) > width:
            end = max((m.end() for m in SEAM.finditer(line, len(indent), width)), default=width)
            lines, line = [*lines, line[:end]], indent + line[end:]
    return "\n".join([*lines, line])


def rich_table(table: Table, room: int | None = None) -> RichTable:
    """The table as rich draws it: numbers to the right, the best rows in bold green.

    `room` is the width that the columns share; without it each is as wide as its cells.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    title, header = Text(table.title) if table.title else None, bool(table.columns)
    grid = RichTable(box=SIMPLE_HEAD, title=title, show_header=header, pad_edge=False)
    grid.show_edge, grid.padding = False, 0
    widths = None if room is None else column_widths(table, room)
    width = len(table.rows[0]) if table.rows else len(table.columns)
    for i, heading in enumerate(table.columns or ("",) * width):
        numbers = all(str(row[i])[:1].isdigit() or row[i] == "-" for row in table.rows)
        side: JustifyMethod = "right" if numbers and table.columns else "left"
        grid.add_column(heading, overflow="fold", justify=side, width=widths[i] if widths else None)
    for number, row in enumerate(table.rows):
        style = "bold green" if number in table.best else ""
        cells = list(map(str, row))
        if widths:
            cells = [wrapped(cell, room, "") for cell, room in zip(cells, widths, strict=True)]
        grid.add_row(*map(Text, cells), style=style)
    return grid
