"""fieldc bench: race backends and algorithms in one interleaved run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fieldc.algorithms import KERNELS, OPERATIONS, STUDIED, STUDIED_OPERATIONS
from fieldc.catalogue import find_field
from fieldc.commands.progress import progress
from fieldc.commands.verb import FIELD, WORD, Answer, Table, UsageError, one_of, option, verb

if TYPE_CHECKING:
    from fieldc.lab.race import Ratio, Report, Row
    from fieldc.machine.timing import Spread

COLUMNS = ("algorithm", "backend", "cycles", "±%", "ns")


def operation_list(text: str) -> list[str]:
    """Operations from `mul,square`, or `all` that the default algorithms have."""
    names = list(OPERATIONS) if text == "all" else text.split(",")
    return [one_of("operation", *OPERATIONS, *STUDIED_OPERATIONS)(name) for name in names]


def algorithm_list(text: str) -> list[str]:
    """Algorithms from `cios,sos` or `all`."""
    known = dict.fromkeys(k.algorithm for k in (*KERNELS, *STUDIED))
    return [one_of("algorithm", *known, "all")(name) for name in text.split(",")]


def positive(text: str) -> int:
    """A whole number above 0 for argparse."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:10]) <= 1_000_000:
        raise UsageError(f"{text[:20]!r} is not a whole number from 1 to 1000000")
    return int(text)


@verb(
    FIELD,
    WORD,
    option(
        "--op",
        type=operation_list,
        metavar="OP,..",
        help=f"operations, or all: {', '.join(OPERATIONS)} (default mul,square,add,sub)",
    ),
    option(
        "--algorithm",
        type=algorithm_list,
        default=[],
        metavar="NAME,..",
        help="algorithms, or all (fieldc list algorithms); default those that are built",
    ),
    option("--rounds", type=positive, default=60, metavar="N", help="rounds (default 60)"),
    option("--seed", type=int, default=1, metavar="N", help="seed of inputs and order (default 1)"),
)
def bench(arguments: argparse.Namespace) -> Answer:
    """race backends and algorithms in one interleaved run"""
    from fieldc.lab.race import DEFAULT_OPERATIONS, run_race

    field = find_field(arguments.field, int(arguments.word))
    named = arguments.algorithm
    defaults = ["mul"] if named else DEFAULT_OPERATIONS
    operations = arguments.op or list(defaults)
    with progress() as show:
        report = run_race(
            field, operations, arguments.rounds, arguments.seed, show, algorithms=named
        )
    return Answer(race_tables(report), report.data())


def race_tables(report: Report) -> tuple[Table, ...]:
    """A table for each operation, its fastest row marked, and the state of the machine."""
    race = report.race
    run = [
        ("processor", race.processor),
        ("clock", f"core {race.core_ghz:.2f} GHz, counter {race.tsc_ghz:.2f} GHz"),
        ("calibration", f"{race.ticks_per_cycle:.4f} ticks a cycle, canary {race.canary:.2f}"),
        ("rounds", f"{race.rounds} interleaved, seed {race.seed}; ± is half of p10 to p90"),
        ("pairs", "throughput of independent calls | latency of calls that wait for each other"),
        ("verdict", "DISTURBED: no verdict, run again" if race.disturbed else "undisturbed"),
        *(("SKIPPED", reason) for reason in report.skipped),
    ]
    tables = [_table([row for row in report.rows if row.op == op]) for op in report.operations]
    return *tables, Table((), run, "this run")


def _table(rows: list[Row]) -> Table:
    references = list(dict.fromkeys(name for row in rows for name in row.ratios))
    shown: list[tuple[object, ...]] = [
        (
            row.algorithm,
            row.backend,
            pair(row.throughput.median, row.latency.median),
            f"{max(spread_percent(row.throughput), spread_percent(row.latency)):.1f}",
            pair(row.throughput_ns.median, row.latency_ns.median),
            *(_ratio(name, row.ratios.get(name)) for name in references),
        )
        for row in rows
    ]
    best = min(range(len(rows)), key=lambda i: rows[i].throughput.median)
    columns: tuple[str, ...] = (*COLUMNS, *(f"x {name}" for name in references))
    title, names = f"{rows[0].op}, {rows[0].field}", {row.algorithm for row in rows}
    if len(names) == 1:
        columns, shown = columns[1:], [row[1:] for row in shown]
        title += "" if names == {rows[0].op} else f", {names.pop()}"
    return Table(columns, shown, title, frozenset({best}))


def pair(throughput: float, latency: float) -> str:
    """Two figures side by side."""
    return f"{figure(throughput)} | {figure(latency)}"


def figure(value: float) -> str:
    """A positive number in three or four places."""
    if value >= 1000:
        return f"{value / 1000:.1f}k" if value < 10_000 else f"{value / 1000:.0f}k"
    return f"{value:.1f}"


def spread_percent(spread: Spread) -> float:
    """Half of the distance from the 10th to the 90th percentile, in percent of their middle."""
    return 100 * (spread.high - spread.low) / (spread.high + spread.low)


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
