"""How every figure looks: colours that all eyes tell apart, and that differ in grey too."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#666666", "#f0e442")
"""Okabe and Ito, "Color universal design" (2008); a marker or hatch says the same again."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
WIDTH = 10.3
"""Inches of every figure of the report: as wide as its text, so that all letters are one size."""
SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "svg.hashsalt": "fieldc",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "hatch.linewidth": 0.5,
}


@contextmanager
def styled() -> Iterator[None]:
    """Within it figures have the look of the report."""
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a letter that the font lacks is a box
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # names leave no room
        yield


def svg(figure: Figure) -> str:
    """The figure as SVG to stand in a page; the same figure gives the same text."""
    held = io.StringIO()
    figure.savefig(held, format="svg", bbox_inches="tight", metadata={"Date": None})
    text = held.getvalue()
    return text[text.index("<svg") :]


def svg_file(figure: Figure) -> str:
    """The figure as a file of its own; a narrow screen shows it smaller, and need not scroll."""
    return svg(figure).replace("<svg", '<svg style="max-width: 100%; height: auto"', 1) + "\n"
