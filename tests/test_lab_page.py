"""The study's page: figures as wide as the text, lines over limbs, cells that are not broken."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fieldc.lab.report.page import Grid, Picture, Section, page
from fieldc.lab.report.seeds import comparisons

pytest.importorskip("matplotlib")

from fieldc.lab.report.lines import lines_over_limbs
from fieldc.lab.report.style import WIDTH, styled

POINTS = 72
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WHOLE = """
const tables = [...document.querySelectorAll(".table")];
const inside = tables.every(table => table.scrollWidth <= table.clientWidth);
const shown = getComputedStyle(tables[0]).overflowX === "visible";
document.title = inside && shown ? "whole" : "cut off";
"""


def row(limbs: int, algorithm: str, **more: object) -> dict[str, object]:
    """A row of a study."""
    figures = {"throughput_cycles": 3.0 * limbs**2, "latency_cycles": 4.0 * limbs**2}
    return {"limbs": limbs, "algorithm": algorithm, **figures, **more}


def test_there_is_a_line_for_each_algorithm() -> None:
    rows = [row(n, a) for n in (2, 3, 5) for a in ("cios", "sos")]
    with styled():
        drawn = lines_over_limbs(rows, "mul")
        assert drawn == lines_over_limbs(rows, "mul")
    assert ">cios</text>" in drawn and ">sos</text>" in drawn
    width = float(re.findall(r'width="([\d.]+)pt"', drawn)[0])
    assert abs(width / POINTS - WIDTH) < 0.5


def test_the_best_of_ours_stands_beside_what_was_written_by_hand() -> None:
    times = {"x86-adx": 29.8, "x86-mulx": 26.4, "llvm": 20.0}
    rows = [
        row(6, "cios", field="bls12-381-p", op="mul", backend=b, throughput_ns=t, latency_ns=t)
        for b, t in times.items()
    ]
    lines = [line for c in comparisons(rows)[:2] for line in c.lines]
    by_hand = [line for line in lines if line[0] in ("multiplication, assembly", "by hand (mcl)")]
    assert [line[2:] for line in by_hand] == [("26.40 | 26.40", "x86-mulx, cios")] * 2


def test_only_long_words_are_broken() -> None:
    lines = [("p", "0x" + "f" * 64, "12.5 | 14.0"), ("why", "a sentence of more than thirty", "-")]
    text = page("t", "l", "", [Section("s", "", [Grid("", ("a", "b", "c"), lines)])])
    assert '<td class="long">0xfff' in text and '<td class="number">12.5 | 14.0</td>' in text
    assert "<td>why</td>" in text and '<th class="number">c</th>' in text and "<th>a</th>" in text


def test_a_picture_that_fits_is_whole_on_a_phone() -> None:
    pictures = [Picture("<svg></svg>", "one", fits=True), Picture("<svg></svg>", "two")]
    text = page("t", "", "", [Section("s", "", pictures)])
    assert '<figure class="fits"><svg></svg><figcaption>one' in text
    assert "<figure><svg></svg><figcaption>two" in text
    assert ".fits svg { width: 100%; }" in text and "scroll to its right" in text


def test_a_wide_table_is_whole_on_paper(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("SKIPPED: there is no chromium here")
    columns = "field op algorithm flavour throughput latency spread instructions multiplications"
    line = ("bls12-381-p", "square", "log-jump-complement", "rust-intrinsics", "1234.5", "1234.5")
    line += ("1234.5 to 1234.5", "1234", "1234", "1234", "1234.5", "carry adders")
    grid = Grid("", (*columns.split(), "memory", "least cycles", "binds"), [line])
    text = page("t", "", "", [Section("s", "", [grid])])
    as_printed = text.replace("@media print", "@media screen")
    measured = tmp_path / "measured.html"
    measured.write_text(f"{as_printed}<script>{WHOLE}</script>", "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/data"]
    command = [browser, *flags, "--window-size=730,900", "--dump-dom", measured.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "<title>whole</title>" in done.stdout
