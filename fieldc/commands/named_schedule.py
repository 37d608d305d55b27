"""The schedule that `fieldc build --schedule` names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.commands.options import TUNED, check_schedule
from fieldc.commands.verb import UsageError
from fieldc.errors import ERROR_WIDTH
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.decisions.schedule import Schedule
    from fieldc.formulas.formula import Formula
    from fieldc.targets.target import Target

LEAVE_OUT = "leave out --schedule"


def schedule_of(
    field: Field, path: Path | None, operations: Sequence[str], targets: Sequence[Target]
) -> Schedule | None:
    """The schedule that was named, if one was, for operations. Raises ScheduleError, UsageError."""

    def command(room: int) -> str:
        words = [] if {*TUNED} & {*operations} else ["--op", operations[0]]
        return _tune_command(field, words, "--op OP", room)

    def remedy(names: Sequence[str]) -> str:
        return f"use --op {','.join(names)}" if names else "tune an operation first"

    return None if path is None else _loaded(field, path, operations, targets, "", command, remedy)


def schedule_of_formulas(
    field: Field,
    path: Path | None,
    file: Path,
    formulas: Sequence[Formula],
    targets: Sequence[Target],
) -> Schedule | None:
    """The same for the formulas of a file. Raises FormulaError too."""
    from fieldc.decisions.formulas import is_straight_line
    from fieldc.decisions.schedule import FORMULAS

    def command(room: int) -> str:
        if not all(is_straight_line(field, formula) for formula in formulas):
            return ""
        return _tune_command(field, ["--formula", str(file)], "--formula FILE.py", room)

    def remedy(names: Sequence[str]) -> str:
        can_tune = any(is_straight_line(field, formula) for formula in formulas)
        return "tune one of the file's formulas first" if can_tune else LEAVE_OUT

    names = [formula.name for formula in formulas]
    return None if path is None else _loaded(field, path, names, targets, FORMULAS, command, remedy)


def _loaded(
    field: Field,
    path: Path,
    operations: Sequence[str],
    targets: Sequence[Target],
    folder: str,
    command: Callable[[int], str],
    remedy: Callable[[Sequence[str]], str],
) -> Schedule:
    """A schedule with one of the operations. `folder` is where those that ship are.

    `command` gives what makes one in so many letters, or nothing; `remedy` what helps where the
    schedule has other operations.
    """
    from fieldc.decisions.schedule import NotShipped, check_word, load_schedule, shipped_on

    check_word(field)
    check_schedule(targets)
    try:
        schedule = load_schedule(path, field, folder, operations)
    except NotShipped as error:
        there = shipped_on(field, folder, operations)
        raise UsageError(_instead_of(str(error), str(path), there, command)) from None
    names = [entry.operation for entry in schedule.entries]
    if not {*names} & {*operations}:
        tuned = ", ".join(names) or "nothing"
        raise UsageError(
            f"the schedule is for {tuned}, not {', '.join(operations)}; {remedy(names)}"
        )
    return schedule


def _tune_command(field: Field, words: Sequence[str], in_short: str, room: int) -> str:
    """The command that makes a schedule; said in short where it does not fit a message."""
    whole = shlex.join(["fieldc", "tune", field.label, *words])
    if len(whole) <= room:
        return whole
    return f"fieldc tune FIELD {in_short}" if words else "fieldc tune FIELD"


def _instead_of(
    said: str, processor: str, there: Sequence[str], command: Callable[[int], str]
) -> str:
    """The message for a processor that has no schedule, where some have: with what works."""
    from fieldc.machine.processors import find_processor

    use = f"use {', '.join(there)}" if there else ""
    if find_processor(processor).architecture != "x86_64":
        return f"{said}: they are for x86-64; {use or LEAVE_OUT}"
    said += f"; {use}, or make one there with " if use else "; make one there with "
    if made := command(ERROR_WIDTH - len(said)):
        return said + made
    return f"{said.partition(';')[0]}; {use or LEAVE_OUT}"


def algorithm_of(schedule: Schedule | None, operation: str, named: str | None) -> str | None:
    """The algorithm of an operation: the schedule's, or the one named. Raises UsageError."""
    entry = schedule.entry(operation) if schedule else None
    if entry is None:
        return named
    tuned = entry.decisions.algorithm
    if named not in (None, tuned):
        raise UsageError(f"the schedule's {operation} is {tuned}; leave out --algorithm {named}")
    return tuned
