"""Time over the number of limbs, a line for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from fieldc.lab.findings import MODES, StudyRow, cycles
from fieldc.lab.report.style import COLOURS, MARKERS, WIDTH, svg


def lines_over_limbs(rows: Sequence[StudyRow], title: str) -> str:
    """Cycles of a call by n^2, the products of one row pass, so that large n do not hide small n.

    The rows are of one operation and one flavour; a panel for throughput and one for latency.
    """
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    panels = figure.subplots(1, len(MODES))
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    for panel, mode in zip(panels, MODES, strict=True):
        for number, algorithm in enumerate(algorithms):
            mine = sorted(
                (row["limbs"], cycles(row, mode) / row["limbs"] ** 2)
                for row in rows
                if row["algorithm"] == algorithm
            )
            panel.plot(
                [limbs for limbs, _ in mine],
                [value for _, value in mine],
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                linestyle="-" if number < len(COLOURS) else "--",
                linewidth=1.2,
                markersize=4,
                label=algorithm,
            )
        panel.set_title(mode, loc="left", fontsize=9)
        panel.set_ylim(bottom=0)
        panel.set_xticks(sorted({row["limbs"] for row in rows}))
        panel.set_xlabel("n, limbs of 64 bits")
    panels[0].set_ylabel("cycles of a call by n²")
    figure.legend(*panels[0].get_legend_handles_labels(), ncols=6, loc="outside lower center")
    figure.suptitle(title)
    return svg(figure)
