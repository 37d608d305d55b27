"""The table of fieldc bench --all-goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldc.commands.figures import more, run_state
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table

if TYPE_CHECKING:
    from fieldc.goals.goals import Figures, Goal, Outcome
    from fieldc.goals.reproduce import Reproduction
    from fieldc.machine.ring import OperandMode

GOALS = (
    *("goal", "kernel by", "cycles", "worst place"),
    *("rival", "cycles", "worst place", "reached", "asked", "verdict"),
)
SCHEDULES = ("shipped schedule", "recorded", "three processes", "verdict")


def all_goals(rounds: int, seed: int, operands: OperandMode = "moving") -> Answer:
    """Race every goal, then every shipped schedule of this processor in fresh processes."""
    from fieldc.goals.goals import run_goals
    from fieldc.goals.reproduce import reproduce

    with progress() as show:
        outcomes, race = run_goals(rounds, seed, show, operands)
        schedules = reproduce(rounds, lambda *done: show("schedules", *done))
    tables = [
        Table(GOALS, [_row(outcome, race.disturbed) for outcome in outcomes], "goals"),
        Table((), run_state(race.calibration()), "this run"),
    ]
    if schedules:
        tables.append(Table(SCHEDULES, [_schedule(s) for s in schedules]))
    run = {"disturbed": race.disturbed, "operands": race.operands}
    data = [*(o.data() | run for o in outcomes)]
    return Answer(tuple(tables), [*data, *(s.data() for s in schedules)])


def _row(outcome: Outcome, disturbed: bool) -> tuple[object, ...]:
    goal = outcome.goal
    verdict = "DISTURBED: no verdict" if disturbed and outcome.reached else outcome.verdict
    return (
        goal.name,
        outcome.chosen_by or "-",
        _cycles(outcome.ours),
        _worst(outcome.ours),
        f"{goal.rival} of {goal.on}" if goal.on else goal.rival,
        _cycles(outcome.rival),
        _worst(outcome.rival),
        _fraction(goal, outcome.reached),
        _fraction(goal, goal),
        verdict,
    )


def _cycles(figures: Figures | None) -> str:
    return f"{figures.throughput:.1f} | {figures.latency:.1f}" if figures else "-"


def _worst(figures: Figures | None) -> str:
    """What the worst place in memory costs."""
    if figures is None or figures.worst is None:
        return "-"
    return more(figures.worst, (figures.throughput, figures.latency))


def _fraction(goal: Goal, figures: Figures | Goal | None) -> str:
    if figures is None:
        return "-"
    places = 1 if goal.in_a_loop else 2
    return f"{figures.throughput:.{places}f} | {figures.latency:.{places}f}"


def _schedule(found: Reproduction) -> tuple[object, ...]:
    (low, low_latency), (high, high_latency) = found.lowest, found.highest
    return (
        f"{found.operation}, {found.field}",
        "{:.1f} | {:.1f}".format(*found.recorded),
        f"{low:.1f} to {high:.1f} | {low_latency:.1f} to {high_latency:.1f}",
        found.verdict,
    )
