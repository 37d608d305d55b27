"""Box plots of trials: a slice of a race is one trial."""

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
    """The accepted trials of a study's CSV file; all trials of what has none, as its row has."""
    accepted: Trials = {}
    every: Trials = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            key = line["op"], line["algorithm"], line["backend"], line["mode"]
            every.setdefault(key, []).append(float(line["cycles"]))
            if line["accepted"] == "1":
                accepted.setdefault(key, []).append(float(line["cycles"]))
    return every | accepted


def box_plot(trials: Trials, op: str, backends: Sequence[str], title: str) -> str | None:
    """One box for each flavour and algorithm; whiskers from the 10th to the 90th percentile.

    None where no trial is of a flavour and an algorithm that are shown.
    """
    there = {(b, a) for o, a, b, _ in trials if o == op}
    pairs = [(b, a) for b in backends for a in SHOWN if (b, a) in there]
    if not pairs:
        return None
    figure = Figure(figsize=(WIDTH, 0.9 + 0.2 * len(pairs)), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, mode in zip(panels, MODES, strict=True):
        _boxes(panel, [trials[op, a, b, mode] for b, a in pairs], [a for _, a in pairs])
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
