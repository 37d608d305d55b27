"""fieldc bench: race backends and algorithms in one interleaved run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from fieldc.algorithms import KERNELS, OPERATIONS, STUDIED, STUDIED_OPERATIONS
from fieldc.catalogue import find_field
from fieldc.commands.figures import more, pair, run_state, spread_percent
from fieldc.commands.goals import all_goals
from fieldc.commands.plot import draw, picture
from fieldc.commands.progress import progress
from fieldc.commands.verb import WORD, Answer, Table, UsageError, one_of, option, verb
from fieldc.lab import peers
from fieldc.lab.base_line import PLAIN

if TYPE_CHECKING:
    from fieldc.lab.race import Ratio, Report, Row

COLUMNS = ("algorithm", "backend", "cycles", "±%", "worst", "ns")
"""`worst` is what the worst place in memory costs more than the median place."""
BOUND = ("slots", "at least", "over it")
"""Issue slots; the bound on independent calls that binds; how far throughput is above it."""
ALL = "all"


def operation_list(text: str) -> list[str]:
    """Operations from `mul,square`, or `all` that the default algorithms have."""
    known = dict.fromkeys((*OPERATIONS, *STUDIED_OPERATIONS, *peers.OPERATIONS))
    check = one_of("operation", *known)
    return [ALL] if text == ALL else [check(name) for name in text.split(",")]


def algorithm_list(text: str) -> list[str]:
    """Algorithms from `cios,sos`, or `all`."""
    known = dict.fromkeys(k.algorithm for k in (*KERNELS, *STUDIED))
    return [one_of("algorithm", *known, ALL)(name) for name in text.split(",")]


def positive(text: str) -> int:
    """A whole number above 0 for argparse."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:10]) <= 1_000_000:
        raise UsageError(f"{text[:20]!r} is not a whole number from 1 to 1000000")
    return int(text)


OPERANDS = option(
    "--operands",
    type=one_of("mode", "moving", "fixed"),
    default="moving",
    metavar="MODE",
    help="throughput with moving operands (default: each call has another cell of a ring of 16 for"
    " operands and result), or with fixed ones, which flatter",
)


@verb(
    option("field", metavar="FIELD", nargs="?", help="a name, a number, an expression or a file"),
    WORD,
    option(
        "--op",
        type=operation_list,
        metavar="OP,..",
        help=f"operations, or all: {', '.join(OPERATIONS)} (default mul,square,add,sub);"
        f" of the peers: {', '.join(peers.OPERATIONS)}",
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
    OPERANDS,
    option(
        "--peers",
        action="store_true",
        help="also run crates/race, for which cargo compiles the libraries of others, the first"
        " time for minutes",
    ),
    option("--plot", metavar="FILE", type=picture, help="draw the rows, as .svg or .png"),
    option(
        "--all-goals",
        action="store_true",
        help="in place of FIELD: what the kernels must reach, PASS or the shortfall of each",
    ),
)
def bench(arguments: argparse.Namespace) -> Answer:
    """race backends and algorithms in one interleaved run"""
    from fieldc.lab.race import run_race

    if arguments.all_goals != (arguments.field is None):
        raise UsageError("name either a FIELD or --all-goals; see fieldc bench --help")
    if arguments.all_goals:
        return all_goals(arguments.rounds, arguments.seed, arguments.operands)
    field = find_field(arguments.field, int(arguments.word))
    rounds, seed = arguments.rounds, arguments.seed
    own, foreign = _operations(arguments)
    if arguments.peers and seed not in peers.SEEDS:
        raise UsageError(f"with --peers a seed is from 1 to {peers.SEEDS[-1]}")
    report = None
    if own:
        with progress() as show:
            report = run_race(
                *(field, own, rounds, seed, show),
                algorithms=arguments.algorithm,
                operands=arguments.operands,
            )
    others = peers.Peers()
    if arguments.peers:
        others = peers.race_peers(field, foreign, rounds, seed, arguments.operands)
    data = [*(report.data() if report else ()), *others.data]
    if arguments.plot:
        draw(data, arguments.plot)
    return Answer(race_tables(report, others), data)


def _operations(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The operations of our own race, and those of the peers'."""
    from fieldc.lab.race import DEFAULT_OPERATIONS

    if arguments.op == [ALL]:
        return list(OPERATIONS), list(peers.OPERATIONS)
    chosen = arguments.op or (["mul"] if arguments.algorithm else DEFAULT_OPERATIONS)
    own = [name for name in chosen if name in (*OPERATIONS, *STUDIED_OPERATIONS)]
    for name in chosen:
        if name not in own and not arguments.peers:
            raise UsageError(f"{name} is an operation of the peers; add --peers")
    return own, [name for name in chosen if name in peers.OPERATIONS]


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
        state += [("at least", f"on {name}, by published tables") for name in _bounded(report)]
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


def _table(runs: list[list[Row]]) -> Table:
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
    title = f"{rows[0].op}, {rows[0].field}"
    names = {row.algorithm for row in rows if row.algorithm != PLAIN}
    if len(names) == 1:
        columns, shown = columns[1:], [row[1:] for row in shown]
        title += "" if names == {rows[0].op} else f", {names.pop()}"
    return Table(columns, shown, title, best)


def _worst(row: Row) -> str:
    """What the worst place in memory costs."""
    if row.throughput_worst is None or row.latency_worst is None:
        return "-"
    worst = row.throughput_worst, row.latency_worst
    return more(worst, (row.throughput.median, row.latency.median))


def _bound(row: Row) -> tuple[str, str, str]:
    if row.limits is None:
        return "-", "-", "-"
    from fieldc.lab.limits import SLOTS

    name, cycles = row.limits.binding
    slots = row.limits.throughput[SLOTS]
    return f"{slots:.1f}", f"{cycles:.1f} {name}", f"{row.throughput.median / cycles - 1:.0%}"


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
