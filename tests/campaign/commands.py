"""What a user sees of a prime: its constants, its page, the demo, one call's instructions."""

from __future__ import annotations

import json
import re
from pathlib import Path

from campaign.case import WIDTH, Case, Finding, fieldc, on_terminal

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def check(case: Case, folder: Path) -> None:
    """Raises Finding if anything is wrong."""
    check_constants(case, folder)
    for words in (("show", case.written), ("list", "algorithms", "--op", "mul")):
        fits(on_terminal(folder, *words))
    fieldc(folder, "page", case.written, "--no-race", "-o", "page.html")
    page = (folder / "page.html").read_text("utf-8")
    if not page.rstrip().endswith("</html>") or re.search(r'src="|<link', page):
        raise Finding("page.html is cut off, or asks for something elsewhere")
    fits(said := on_terminal(folder, "demo", case.written, "-o", "demo"))
    if "runs in" not in said[-600:]:
        raise Finding("demo ends without a sentence of what came out")
    fieldc(folder, "prove", "demo")
    check_trace(case, folder)


def check_constants(case: Case, folder: Path) -> None:
    """The constants of `show`, for both words."""
    p = case.p
    for word in (64, 32):
        words = ("show", case.written, "--word", str(word), "--json")
        said = json.loads(fieldc(folder, *words))
        n = -(-p.bit_length() // word)
        r = 1 << word * n
        k = (p - 1 & 1 - p).bit_length() - 1
        wanted = {"p": p, "R": r, "R_mod_p": r % p, "R2": r * r % p, "R_inverse": pow(r, -1, p)}
        wanted |= {"n0": -pow(p, -1, 1 << word) % (1 << word), "mu": pow(1 << word, -1, p)}
        found = {name: int(said[name], 16) for name in wanted}
        found |= {name: said[name] for name in ("bits", "limbs", "two_adicity")}
        wanted |= {"bits": p.bit_length(), "limbs": n, "two_adicity": k}
        root = int(said["root_of_unity"], 16)
        if found != wanted or pow(root, 1 << k - 1, p) != p - 1 or int(said["decimal"]) != p:
            raise Finding(f"show --word {word}: {found}, not {wanted}")


def check_trace(case: Case, folder: Path) -> None:
    """The product that `trace` says was written, of a kernel that the demo built."""
    p, n, draw = case.p, -(-case.p.bit_length() // 64), case.draw()
    x, y = draw.randrange(p), draw.randrange(p)
    path = next((folder / "demo/x86_64-linux").glob("mul_mulx.o"))
    words = ("--field", case.written, "--x", hex(x), "--y", hex(y), "--summary", "--json")
    limbs = json.loads(fieldc(folder, "trace", f"{path}:mul_mulx", *words))["result"]
    found = sum(int(limb, 16) << 64 * i for i, limb in enumerate(limbs))
    if found != (wanted := x * y * pow(1 << 64 * n, -1, p) % p):
        raise Finding(f"trace: {x} times {y} is {found}, not {wanted}")


def fits(said: str) -> None:
    """Raises Finding for a line that is wider than the terminal."""
    for line in said.splitlines():
        shown = STYLE.sub("", line.rpartition("\r")[2])
        if len(shown) > WIDTH:
            raise Finding(f"a line of {len(shown)} columns: {shown}")
