"""Plots of races: what is in the picture, and the same bytes for the same rows."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from matplotlib.text import Text
from races import peer, row

from fieldc import cli
from fieldc.lab.report.race import LINE, PANEL_WIDTH, STYLES, draw_race, race_dots
from fieldc.lab.report.style import styled

DRAWN = "plot draws those above 1e-9 and below 1e15"
ROWS = [
    row("mul", 40.0, backend="x86-mulx", algorithm="cios"),
    row("mul", 16_000.0, backend="python", algorithm="cios"),
    peer("mul", "blst", 60.0),
    peer("add", "blst", 10.0, "inlined", "lazy"),
]


def drawn(path: Path) -> list[str]:
    """The texts of a picture."""
    draw_race(ROWS, path)
    return re.findall(r"<text [^>]*>(.*?)</text>", path.read_text(encoding="utf-8"))


def test_what_a_picture_says(tmp_path: Path) -> None:
    texts = drawn(tmp_path / "race.svg")
    assert {"mul, bn254-p", "add, bn254-p", "latency", "throughput"} <= {*texts}
    assert {"x86-mulx: cios", "blst 1.2: assembly", "blst 1.2: assembly, inlined, lazy"} <= {*texts}
    assert "core cycles a call at 3.00 GHz; bars: 10th to 90th percentile" in texts
    assert "python: cios" not in texts and "further off: python: cios 16,000" in texts
    text = (tmp_path / "race.svg").read_text(encoding="utf-8")
    assert all(style["color"] in text for style in STYLES.values())
    assert 'style="max-width: 100%' in text  # a phone shows all of it


def test_a_far_row_leaves_the_others_apart(tmp_path: Path) -> None:
    rows = [row("add", cycles, backend=f"b{cycles}", algorithm="add") for cycles in (16, 18, 400)]
    draw_race(rows, tmp_path / "race.svg")
    text = (tmp_path / "race.svg").read_text(encoding="utf-8")
    assert "further off: b400: add 400" in text and ">0<" in text  # the axis begins at 0


def test_a_long_prime_and_many_far_rows_stay_in_the_picture(tmp_path: Path) -> None:
    fast, *far = (
        row("mul", cycles, backend=f"llvm-{cycles}", algorithm="log-jump-complement")
        for cycles in (20, 400, 500, 600, 700, 800)
    )
    rows = [{**one, "field": f"{2**767 + 183:#x}"} for one in (fast, *far)]
    draw_race(rows, tmp_path / "race.svg")
    text = (tmp_path / "race.svg").read_text(encoding="utf-8")
    lines = re.findall(r"<text [^>]*>(.*?)</text>", text)
    assert "mul, 0x80000000...00000000b7" in lines
    assert max(map(len, lines)) <= LINE and "llvm-800" in text
    width = float(re.search(r'width="([0-9.]+)pt"', text)[1])  # type: ignore[index]
    assert width <= 72 * PANEL_WIDTH + 72


def test_the_longest_titles_stay_in_the_picture() -> None:
    """Beside long names of rows, with a warning."""
    given: list[dict[str, Any]] = [
        {
            **row("difference_of_products", cycles, backend="llvm-wide"),
            "algorithm": "log-jump-complement",
            "field": f"{2**767 + 183:#x}",
        }
        for cycles in (20.0, 400.0)
    ]
    for one in given:
        one["calibration"] = {**one["calibration"], "disturbed": True}
    with styled():
        figure = race_dots(given)
        figure.draw_without_rendering()
        (axes,) = figure.axes
        title = "differen...products, 0x80000000...00000000b7\nDISTURBED"
        (shown,) = [text for text in axes.findobj(Text) if text.get_text() == title]
        extents = [text.get_window_extent() for text in (shown, *axes.get_yticklabels())]
    assert min(one.x0 for one in extents) >= 0
    assert max(one.x1 for one in extents) <= figure.bbox.x1
    assert axes.bbox.height > 0


def test_letters_of_no_font_and_dollars_are_drawn(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    odd = [
        {**row("mul", 20.0, backend="b", algorithm="$a$"), "field": "$\\bad$ \u65e5", "op": "$x^$"}
    ]
    for name in ("race.svg", "race.png"):
        draw_race(odd, tmp_path / name)
    text = (tmp_path / "race.svg").read_text(encoding="utf-8")
    assert "$x^$, $\\bad$ \u65e5" in text and "$a$" in text
    assert capfd.readouterr() == ("", "")


def test_names_that_leave_no_room_are_drawn_without_a_word(tmp_path: Path) -> None:
    rows = [row("mul", 20.0, backend="x86-mulx", algorithm="a" * 120)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_race(rows, tmp_path / "race.svg")


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        drawn(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_no_window_is_asked_for(tmp_path: Path) -> None:
    rows, picture = tmp_path / "rows.json", tmp_path / "race.svg"
    rows.write_text(json.dumps(ROWS))
    words = [sys.executable, "-m", "fieldc", "plot", str(rows), "-o", str(picture)]
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and picture.is_file(), done.stderr


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, picture = tmp_path / "rows.json", tmp_path / "race.png"
    rows.write_text(json.dumps(ROWS))
    assert cli.main(["plot", str(rows), "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG") and "race.png" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "has no rows"),
        ('[{"op": "mul"}]', "these are no rows of a race"),
        ("[3]", "these are no rows of a race"),
        ('[{"cycles_per_element": 2}]', "row 1 is of bench --batch, which has no picture"),
        (json.dumps([row("mul", math.nan, backend="b", algorithm="a")]), "row 1 has no positive"),
        (json.dumps([row("mul", math.inf, backend="b", algorithm="a")]), "for the through"),
        (json.dumps([*ROWS, row("mul", 0.0, backend="b", algorithm="a")]), "row 5 has no positive"),
        (json.dumps([row("mul", 1e300, backend="b", algorithm="a")]), "for the through"),
        (json.dumps([ROWS[0] | {"throughput_cycles": math.nan}]), "number for the throughput, m"),
        (json.dumps([ROWS[0] | {"latency_cycles": "9"}]), "number for the latency, median"),
        (
            json.dumps([ROWS[0] | {"latency_cycles": 1e-300}]),
            f"has a number out of range for the latency, median: {DRAWN}",
        ),
        (
            json.dumps([ROWS[0] | {"latency_cycles": 1e300}]),
            f"has a number out of range for the latency, median: {DRAWN}",
        ),
        (
            json.dumps([*ROWS]).replace('"core_ghz": 3.0', '"core_ghz": 1e300'),
            f"'core_ghz': {DRAWN}",
        ),
        (json.dumps([*ROWS]).replace('"high": 52.0', '"high": 1.0'), "low end is above its high"),
        (json.dumps([*ROWS]).replace("core_ghz", "ghz"), "row 1 has no 'calibration' with"),
        (json.dumps([*ROWS]).replace("version", "v"), "row 3 has no 'version'"),
        (json.dumps([row("mul", 1.0, backend=3, algorithm="a")]), "row 1 has no 'backend'"),
    ],
)
def test_bad_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "rows.json").write_text(text)
    words = ["plot", str(tmp_path / "rows.json"), "-o", str(tmp_path / "race.svg")]
    assert cli.main(words) == 2
    assert message in capsys.readouterr().err
    assert cli.main(["plot", str(tmp_path / "none.json"), "-o", "race.svg"]) == 2
    assert "No such file" in capsys.readouterr().err
