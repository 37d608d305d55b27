"""The page of a prime: what is on it, that it needs nothing else, that a browser shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.catalogue import find_field
from fieldc.commands.page import short_name
from fieldc.lab.report.listing import listing

FITS = """
const heights = [...document.querySelectorAll(".listing tr")].map(row => row.offsetHeight);
const even = Math.max(...heights) <= Math.min(...heights) + 2;
const fits = document.documentElement.scrollWidth <= innerWidth;
document.title = fits && even ? "fits" : "cut off or uneven";
"""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.mark.parametrize(
    ("prime", "name"),
    [("bn254", "bn254-p"), ("2^89-1", "2^89 - 1"), ("0x" + "c35" * 19 + "c393", "0xc35c")],
)
def test_a_page_has_a_short_title(prime: str, name: str) -> None:
    title = short_name(find_field(prime))
    assert title.startswith(name) and len(title) <= 24


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a prime of two limbs, without a race."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert cli.main(["page", "2^127-1", "-o", str(path), "--no-race"]) == 0
    return path


class Checker(HTMLParser):
    """Collects tags and what they ask of elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.outside += [f"{k}={v}" for k, v in attrs if k in ("src", "href", "srcset")]


def test_the_page_is_whole_and_needs_nothing_else(page: Path) -> None:
    text = page.read_text()
    checker = Checker()
    checker.feed(text)
    assert not checker.outside and not {"script", "link", "img"} & checker.tags.keys()
    assert "@import" not in text and "url(" not in text
    for heading in (
        "The prime",
        "Shape and representation",
        "Which algorithms hold",
        "The chosen kernels",
        "The multiplication",
    ):
        assert f"<h2>{heading}" in text
    assert "<h2>The multiplication: fieldc_<wbr>p127_<wbr>" in text  # so a phone shows whole words
    assert "<h2>Pressure on ports" in text and "<h2>The proof" in text
    assert "from operands in the cache; a chain of calls may take less." in text
    assert text.count("<td>PROVED</td>") == 4 and "2^127 - 1" in text
    assert "<h1>Arithmetic modulo 2^127 - 1</h1>\n<p>Made by fieldc page 2^127-1. " in text
    assert "<h3>Representations modulo 2^127 - 1, x86_64-linux, the best first</h3>" in text
    constants, _, _ = text.partition("Shape and representation")
    assert '<td class="long">0x7fff' in constants and '<td class="number">' not in constants
    assert '<td class="number">1.50p</td>' in text
    assert "<h3>Those that do not hold</h3>" in text
    reasons = re.findall(r"<td>(near-radix)</td><td>([^<]*)</td>", text)
    assert reasons == [("near-radix", "mul, square")]  # a reason once, for all its operations
    assert re.search(r"Case 1: flags assumed: .*; \d+ steps", text)


def test_every_row_of_a_multiplication_is_named() -> None:
    text = """
    push rbx
    mov r8, qword ptr [rsi]                     # x[0]
    sub rsp, 8                                  # spills
    mov rdx, qword ptr [rdx]                    # y[0]
    mulx r8, r9, qword ptr [rsi]                # x[0]
    mov rdx, r9
    mulx r9, rbp, qword ptr [rax]               # mu[0]
    adcx r8, rbp
    adox r9, r8
    mov rdx, qword ptr [rcx + 8]                # y[1]
    mulx r8, r9, qword ptr [rsi]                # x[0]
    sub r8, qword ptr [rax]                     # p[0]
    ret
"""
    lines = list(listing(text))
    frame, first = ["", "product, row 1", ""], ["product, row 1"] * 3 + ["reduction, row 1"] * 3
    second = ["product, row 2"] * 2
    assert [line.says for line in lines] == [*frame, *first, *second, "final subtraction", ""]
    assert [line.chain for line in lines if line.chain] == ["carry", "overflow", "carry"]


def test_a_browser_shows_it(page: Path, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("SKIPPED: there is no chromium here")
    measured = tmp_path / "measured.html"
    text = page.read_text("utf-8").replace("0x7fff", f"0x7fff{'f' * 64}")  # as of a long prime
    measured.write_text(f"{text}<script>{FITS}</script>", "utf-8")
    for width in (1200, 500):
        picture = tmp_path / f"{width}.png"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/data"]
        shown = [f"--window-size={width},900", f"--screenshot={picture}", "--dump-dom"]
        command = [browser, *flags, *shown, measured.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and "Pressure on ports" in done.stdout
        assert "<title>fits</title>" in done.stdout
        assert picture.stat().st_size > 20_000


def test_what_is_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in [
        (["17", "-o", "page.pdf"], "its name ends in .html"),
        (["17", "-o", "/no/such/page.html"], "the folder '/no/such' is not there"),
        (["15", "-o", "page.html"], "composite"),
        (["17"], "required: -o"),
    ]:
        assert cli.main(["page", *words]) == 2
        assert says in capsys.readouterr().err
