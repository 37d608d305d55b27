"""Races: a dot for each median, a bar from the 10th to the 90th percentile.

Latency is hollow and round, throughput filled and square.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from fieldc.errors import shorten
from fieldc.files import write_file
from fieldc.lab.peers import RaceData, full_name
from fieldc.lab.report.style import COLOURS, MARKERS, styled, svg_file
from fieldc.machine.results import MODES, Mode

STYLES: dict[Mode, dict[str, Any]] = {
    "latency": {"marker": MARKERS[0], "color": COLOURS[5], "markerfacecolor": "white"},
    "throughput": {"marker": MARKERS[1], "color": COLOURS[0]},
}
OFFSETS: dict[Mode, float] = {"latency": -0.16, "throughput": 0.16}
LOGARITHMIC = 8.0
"""From this ratio of the slowest to the fastest on, equal factors are equally far apart."""
FAR = 10.0
"""Rows that are slower than the fastest by more are named under the axis instead."""
PANEL_WIDTH, ROW_HEIGHT, FRAME_HEIGHT = 7.0, 0.3, 1.6
"""In inches."""
OPERATION, LABEL, LINE = 20, 24, 84
"""Letters that a panel has room for: of operation and prime in its title, and of a line below."""
PLAIN: dict[str, Any] = {"parse_math": False}
"""Of a text that rows give: between two dollars matplotlib reads a formula of TeX."""
PIXELS = 150
"""An inch of a picture that is not made of lines."""


def draw_race(rows: Sequence[RaceData], path: Path) -> None:
    """Write the picture. The same rows give the same SVG. Raises OutputError."""
    with styled():
        figure = race_dots(rows)
        if path.suffix == ".svg":
            write_file(path, svg_file(figure))
        else:
            held = io.BytesIO()
            figure.savefig(held, format="png", dpi=PIXELS)
            write_file(path, held.getvalue())


def race_dots(rows: Sequence[RaceData]) -> Figure:
    """A panel for each operation and field: operations below each other, fields side by side."""
    fields = list(dict.fromkeys(row["field"] for row in rows))
    panels = {
        op: [[row for row in rows if (row["op"], row["field"]) == (op, field)] for field in fields]
        for op in dict.fromkeys(row["op"] for row in rows)
    }
    heights = [
        FRAME_HEIGHT + ROW_HEIGHT * max(map(len, of_fields)) for of_fields in panels.values()
    ]
    figure = Figure(
        figsize=(PANEL_WIDTH * len(fields), sum(heights)),
        layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12),
    )
    grid = figure.subplots(len(panels), len(fields), squeeze=False, height_ratios=heights)
    for axes_of_fields, of_fields in zip(grid, panels.values(), strict=True):
        for axes, panel in zip(axes_of_fields, of_fields, strict=True):
            _panel(axes, panel)
    shown = grid[0][0].get_legend_handles_labels()
    figure.legend(*shown, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _panel(axes: Axes, rows: Sequence[RaceData]) -> None:
    if not rows:
        axes.set_axis_off()
        return
    every = sorted(rows, key=lambda row: (row["throughput_cycles"], row["latency_cycles"]))
    limit = FAR * every[0]["throughput_cycles"]
    ordered = [row for row in every if row["throughput_cycles"] <= limit]
    for mode in MODES:
        places = [place + OFFSETS[mode] for place in range(len(ordered))]
        medians = [row[f"{mode}_cycles"] for row in ordered]
        spreads = [row[f"{mode}_spread"] for row in ordered]
        below = [max(0.0, m - s["low"]) for m, s in zip(medians, spreads, strict=True)]
        above = [max(0.0, s["high"] - m) for m, s in zip(medians, spreads, strict=True)]
        style: dict[str, Any] = {"linestyle": "none", "markersize": 5, "capsize": 3, **STYLES[mode]}
        axes.errorbar(medians, places, xerr=(below, above), label=mode, **style)
    _scale(axes, [value for row in ordered for mode in MODES for value in _values(row, mode)])
    axes.set_yticks(range(len(ordered)), [_name(row) for row in ordered], **PLAIN)
    axes.set_ylim(len(ordered) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", which="minor")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    first = ordered[0]
    title = f"{shorten(first['op'], OPERATION)}, {shorten(first['field'], LABEL)}{_warning(rows)}"
    axes.set_title(title, loc="left", weight="bold", **PLAIN)
    axes.set_xlabel(_label(rows, every[len(ordered) :]), **PLAIN)


def _values(row: RaceData, mode: Mode) -> tuple[float, ...]:
    spread = row[f"{mode}_spread"]
    return row[f"{mode}_cycles"], spread["low"], spread["high"]


def _scale(axes: Axes, cycles: Sequence[float]) -> None:
    low, high = min(cycles), max(cycles)
    if high < LOGARITHMIC * low:
        axes.set_xlim(0, 1.04 * high)
    else:
        axes.set_xscale("log")
        axes.set_xlim(low / 1.15, high * 1.15)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def _name(row: RaceData) -> str:
    """Who and how; what is neither called nor canonical says so."""
    kind = [word for word in row.get("kind", ()) if word not in ("called", "canonical")]
    who = full_name(row) if "peer" in row else row["backend"]
    return ", ".join((f"{who}: {row['algorithm']}", *kind))


def _label(rows: Sequence[RaceData], far: Sequence[RaceData]) -> str:
    clocks = {round(row["calibration"]["core_ghz"], 2) for row in rows}
    clock = f" at {clocks.pop():.2f} GHz" if len(clocks) == 1 else ""
    beyond = "; ".join(f"{_name(row)} {row['throughput_cycles']:,.0f}" for row in far)
    lines = [f"core cycles a call{clock}; bars: 10th to 90th percentile"]
    if far:
        lines += textwrap.wrap(f"further off: {beyond}", LINE, break_on_hyphens=False)
    return "\n".join(lines)


def _warning(rows: Sequence[RaceData]) -> str:
    return "\nDISTURBED" if any(row["calibration"]["disturbed"] for row in rows) else ""
