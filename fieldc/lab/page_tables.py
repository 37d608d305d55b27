"""Tables that a program writes into a page, each below a mark that names the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

END = "<!-- end -->\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a page."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def replaced(text: str, program: str, make: Callable[[str], str]) -> str:
    """A page with the part below a program's mark made again, from the part that was there."""
    begin = f"<!-- {program} -->\n"
    before, _, rest = text.partition(begin)
    old, _, after = rest.partition(END)
    return before + begin + make(old) + END + after


def rewrite(path: Path, page: Callable[[str], str]) -> None:
    """Write a page again."""
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
