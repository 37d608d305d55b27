"""The tables and the chart of a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldc.commands.figures import more, pair, run_state, short, spread_percent
from fieldc.commands.verb import Table, UsageError
from fieldc.errors import UserError
from fieldc.lab import peers
from fieldc.lab.base_line import PLAIN

if TYPE_CHECKING:
    from fieldc.lab.race import RaceRow, Ratio, Report

COLUMNS = ("algorithm", "backend", "cycles", "±%", "worst", "ns")
"""`worst` is what the worst place in memory costs more than the median place."""
BOUND = ("lower bound", "above bound")
"""The bound on independent calls that binds; how far throughput is above it."""
NO_PLOTS = "a plot needs matplotlib; pip install 'fieldc[plots]'"
WIDE = "llvm-wide"
"""What LLVM makes of wide integers: what the fastest row of ours is held against."""
OPTIONAL = ("x python", "worst", "lower bound", "ns", "x llvm-bmi2", "±%", "above bound")
"""What a narrow terminal leaves out, in this order."""


def race_tables(report: Report | None, others: peers.Peers | None = None) -> tuple[Table, ...]:
    """A table for each operation, each run's fastest row marked, and the state of the machine."""
    others = others or peers.Peers()
    runs = [report.rows if report else [], others.rows()]
    operations = dict.fromkeys(row.op for run in runs for row in run)
    tables = [_table([[row for row in run if row.op == op] for run in runs]) for op in operations]
    state: list[tuple[object, ...]] = []
    if report:
        state += run_state(report.calibration())
        state += [("worst", f"at the worst of {_placements(report)} places in memory")]
        state += [
            ("lower bound", f"of the code's units and issue slots on {name}, by published tables")
            for name in _bounded(report)
        ]
        state += [("SKIPPED", reason) for reason in report.skipped]
    tables += [Table((), state, "this run")] if state else []
    if others.data:
        explained = (
            ("run", "another, after ours: ratios compare its own rows only"),
            ("rows", "called and canonical where they say nothing else"),
        )
        tables.append(
            Table((), [*explained, *run_state(others.data[0]["calibration"])], "peers' run")
        )
    if others.skipped:
        tables.append(Table((), [("SKIPPED peers", others.skipped)]))
    return tuple(tables)


def _placements(report: Report) -> int:
    return max(row.placements for row in report.rows)


def _bounded(report: Report) -> list[str]:
    """The processors whose bounds the rows have: this one, or a stand-in for one not known."""
    return list(dict.fromkeys(row.limits.processor.name for row in report.rows if row.limits))


def _table(runs: list[list[RaceRow]]) -> Table:
    """The rows of one operation, one run after the other."""
    rows = [row for run in runs for row in run]
    references = list(dict.fromkeys(name for row in rows for name in row.ratios))
    bounded = any(row.limits for row in rows)
    shown: list[tuple[object, ...]] = [
        (
            row.algorithm,
            row.backend,
            pair(row.throughput.median, row.latency.median),
            f"{max(spread_percent(row.throughput), spread_percent(row.latency)):.1f}",
            _worst(row),
            pair(row.throughput_ns.median, row.latency_ns.median),
            *(_bound(row) if bounded else ()),
            *(_ratio(name, row.ratios.get(name)) for name in references),
        )
        for row in rows
    ]
    fastest = [min(run, key=lambda row: row.throughput.median) for run in runs if run]
    best = frozenset(number for number, row in enumerate(rows) if row in fastest)
    columns: tuple[str, ...] = (
        *(*COLUMNS, *(BOUND if bounded else ())),
        *(f"x {name}" for name in references),
    )
    title = f"{rows[0].op}, {short(rows[0].field)}"
    names = {row.algorithm for row in rows if row.algorithm != PLAIN}
    if len(names) == 1:
        columns, shown = columns[1:], [row[1:] for row in shown]
        title += "" if names == {rows[0].op} else f", {names.pop()}"
    return Table(columns, shown, title, best, OPTIONAL)


def _worst(row: RaceRow) -> str:
    """What the worst place in memory costs."""
    if row.throughput_worst is None or row.latency_worst is None:
        return "-"
    worst = row.throughput_worst, row.latency_worst
    return more(worst, (row.throughput.median, row.latency.median))


def _bound(row: RaceRow) -> tuple[str, str]:
    if row.limits is None:
        return "-", "-"
    name, cycles = row.limits.binding
    return f"{cycles:.1f} {name}", f"{row.throughput.median / cycles - 1:.0%}"


def conclusion(report: Report | None) -> tuple[str, ...]:
    """What came out of a race of ours, one sentence for each operation."""
    if report is None:
        return ()
    operations = dict.fromkeys(row.op for row in report.rows)
    found = [_sentence([row for row in report.rows if row.op == op]) for op in operations]
    warning = ["The machine was disturbed: these figures are no verdict, run again."]
    return tuple([*filter(None, found), *(warning if report.race.disturbed else [])])


def _sentence(rows: list[RaceRow]) -> str:
    """The fastest row of one operation, against the wide integers of LLVM and its own bound.

    Where the wide integers are fastest, the next row of another backend is named.
    """
    compiled = [row for row in rows if row.count is not None]
    if not compiled:
        return ""
    best, *others = sorted(compiled, key=lambda row: row.throughput.median)
    parts = [f"{best.op} runs in {best.throughput.median:.1f} cycles by {best.backend}"]
    rival = best.ratios.get(WIDE)
    if best.backend == WIDE:
        of_others = [row for row in others if row.backend != WIDE]
        parts[0] += "".join(
            f" ({row.throughput.median:.1f} by {row.backend})" for row in of_others[:1]
        )
    elif rival:
        # A ratio is of rounds: where noise decides, it is below 1 for the lower median.
        times = f"{max(1.0, rival.throughput):.1f} times as fast as"
        parts.append(f"{times.removeprefix('1.0 times ')} what LLVM makes of wide integers")
    if best.limits is not None:
        name, cycles = best.limits.binding
        above = f"{max(0.0, best.throughput.median / cycles - 1):.0%}"
        parts.append(f"{above} above the lower bound of its code ({name})")
    return ", ".join(parts) + "."


def _ratio(name: str, ratio: Ratio | None) -> str:
    if ratio is None:
        return "-"
    if name == "python":
        return _times(ratio.throughput)
    return f"{_times(ratio.throughput)} | {_times(ratio.latency)}"


def _times(ratio: float) -> str:
    if ratio < 0.1:
        return "<0.1"
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2f}"


def check_drawing() -> None:
    """Raise UsageError where no picture can be drawn, before any race is run for it."""
    if find_spec("matplotlib") is None:
        raise UsageError(NO_PLOTS)


def failure_to_draw(rows: Sequence[Mapping[str, Any]], picture: Path) -> UserError | None:
    """Draw them; the error where that fails: the figures are still to be printed."""
    try:
        draw(rows, picture)
    except UserError as error:
        return error
    return None


def draw(rows: Sequence[Mapping[str, Any]], picture: Path) -> None:
    """Draw them. Raises UsageError."""
    try:
        from fieldc.lab.report.race import draw_race

        draw_race(rows, picture)
    except ImportError:
        raise UsageError(NO_PLOTS) from None
    except (KeyError, TypeError) as error:
        raise UsageError(f"these are no rows of a race: {error}") from None
