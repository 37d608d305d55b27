"""Predicted against measured: what is read off the code, and the time it takes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from fieldc.lab.findings import MODES, PREDICTORS, StudyRow, cycles, is_counted, predictions
from fieldc.lab.report.style import COLOURS, MARKERS, WIDTH, svg

FAMILIES = {"x86-": "own x86-64", "llvm": "LLVM", "c-": "C", "rust": "Rust"}


def scatter(rows: Sequence[StudyRow], title: str) -> str:
    """One panel for each predictor and mode, a marker for each family of flavours."""
    known = list(filter(is_counted, rows))
    figure = Figure(figsize=(WIDTH, 4.8), layout="constrained")
    panels = figure.subplots(len(MODES), len(PREDICTORS), sharey="row")
    for line, mode in zip(panels, MODES, strict=True):
        fits = {p.predictor: p for p in predictions(known, mode)}
        for panel, (name, read) in zip(line, PREDICTORS.items(), strict=True):
            for number, (start, family) in enumerate(FAMILIES.items()):
                mine = [row for row in known if row["backend"].startswith(start)]
                panel.plot(
                    [read(row) for row in mine],
                    [cycles(row, mode) for row in mine],
                    linestyle="",
                    marker=MARKERS[number],
                    markersize=3.5,
                    color=COLOURS[number],
                    label=family,
                    alpha=0.8,
                )
            if name in fits:
                text = f"r = {fits[name].correlation:.3f}, off by {fits[name].error:.0%}"
                panel.set_title(text, fontsize=8)
            panel.set_xlabel(name if mode == MODES[-1] else "")
        line[0].set_ylabel(f"cycles, {mode}")
    figure.legend(*panels[0][0].get_legend_handles_labels(), ncols=4, loc="outside lower center")
    figure.suptitle(title)
    return svg(figure)
