"""Command lines with a mistake: one line, status 2 and nothing written; or they are right."""

from __future__ import annotations

import random
import string
from pathlib import Path

from outputs import contents

from campaign.case import Case, Finding, attempt, fieldc, shown

COUNT = 40
"""Command lines of a case."""
LINES = (
    "show {p}",
    "show {p} --word 32 --json",
    "show {p} --why mul",
    "list algorithms --op mul",
    "list targets --json",
    "build {p} --op add -o {out}",
    "build {p} --op neg,double --target c,rust --word 32 -o {out}",
    "build {p} --formula formulas.py --target c -o {out}",
    "build {p} --op sub --processor zen-4 -o {out} --json rows.json",
    "prove {k}",
    "prove {k}/x86_64-linux/add_mulx.o:add_mulx",
    "certify {k}",
    "count {k}/x86_64-linux/add_mulx.o",
    "trace {k}/x86_64-linux/add_mulx.o:add_mulx --field {p} --x 3 --y 0x5 --summary",
    "page {p} --no-race -o page.html",
    "plot rows.json -o plot.svg",
    "cache show",
)
"""Commands that take little time, right as they stand but for `plot`."""
WORDS = (
    *("", " ", "-", "--", "0", "1", "-1", "4", "9", "1e3", "nan", "0x", "2^", "2^9999999", "(17"),
    *("--op", "--json", "--word", "-o", "..", "/", "/dev/null", "/dev/full", "formulas.py", "k"),
    *("add", "mul,mul", "add,,sub", "é", "\n", "x" * 300, "%s", "{p}", "*", "~", "17", "1" * 700),
)
"""What stands in the place of a word."""


def check(case: Case, folder: Path) -> None:
    """Raises Finding for the first line that is not answered as it should be."""
    case.formulas_in(folder)
    fieldc(folder, "build", case.written, "--op", "add", "-o", "k")
    draw = case.draw()
    for number in range(COUNT):
        line = draw.choice(LINES).format(p=case.written, out=f"out{number}", k="k")
        words = line.split()
        for _ in range(draw.choice((1, 1, 1, 2))):
            words = changed(words, draw)
        check_line(folder, words)


def changed(words: list[str], draw: random.Random) -> list[str]:
    """The line with one mistake."""
    at, way = draw.randrange(len(words)), draw.randrange(6)
    one = words[at]
    if way == 0:
        return words[:at] + words[at + 1 :]
    if way == 1:
        return [*words[:at], one, *words[at:]]
    if way == 2:
        return [*words[:at], draw.choice(WORDS), *words[at + 1 :]]
    if way == 3:
        return [*words[:at], draw.choice(WORDS), *words[at:]]
    if way == 4:
        return draw.sample(words, len(words))
    place = draw.randrange(len(one) + 1)
    letter = draw.choice(string.ascii_lowercase + string.digits + "-_^.,:/ ")
    return [*words[:at], one[:place] + letter + one[place + draw.randrange(2) :], *words[at + 1 :]]


def check_line(folder: Path, words: list[str]) -> None:
    """One command line."""
    before = contents(folder)
    done = attempt(folder, *words)
    wrong = ""
    if done.returncode not in (0, 1, 2):
        wrong = f"status {done.returncode}"
    elif "Traceback" in done.stderr or "internal error" in done.stderr:
        wrong = "an internal error"
    elif done.returncode == 2:
        lines = done.stderr.splitlines()
        if len(lines) != 1 or not lines[0].startswith("fieldc") or not lines[0].isprintable():
            wrong = "an answer that is not one line"
        elif contents(folder) != before:
            wrong = "files were written"
    if wrong:
        raise Finding(f"{shown(map(repr, words))}: {wrong}: {done.stderr[-500:]!r}")
