"""A heat map: algorithms by limb counts, the winner marked."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from fieldc.lab.findings import MODES, Rank
from fieldc.lab.report.style import WIDTH, svg

DARKEST = 1.6
"""Slower than this by the fastest, and all look the same."""


def heat_map(found: Sequence[Rank], title: str) -> str:
    """Cycles by those of the fastest algorithm; a star for it, a circle for a tie with it."""
    limbs = sorted({place.limbs for place in found})
    best = {a: [p.by_best for p in found if p.algorithm == a] for a in {p.algorithm for p in found}}
    algorithms = sorted(best, key=lambda a: sum(best[a]) / len(best[a]))
    figure = Figure(figsize=(WIDTH, 1.4 + 0.52 * len(algorithms)), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    for panel, mode in zip(panels, MODES, strict=True):
        here = {(p.algorithm, p.limbs): p for p in found if p.mode == mode}
        nothing = float("nan")
        grid = [
            [p.by_best if (p := here.get((a, n))) else nothing for n in limbs] for a in algorithms
        ]
        panel.imshow(grid, cmap="cividis_r", vmin=1, vmax=DARKEST, aspect="auto")
        for (algorithm, n), place in here.items():
            dark = place.by_best > 1 + 0.55 * (DARKEST - 1)
            panel.text(
                limbs.index(n),
                algorithms.index(algorithm),
                _mark(place),
                ha="center",
                va="center",
                fontsize=7,
                color="white" if dark else "black",
                fontweight="bold" if place.by_best == 1 else "normal",
            )
        panel.set_yticks(range(len(algorithms)), algorithms)
        panel.set_title(mode, loc="left", fontsize=9)
        panel.grid(False)
    panels[1].set_xticks(range(len(limbs)), map(str, limbs))
    panels[1].set_xlabel("limbs of 64 bits; numbers are cycles by those of the fastest")
    figure.suptitle(title)
    return svg(figure)


def _mark(place: Rank) -> str:
    if place.by_best == 1:
        return "★"
    return f"{place.by_best:.2f}" + ("○" if place.is_tie else "")
