"""What the rows of a study say: which algorithm wins, and what predicts the time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import correlation, linear_regression
from typing import Any

StudyRow = dict[str, Any]
"""A row of `study.run_study`."""
MODES = ("throughput", "latency")


def cycles(row: StudyRow, mode: str) -> float:
    """Core cycles of a call, the median."""
    return float(row[f"{mode}_cycles"])


def chosen(rows: Iterable[StudyRow], **wanted: object) -> list[StudyRow]:
    """The rows with these values; a tuple allows each of its members."""

    def fits(row: StudyRow, key: str, value: object) -> bool:
        return row[key] in value if isinstance(value, tuple) else row[key] == value

    return [row for row in rows if all(fits(row, k, v) for k, v in wanted.items())]


def is_compiled(row: StudyRow) -> bool:
    """Whether the row is of machine code, not of Python."""
    return row["backend"] not in ("python", "gmpy2")


def is_counted(row: StudyRow) -> bool:
    """Whether it is known what a call of the row executes."""
    return bool(row["counts"])


@dataclass(frozen=True)
class Rank:
    """An algorithm among those of the same field, operation and flavour."""

    field: str
    limbs: int
    op: str
    backend: str
    algorithm: str
    mode: str
    cycles: float
    by_best: float
    """Its cycles by those of the fastest algorithm; 1 for the fastest."""
    is_tie: bool
    """Whether its 10th percentile is not above the 90th of the fastest: no winner is named."""


def places(rows: Sequence[StudyRow], mode: str) -> Iterator[Rank]:
    """Every machine-code row against the fastest algorithm of its group."""
    groups: dict[tuple[str, str, str], list[StudyRow]] = {}
    for row in filter(is_compiled, rows):
        groups.setdefault((row["field"], row["op"], row["backend"]), []).append(row)
    for group in groups.values():
        best = min(group, key=lambda row: cycles(row, mode))
        high = best[f"{mode}_spread"]["high"]
        for row in group:
            yield Rank(
                row["field"],
                row["limbs"],
                row["op"],
                row["backend"],
                row["algorithm"],
                mode,
                cycles(row, mode),
                cycles(row, mode) / cycles(best, mode),
                row[f"{mode}_spread"]["low"] <= high,
            )


PREDICTORS: dict[str, Callable[[StudyRow], float]] = {
    "multiplications": lambda row: float(row["counts"]["multiplications"]),
    "instructions": lambda row: float(row["counts"]["instructions"]),
    "issue slots": lambda row: float(row["bounds"]["throughput"]["issue slots"]),
    "memory accesses": lambda row: float(sum(row["counts"]["memory"].values())),
    "latency chain": lambda row: float(row["bounds"]["chain"] or 0),
}
"""What is read off the code, before it runs."""


@dataclass(frozen=True)
class Correlation:
    """How well one figure predicts time over a set of rows.

    `correlation` is Pearson's; `error` is the mean deviation from the fitted line, by the time.
    """

    predictor: str
    mode: str
    rows: int
    correlation: float
    error: float


def predictions(rows: Sequence[StudyRow], mode: str) -> list[Correlation]:
    """Every predictor over the rows whose executed code is known, best first."""
    known = list(filter(is_counted, rows))
    times = [cycles(row, mode) for row in known]
    if len(known) < 3 or len(set(times)) < 2:
        return []
    found = [_prediction(name, read, known, times, mode) for name, read in PREDICTORS.items()]
    return sorted((p for p in found if p), key=lambda p: p.error)


def _prediction(
    name: str,
    read: Callable[[StudyRow], float],
    rows: Sequence[StudyRow],
    times: Sequence[float],
    mode: str,
) -> Correlation | None:
    values = [read(row) for row in rows]
    if len(set(values)) < 2:
        return None
    slope, start = linear_regression(values, times)
    errors = [abs(start + slope * v - t) / t for v, t in zip(values, times, strict=True)]
    return Correlation(name, mode, len(rows), correlation(values, times), sum(errors) / len(errors))


def figure(value: float) -> str:
    """A positive number in three or four places."""
    if value >= 1_000_000:
        return f"{value / 1e6:.2f}M" if value < 10_000_000 else f"{value / 1e6:.0f}M"
    if value >= 1000:
        return f"{value / 1000:.1f}k" if value < 10_000 else f"{value / 1000:.0f}k"
    return f"{value:.1f}"
