"""fieldc show FIELD --why OP: what could be chosen for an operation, and what chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldc.commands.options import check_processor, one_target
from fieldc.commands.verb import Answer, Table
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.decisions.decision import Candidate, Decision
    from fieldc.decisions.model import Figure
    from fieldc.targets.target import Target

REPRESENTATION = "representation"
"""What may be asked of in the place of an operation."""

LOWER_BOUND, PREDICTED = "lower bound", "predicted"
SAID_FIRST = (": at least", ": predicted")
"""What is before the cycles in the reason of a choice."""


def why(field: Field, operation: str, target: str | None, processor: str | None) -> Answer:
    """The candidates of an operation on a target, the best first, and what was refused.

    Raises NoKernel, UnknownTarget, UnknownProcessor, UsageError.
    """
    from fieldc.decisions.preferred import preferred

    on = one_target(field, target)
    check_processor(field, [on], processor)
    if operation == REPRESENTATION:
        return why_representation(field, on, processor)
    decision = preferred(field, operation, on, processor)
    rows = [_row(candidate) for candidate in decision.candidates]
    best = [c.choice is decision.preferred for c in decision.candidates].index(True)
    judge = f" on {decision.processor}" if decision.processor else ""
    title = f"{operation} modulo {field.label}, {on.name}{judge}, the best first"
    figures = [c.figure for c in decision.candidates if c.figure]
    columns = ("algorithm", "variant", _said_of(figures), "instructions", "chosen by")
    tables = [Table(columns, rows, title, best=frozenset({best}))]
    if decision.refused:
        tables.append(Table(("algorithm", "why not"), [*decision.refused], "refused"))
    return Answer(tuple(tables), _data(decision))


def why_representation(field: Field, on: Target, processor: str | None) -> Answer:
    """The representations that the prime can have, the fastest first, and why the others not."""
    from fieldc.algorithms import representations
    from fieldc.decisions.representation import JUDGED, judged

    found = judged(field, on, processor)
    figures = [f for j in found for f in j.figures.values() if f]
    said = _said_of(figures)
    columns = ("representation", "residues", *(f"{part}, {said}" for part in JUDGED))
    rows = [
        (
            j.representation.name,
            j.representation.says,
            *(_cycles(j.figures[part]) for part in JUDGED),
        )
        for j in found
    ]
    title = f"representations modulo {field.label}, {on.name}, the best first"
    tables = [Table(columns, rows, title, best=frozenset({0}))]
    refused = [(o.representation.name, o.reason) for o in representations(field) if not o.applies]
    if refused:
        tables.append(Table(("representation", "why not"), refused, "refused"))
    data = {
        "p": hex(field.p),
        "target": on.name,
        "representations": [
            {
                "representation": j.representation.name,
                "residues": j.representation.says,
                "throughput_bound": j.cycles or None,
                "is_predicted": any(f.is_predicted for f in j.figures.values() if f),
                "operations": {part: _cycles_data(j.figures[part]) for part in JUDGED},
            }
            for j in found
        ],
        "refused": dict(refused),
    }
    return Answer(tuple(tables), data)


def _said_of(figures: Sequence[Figure]) -> str:
    """What the cycles of a table are."""
    return PREDICTED if any(f.is_predicted for f in figures) else LOWER_BOUND


def _cycles(figure: Figure | None) -> str:
    return f"{figure.throughput:.1f} | {figure.latency:.1f}" if figure else "-"


def _row(candidate: Candidate) -> tuple[object, ...]:
    choice, figure = candidate.choice, candidate.figure
    source = choice.chosen_by
    for said in SAID_FIRST:
        source = source.partition(said)[0]
    if not candidate.runs:
        source += ", but this processor lacks " + " and ".join(choice.variant.needs)
    instructions = figure.instructions if figure else "-"
    cycles = _cycles(figure)
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
                **_cycles_data(candidate.figure),
                "instructions": candidate.figure and candidate.figure.instructions,
                "chosen_by": candidate.choice.chosen_by,
            }
            for candidate in decision.candidates
        ],
        "refused": dict(decision.refused),
    }


def _cycles_data(figure: Figure | None) -> dict[str, float | None]:
    """Cycles by names that say whether they are lower bounds or predicted."""
    both = (figure.throughput, figure.latency) if figure else (None, None)
    if figure is not None and figure.is_predicted:
        return {"predicted_throughput": both[0], "predicted_latency": both[1]}
    return {"throughput_bound": both[0], "latency_bound": both[1]}
