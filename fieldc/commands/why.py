"""fieldc show FIELD --why OP: what could be chosen for an operation, and what chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldc.commands.options import host_target
from fieldc.commands.verb import Answer, Table
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.decisions.preferred import Candidate, Decision

COLUMNS = ("algorithm", "variant", "lower bound", "instructions", "chosen by")


def why(field: Field, operation: str, target: str | None, processor: str | None) -> Answer:
    """The candidates of an operation on a target, the best first, and what was refused.

    Raises NoKernel, UnknownTarget, UnknownProcessor.
    """
    from fieldc.decisions.preferred import preferred
    from fieldc.targets.registry import find_target

    decision = preferred(field, operation, find_target(target or host_target()), processor)
    rows = [_row(candidate) for candidate in decision.candidates]
    best = [c.choice is decision.preferred for c in decision.candidates].index(True)
    on = f" on {decision.processor}" if decision.processor else ""
    title = f"{operation} modulo {field.label}, {decision.target.name}{on}, the best first"
    tables = [Table(COLUMNS, rows, title, best=frozenset({best}))]
    if decision.refused:
        tables.append(Table(("algorithm", "why not"), [*decision.refused], "refused"))
    return Answer(tuple(tables), _data(decision))


def _row(candidate: Candidate) -> tuple[object, ...]:
    choice, figure = candidate.choice, candidate.figure
    cycles = f"{figure.throughput:.1f} | {figure.latency:.1f}" if figure else "-"
    source = choice.chosen_by.partition(": at least")[0]
    if not candidate.runs:
        source += ", but this processor lacks " + " and ".join(choice.variant.needs)
    instructions = figure.instructions if figure else "-"
    return candidate.algorithm, choice.variant.name, cycles, instructions, source


def _data(decision: Decision) -> dict[str, object]:
    """The same for programs."""
    return {
        "target": decision.target.name,
        "processor": decision.processor or None,
        "candidates": [
            {
                "algorithm": candidate.algorithm,
                "variant": candidate.choice.variant.name,
                "preferred": candidate.choice is decision.preferred,
                "runs": candidate.runs,
                "throughput_bound": candidate.figure and candidate.figure.throughput,
                "latency_bound": candidate.figure and candidate.figure.latency,
                "instructions": candidate.figure and candidate.figure.instructions,
                "chosen_by": candidate.choice.chosen_by,
            }
            for candidate in decision.candidates
        ],
        "refused": dict(decision.refused),
    }
