"""fieldc tune: search for this processor's fastest kernel, prove it, keep it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from fieldc.algorithms import OPERATIONS, STUDIED_OPERATIONS
from fieldc.catalogue import find_field
from fieldc.commands.figures import pair
from fieldc.commands.options import OPERANDS, TUNED, file, names, positive
from fieldc.commands.progress import say
from fieldc.commands.verb import (
    FIELD,
    Answer,
    Table,
    UsageError,
    check_apart,
    one_of,
    option,
    verb,
)
from fieldc.errors import UserError
from fieldc.errors import quote as said
from fieldc.field import Field
from fieldc.files import OutputError, check_file, write_file
from fieldc.folders import turn
from fieldc.seeds import seed

if TYPE_CHECKING:
    from fieldc.decisions.schedule import Schedule, TunedKernel
    from fieldc.tune.subject import Subject

COLUMNS = ("op", "algorithm", "variant", "start", "best", "ratio", "bound", "kernel", "verdict")
OTHER = "name another with -o"


@verb(
    FIELD,
    option(
        "--op",
        type=names("operation", (*OPERATIONS, *STUDIED_OPERATIONS), OPERATIONS),
        metavar="OP,..",
        help=f"operations (default {','.join(TUNED)}); fieldc list ops shows all",
    ),
    option(
        "--formula",
        type=file,
        metavar="FILE.py",
        help="the formulas of a file instead of operations, each of one straight line; the file"
        " is run",
    ),
    option(
        "--time",
        type=positive,
        default=60,
        metavar="SECONDS",
        help="most time of the search for each operation (default 60); it ends sooner where it"
        " finds nothing more, and its start, last figures and proof come on top",
    ),
    option("--seed", type=seed, default=1, metavar="N", help="seed of the search (default 1)"),
    option(
        "--for",
        dest="mode",
        type=one_of("figure", "both", "latency", "throughput"),
        default="both",
        metavar="FIGURE",
        help="both (default: their product), latency or throughput",
    ),
    OPERANDS,
    option(
        "-o",
        dest="file",
        type=file,
        metavar="FILE",
        help="the schedule, written after each operation; where it exists, the search goes on"
        " from it (default FIELD.PROCESSOR.json)",
    ),
)
def tune(arguments: argparse.Namespace) -> Answer:
    """search for this processor's fastest kernel, prove it, keep it"""
    from fieldc.decisions.schedule import Schedule, dump, load_schedule, row_of
    from fieldc.machine.processor import brand
    from fieldc.machine.results import MODES
    from fieldc.tune.tuning import SearchPlan, tune_operation

    field = find_field(arguments.field, 64)
    if arguments.file is None:
        arguments.file = Path(default_name(field))
        check_apart(arguments)
    path = arguments.file
    check_file(path, OTHER)
    schedule = Schedule(field.label, field.p, brand())
    if path.exists():
        schedule = load_schedule(path, field)
    modes = MODES if arguments.mode == "both" else (arguments.mode,)
    plan = SearchPlan(arguments.time, arguments.seed, modes, say)
    done, unwritten = [], None
    for subject in _subjects(field, arguments):
        entry = tune_operation(subject, plan, _resumable(schedule, subject))
        try:
            prove_entry(subject, entry)
        except KeyboardInterrupt:
            if plan.stop.is_set():
                raise
            plan.end(subject.operation)
            prove_entry(subject, entry)
        done.append(entry)
        schedule, unwritten = _kept(path, field, schedule.with_entry(entry), entry)
        if unwritten or plan.stop.is_set():
            break
    following = "" if unwritten else _build_command(arguments, field, done, path)
    return Answer(
        _tables(done, schedule, path, following),
        [row_of(entry) for entry in done],
        unwritten=unwritten,
        content=dump(schedule) if unwritten else "",
    )


def _kept(
    path: Path, field: Field, schedule: Schedule, entry: TunedKernel
) -> tuple[Schedule, UserError | None]:
    """The schedule that is in the file now: what another tune put there, and the entry.

    Or the schedule of this one, and why it could not be written.
    """
    from fieldc.decisions.schedule import ScheduleError, dump, load_schedule

    try:
        with turn(path, OTHER):
            there = load_schedule(path, field).with_entry(entry) if path.exists() else schedule
            write_file(path, dump(there), OTHER)
    except (OutputError, ScheduleError) as error:
        return schedule, error
    return there, None


def _build_command(
    arguments: argparse.Namespace, field: Field, done: Sequence[TunedKernel], path: Path
) -> str:
    """The command that builds what was tuned."""
    what = f"--formula {quote(str(arguments.formula))}"
    if arguments.formula is None:
        what = f"--op {','.join(entry.operation for entry in done)}"
    return f"fieldc build {field.label} {what} --schedule {quote(str(path))} -o DIR"


def _subjects(field: Field, arguments: argparse.Namespace) -> Iterator[Subject]:
    """What is tuned. Raises FormulaError, UsageError."""
    from fieldc.formulas.load import load_formulas
    from fieldc.tune.subject import of_field, of_formula

    if arguments.formula is None:
        for operation in dict.fromkeys(arguments.op or TUNED):
            yield of_field(field, operation, arguments.operands)
        return
    if arguments.op is not None:
        raise UsageError("--formula names what is tuned; leave out --op")
    for formula in load_formulas(arguments.formula):
        yield of_formula(field, formula, arguments.operands)


def default_name(field: Field) -> str:
    """A file for a field on this processor, here."""
    from fieldc.decisions.schedule import file_name
    from fieldc.machine.processors import host_processor

    processor = host_processor()
    return file_name(field, processor.key if processor else "unknown")


def _resumable(schedule: Schedule, subject: Subject) -> TunedKernel | None:
    """The entry to go on from; one of another version of the compiler is started afresh."""
    from fieldc.decisions.schedule import ScheduleError

    entry = schedule.entry(subject.operation)
    if entry is None:
        return None
    algorithm = entry.decisions.algorithm
    try:
        if algorithm not in subject.expressions:
            raise ScheduleError(f"there is no algorithm {said(algorithm)} of this operation here")
        entry.compile(subject.expressions[algorithm], "resumed")
    except ScheduleError as error:
        say(f"tune {subject.operation}: starts afresh: {error}")
        return None
    return entry


def prove_entry(subject: Subject, entry: TunedKernel) -> None:
    """Prove the kernel from its bytes and run it here. Raises UnprovedKernel, CheckError."""
    from fieldc.artifacts.verify import judge
    from fieldc.decisions.preferred import decide
    from fieldc.decisions.schedule import Schedule
    from fieldc.targets.registry import TARGETS

    field, target = subject.field, TARGETS["x86_64-linux"]
    schedule = Schedule(field.label, field.p, "", (entry,))
    expression = subject.expressions[entry.decisions.algorithm]
    decision = decide(target, [expression], None, schedule)
    choice = decision.variant(entry.decisions.choices.variant)
    judge([target.make(target, choice)], lambda *_: None)


def _tables(
    entries: Sequence[TunedKernel], schedule: Schedule, path: Path, following: str
) -> tuple[Table, ...]:
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        run, decisions = entry.measured, entry.decisions
        start, best = (
            pair(run[f"{label}_throughput_cycles"], run[f"{label}_latency_cycles"])
            for label in ("start", "best")
        )
        verdict = "DISTURBED: run again" if run["disturbed"] else "undisturbed"
        rows.append(
            (
                entry.operation,
                decisions.algorithm,
                decisions.choices.variant,
                start,
                best,
                run["duel_ratio"] or "-",
                _bound(run),
                "PROVED",
                verdict,
            )
        )
    state = (
        ("processor", schedule.processor),
        ("pairs", "throughput | latency in core cycles, one call an operation"),
        ("bound", "throughput by the model of this processor, the call not in it"),
        ("tries", ", ".join(_tries(entry) for entry in entries)),
        *([("next", following)] if following else []),
    )
    title = f"{schedule.label}: {path}" if following else schedule.label
    return Table(COLUMNS, rows, title), Table((), state)


def _bound(run: Mapping[str, Any]) -> str:
    if "bound" not in run:
        return "-"
    times = run["best_throughput_cycles"] / run["bound_cycles"]
    return f"{run['bound_cycles']} ({run['bound']}), best {times:.2f} x"


def _tries(entry: TunedKernel) -> str:
    run = entry.measured
    rates = ", ".join(f"{name} {rate}" for name, rate in run["tries_a_second"].items())
    return f"{entry.operation} {run['tried']} ({rates} a second), dropped {run['dropped']}"
