"""The schedule that `fieldc build --schedule` names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.commands.options import check_schedule
from fieldc.commands.verb import UsageError
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.decisions.schedule import Schedule
    from fieldc.targets.target import Target


def schedule_of(
    field: Field,
    path: Path | None,
    operations: Sequence[str],
    targets: Sequence[Target],
    of_formulas: bool = False,
) -> Schedule | None:
    """The schedule that was named, if one was. Raises ScheduleError, UsageError.

    `operations` name what is built: formulas of a file where `of_formulas` says so.
    """
    if path is None:
        return None
    from fieldc.decisions.schedule import load_schedule

    schedule = load_schedule(path, field)
    check_schedule(targets)
    names = [entry.operation for entry in schedule.entries]
    if not set(names) & set(operations):
        remedy = f"use --op {','.join(names)}" if names else "tune an operation first"
        if of_formulas:
            remedy = "tune one of the file's formulas first"
        tuned = ", ".join(names) or "nothing"
        raise UsageError(f"the schedule is for {tuned}, not {', '.join(operations)}; {remedy}")
    return schedule


def algorithm_of(schedule: Schedule | None, operation: str, named: str | None) -> str | None:
    """The algorithm of an operation: the schedule's, or the one named. Raises UsageError."""
    entry = schedule.entry(operation) if schedule else None
    if entry is None:
        return named
    tuned = entry.decisions.algorithm
    if named not in (None, tuned):
        raise UsageError(f"the schedule's {operation} is {tuned}; leave out --algorithm {named}")
    return tuned
