"""fieldc bench: race backends and algorithms in one interleaved run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import find_field
from fieldc.commands.progress import progress
from fieldc.commands.verb import FIELD, WORD, Answer, Table, UsageError, one_of, option, verb

if TYPE_CHECKING:
    from fieldc.lab.race import Ratio, Report

COLUMNS = (
    "op",
    "algorithm",
    "backend",
    "thr cycles",
    "lat cycles",
    "thr ns",
    "lat ns",
    "x llvm-bmi2",
    "x python",
)


def operation_list(text: str) -> list[str]:
    """Operations from `mul,square` or `all`."""
    names = list(OPERATIONS) if text == "all" else text.split(",")
    return [one_of("operation", *OPERATIONS)(name) for name in names]


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
    option("--rounds", type=positive, default=60, metavar="N", help="rounds (default 60)"),
    option("--seed", type=int, default=1, metavar="N", help="seed of inputs and order (default 1)"),
)
def bench(arguments: argparse.Namespace) -> Answer:
    """race backends and algorithms in one interleaved run"""
    from fieldc.lab.race import DEFAULT_OPERATIONS, run_race
    from fieldc.machine.loops import TimingError

    field = find_field(arguments.field, int(arguments.word))
    operations = arguments.op or list(DEFAULT_OPERATIONS)
    try:
        with progress() as show:
            report = run_race(field, operations, arguments.rounds, arguments.seed, show)
    except TimingError as error:
        raise UsageError(str(error)) from None
    return Answer(race_tables(report), report.data())


def race_tables(report: Report) -> tuple[Table, ...]:
    """The race, best throughput last within each operation, and the state of the machine."""
    race = report.race
    rows = [
        (
            row.op,
            row.algorithm,
            row.backend,
            *(
                f"{cycles.median:.1f} ±{spread_percent(cycles.low, cycles.high):.1f}%"
                for cycles in (row.throughput, row.latency)
            ),
            f"{row.throughput_ns.median:.1f}",
            f"{row.latency_ns.median:.1f}",
            _ratio(row.vs_llvm),
            _ratio(row.vs_python),
        )
        for row in report.rows
    ]
    run = [
        ("processor", race.processor),
        ("clock", f"core {race.core_ghz:.2f} GHz, counter {race.tsc_ghz:.2f} GHz"),
        ("calibration", f"{race.ticks_per_cycle:.4f} ticks a cycle, canary {race.canary:.2f}"),
        ("rounds", f"{race.rounds} interleaved, seed {race.seed}; ± is half of p10 to p90"),
        ("verdict", "DISTURBED: no verdict, run again" if race.disturbed else "undisturbed"),
        *(("SKIPPED", reason) for reason in report.skipped),
    ]
    title = f"{report.rows[0].field}: one call, cycles and nanoseconds"
    return Table(COLUMNS, rows, title), Table((), run, "this run")


def spread_percent(low: float, high: float) -> float:
    """Half of the distance between two percentiles, in percent of their middle."""
    return 100 * (high - low) / (high + low)


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return "-"
    digits = 2 if ratio.throughput < 10 else 0
    return f"{ratio.throughput:.{digits}f} | {ratio.latency:.{digits}f}"
