"""PATH:SYMBOL on the command line, and the tables that count and trace share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.commands.options import file
from fieldc.commands.verb import Table, UsageError, option
from fieldc.errors import quote

if TYPE_CHECKING:
    from fieldc.counting.count import Count
    from fieldc.counting.limits import Limits

OBJECTS = (".o", ".obj", ".a", ".so")


def processor(key: str) -> str:
    """A processor's key, for argparse."""
    from fieldc.machine.processors import find_processor

    return find_processor(key).key


PROCESSOR = option(
    "--processor",
    type=processor,
    metavar="KEY",
    help="show the bounds on this one of fieldc/machine/processors.toml only",
)


def located(text: str) -> tuple[Path, str]:
    """Return a file and the symbol after the colon, empty if there is none. Raises UsageError."""
    if not text.partition(":")[0].strip() and not _exists(file(text), Path.exists):
        raise UsageError(f"{quote(text)} does not name a file before the colon")
    cuts = [i for i, c in enumerate(text) if c == ":"]
    for cut in (len(text), *cuts):
        path = Path(text[:cut])
        check_file(path)
        if _exists(path, Path.exists):
            if cut + 1 == len(text):
                raise UsageError(f"{quote(text)} has no name after the colon")
            return path, text[cut + 1 :]
    return Path(text[: cuts[-1]] if cuts else text), text[cuts[-1] + 1 :] if cuts else ""


def check_file(path: Path) -> None:
    """Raise UsageError for a folder, with a file of code in it if there is one."""
    if _exists(path, Path.is_dir):
        raise UsageError(f"{quote(str(path))} is a folder; name a file of code{_inside(path)}")


def _exists(path: Path, test: Callable[[Path], bool]) -> bool:
    try:
        return test(path)
    except (OSError, ValueError):
        return False


def _inside(folder: Path) -> str:
    found = sorted(p for pattern in ("*", "*/*") for p in folder.glob(pattern))
    first = next((p for p in found if p.suffix in OBJECTS), None)
    return f", such as {quote(str(first))}" if first else ""


def opcode_table(count: Count) -> Table:
    """Opcodes, most frequent first, each with its share and kind."""
    kinds = {i.mnemonic: i.kind for i in count.code}
    rows = [
        (name, times, f"{100 * times / count.instructions:.1f}%", kinds[name])
        for name, times in count.by_opcode().items()
    ]
    return Table(("opcode", "times", "share", "kind"), rows, "instructions by opcode")


def memory_table(loads: dict[int, int], stores: dict[int, int], title: str) -> Table:
    """Loads and stores by width."""
    rows = [
        (f"{width} bits", loads.get(width, 0), stores.get(width, 0))
        for width in sorted({*loads, *stores})
    ]
    return Table(("width", "loads", "stores"), rows or [("none", 0, 0)], title)


def bounds_table(bounds: list[Limits]) -> Table:
    """The lower bounds on each processor, the binding ones named."""
    names = list(dict.fromkeys(name for limits in bounds for name in limits.throughput))
    rows = []
    for limits in bounds:
        name, cycles = limits.binding
        chain = "-" if limits.chain is None else str(limits.chain.cycles)
        each = (limits.throughput.get(unit) for unit in names)
        shown = ("-" if value is None else f"{value:.1f}" for value in each)
        rows.append((limits.processor.key, f"{cycles:.1f}", name, chain, *shown))
    columns = ("processor", "cycles", "bound by", "latency chain", *names)
    return Table(columns, rows, "a call takes at least (by processors.toml, not measured)")


def shown_bounds(count: Count, key: str | None) -> list[Limits]:
    """The bounds on every processor, or on one."""
    from fieldc.counting.limits import all_bounds

    bounds = all_bounds(count)
    found = [limits for limits in bounds if key in (None, limits.processor.key)]
    if bounds and not found:
        known = ", ".join(limits.processor.key for limits in bounds)
        raise UsageError(f"{key} does not run {count.architecture}; use {known}")
    return found
