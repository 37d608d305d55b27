"""Bars: instructions stacked by kind, and measured time against each lower bound."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from fieldc.lab.findings import StudyRow, cycles, is_counted
from fieldc.lab.report.style import COLOURS, HATCHES, MARKERS, WIDTH, svg

KINDS = ("multiplication", "addition", "subtraction", "move", "selection", "stack")
OTHERS = "other"


def name_of(row: StudyRow) -> str:
    """A row's flavour and algorithm."""
    return f"{row['backend']}, {row['algorithm']}"


def opcode_bars(rows: Sequence[StudyRow], title: str) -> str:
    """How many instructions of each kind a kernel has."""
    figure = Figure(figsize=(WIDTH, 1.1 + 0.24 * len(rows)), layout="constrained")
    panel = figure.subplots()
    start = [0.0] * len(rows)
    for number, kind in enumerate((*KINDS, OTHERS)):
        sizes = [_of_kind(row, kind) for row in rows]
        panel.barh(
            range(len(rows)),
            sizes,
            left=start,
            color=COLOURS[number],
            hatch=HATCHES[number],
            edgecolor="black",
            linewidth=0.4,
            label=kind,
        )
        start = [a + b for a, b in zip(start, sizes, strict=True)]
    for place, total in enumerate(start):
        panel.text(total + 2, place, f"{total:.0f}", va="center", fontsize=8)
    panel.set_yticks(range(len(rows)), map(name_of, rows))
    panel.invert_yaxis()
    panel.set_xlabel("instructions of a call")
    figure.legend(ncols=4, loc="outside lower center")
    figure.suptitle(title)
    return svg(figure)


def _of_kind(row: StudyRow, kind: str) -> float:
    kinds = row["counts"]["by_kind"]
    if kind == OTHERS:
        return float(sum(times for name, times in kinds.items() if name not in KINDS))
    return float(kinds.get(kind, 0))


def bound_bars(rows: Sequence[StudyRow], title: str) -> str:
    """Measured throughput and latency beside each lower bound of the processor."""
    known = list(filter(is_counted, rows))
    figure = Figure(figsize=(WIDTH, 1.1 + 0.32 * len(known)), layout="constrained")
    panel = figure.subplots()
    names = list(known[0]["bounds"]["throughput"]) if known else []
    for place, row in enumerate(known):
        bounds = {**row["bounds"]["throughput"], "latency chain": row["bounds"]["chain"]}
        panel.barh(place, cycles(row, "throughput"), height=0.55, color="#dddddd", edgecolor="grey")
        panel.plot(cycles(row, "latency"), place, "|", color="black", markersize=13)
        for number, name in enumerate((*names, "latency chain")):
            panel.plot(
                bounds[name],
                place,
                linestyle="",
                markersize=5,
                color=COLOURS[number],
                marker=MARKERS[number],
                label="" if place else name,
            )
    panel.set_yticks(range(len(known)), map(name_of, known))
    panel.invert_yaxis()
    panel.set_xlabel(
        "cycles a call; bar: throughput measured, line: latency measured, marks: bounds"
    )
    figure.legend(ncols=4, loc="outside lower center")
    figure.suptitle(title)
    return svg(figure)
