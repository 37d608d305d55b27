"""(x - y)^2 where no bit is spare: what is squared was reduced, its borrow went on to a flag."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.formulas.load import load_formulas
from fieldc.machine.assemble import assemble, host_triple

FORMULA = """
from fieldc.formulas import Element, formula

@formula
def f(x: Element, y: Element) -> Element:
    return (x - y) ** 2 + 7
"""
SMALL = "2^128-159"
FULL = pytest.mark.full
pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of the formula."""
    path = tmp_path / "sums.py"
    path.write_text(FORMULA)
    return path


@pytest.mark.parametrize("prime", [SMALL, "secp256k1-n", pytest.param("p384", marks=FULL)])
def test_it_is_one_kernel(prime: str, file: Path) -> None:
    out = file.parent / "out"
    assert main(["build", prime, "--formula", str(file), "-o", str(out)]) == 0
    rows = json.loads((out / "manifest.json").read_text())["kernels"]
    assert {row["status"] for row in rows} == {"PROVED"} and all(r["certificate"] for r in rows)
    assert "calls" not in {row["algorithm"] for row in rows}


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=FULL) for part in range(1, 4))])
def test_without_one_of_its_instructions_it_is_not_proved(part: int, file: Path) -> None:
    """But for one copy: once 2p was taken away, what is left is below p by its top limb alone."""
    out, f = file.parent / "out", find_field(SMALL)
    words = ["--processor", "zen-4", "-o", str(out)]
    assert main(["build", SMALL, "--formula", str(file), *words]) == 0
    lines = (out / "x86_64-linux/f_mulx.s").read_text().splitlines()
    formula = load_formulas(file)[0].over(f)
    (symbol,) = (line.removeprefix(".globl ") for line in lines if line.startswith(".globl"))

    def failure(text: list[str]) -> str:
        code = assemble("\n".join([*text, ""]), host_triple())
        return prove_job(Job(code, symbol, "f", f.p, f.n, formula=formula.text())).failure

    assert not failure(lines)
    places = [i for i, line in enumerate(lines) if line.startswith("    ") and line[4] != "."]
    assert len(places) > 60
    proved = [lines[i] for i in places[part::4] if not failure(lines[:i] + lines[i + 1 :])]
    assert {line.partition("#")[0].strip() for line in proved} <= {"mov rcx, rdx"}
