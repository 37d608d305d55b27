"""Box plots of trials: each accepted slice of a race is one trial."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fieldc.lab.findings import MODES
from fieldc.lab.report.style import COLOURS, HATCHES, WIDTH, svg

Trials = dict[tuple[str, str, str, str], list[float]]
"""Cycles by operation, algorithm, backend and mode."""
SHOWN = ("sos", "cios", "log-jump")
"""The algorithms that the seed's box plot has."""


def read_trials(path: Path) -> Trials:
    """The accepted trials of a study's CSV file."""
    found: Trials = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["accepted"] == "1":
                key = line["op"], line["algorithm"], line["backend"], line["mode"]
                found.setdefault(key, []).append(float(line["cycles"]))
    return found


def box_plot(trials: Trials, op: str, backends: Sequence[str], title: str) -> str:
    """One box for each flavour and algorithm; whiskers from the 10th to the 90th percentile."""
    there = {(b, a) for o, a, b, _ in trials if o == op}
    pairs = [(b, a) for b in backends for a in SHOWN if (b, a) in there]
    figure = Figure(figsize=(WIDTH, 0.9 + 0.2 * len(pairs)), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, mode in zip(panels, MODES, strict=True):
        _boxes(panel, [trials.get((op, a, b, mode), []) for b, a in pairs], [a for _, a in pairs])
        panel.set_xlabel(f"cycles a call, {mode}")
    panels[0].set_yticks(range(1, len(pairs) + 1), [f"{b}, {a}" for b, a in pairs])
    panels[0].invert_yaxis()
    figure.suptitle(title)
    return svg(figure)


def _boxes(panel: Axes, values: Sequence[Sequence[float]], algorithms: Sequence[str]) -> None:
    boxes = panel.boxplot(
        values,
        orientation="horizontal",
        whis=(10, 90),
        widths=0.6,
        showfliers=False,
        patch_artist=True,
        medianprops={"color": "black"},
    )
    for box, algorithm in zip(boxes["boxes"], algorithms, strict=True):
        box.set_facecolor(COLOURS[SHOWN.index(algorithm)])
        box.set_hatch(HATCHES[SHOWN.index(algorithm)])
