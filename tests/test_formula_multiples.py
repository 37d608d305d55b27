"""Multiples in formulas: which blocks make them, and that what uses them is proved in one line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from sampling import sampled

from fieldc.artifacts.verify import job_of
from fieldc.artifacts.write import build
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.formulas import decide_formula
from fieldc.formulas import Element, extend, formula
from fieldc.formulas.formula import Formula
from fieldc.formulas.plan import planned
from fieldc.machine.assemble import host_triple
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.facts import Bound
from fieldc.proof.programs import prove_formula
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED

TARGET = TARGETS["x86_64-linux"]
needs_x86 = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
P381 = (
    "0x1e63e320c7352d44d90cbfd2e74ed0da4889b3ed43b73851"
    "8b992a294ee3a73acb5cbee7c3e8e03350c544dc8d8cf77d"
)
Fp2: Any = extend(Element, 2, 3)
FILE = """
from fieldc.formulas import Element, extend, formula
Fp2 = extend(Element, 2, 3)
@formula
def less_its_multiple(x: Fp2) -> Fp2:
    return x * Fp2(2, 5) - Fp2(0, 1) * x * 3
"""


@formula
def fifteenfold(x: Element) -> Element:
    """A multiple of a multiple."""
    return 3 * (5 * x)


@formula
def less_fifteenfold(x: Element) -> Element:
    """The same with the signs between."""
    return 5 * (-(3 * x))


@formula
def sum_and_its_multiple(x: Element, y: Element) -> Element:
    """Additions make a multiple of a sum, too."""
    return 3 * (5 * x + 7 * y)


@formula
def difference(x: Element, y: Element) -> Element:
    """A multiple that needs a product, less one that does not."""
    return 3 * (5 * x) - 9 * y


@formula
def less_its_multiple(x: Fp2) -> Fp2:
    """Products with constants, of which one is a multiple of u."""
    return x * Fp2(2, 5) - Fp2(0, 1) * x * 3  # type: ignore[no-any-return]


@formula
def eightfold(w: Element, v: Element) -> Element:
    """A difference from a square, made larger before it is reduced."""
    return 8 * (w * w - v)


@formula
def from_a_negated(x: Element) -> Element:
    """-20*x^2, where words hold 26*x and nothing holds -26*x."""
    return -(x + x) * 13 * x + 3 * x * (2 * x)


@pytest.mark.parametrize(
    ("one", "blocks"),
    [
        (fifteenfold, ["15*a"]),
        (less_fifteenfold, ["15*a", "-a"]),
        (sum_and_its_multiple, ["7*a + 5*b", "3*a"]),
        (difference, ["15*a", "a - 9*b"]),
    ],
)
def test_a_multiple_is_made_of_the_value_by_what_is_shortest(
    one: Formula, blocks: list[str]
) -> None:
    assert [each.block.says for each in planned(one).computed] == blocks


@needs_x86
@pytest.mark.parametrize(
    ("one", "prime"),
    [
        (difference, "bls12-381-r"),
        (less_its_multiple, P381),
        (from_a_negated, "goldilocks"),
    ],
)
def test_multiples_are_proved_in_one_line(one: Formula, prime: str) -> None:
    """Of the second the range of a word does not say that the high half of a product is 0."""
    made = build([decide_formula(find_field(prime), one, TARGET)], lambda *_: None)
    assert len(made) == 3 and {kernel.status for kernel in made} == {PROVED}
    assert "calls" not in {kernel.expression.kernel.algorithm for kernel in made}


@needs_x86
@pytest.mark.usefixtures("installed")
def test_certificates_of_multiples_replay(checker: Path, tmp_path: Path) -> None:
    """They say that the high half of a product is 0, which no row reads."""
    file, folder = tmp_path / "formulas.py", tmp_path / "out"
    file.write_text(FILE)
    assert main(["build", P381, "--formula", str(file), "-o", str(folder), "--no-cache"]) == 0
    subprocess.run([checker, folder], check=True)
    assert main(["certify", str(folder)]) == 0


@needs_x86
@pytest.mark.parametrize("prime", sampled(["bn254-p"], ["bls12-381-r", "p384"]))
def test_words_are_equated_before_a_case_takes_many_bounds(
    prime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two chains of carries end in carries that are 0: four cases took 6,000 bounds without."""
    f, sought = find_field(prime), [0]
    decision = decide_formula(f, eightfold, TARGET, "zen-4")
    job = job_of(decision.target.make(TARGET, decision.variant("adx")))
    assert job is not None
    eliminated = Case._eliminated

    def counted(*given: Any) -> Bound:
        sought[0] += 1
        return eliminated(*given)

    monkeypatch.setattr(Case, "_eliminated", counted)
    function = function_of(job.code, job.symbol)
    prove_formula(function.code, job.formula, f.p, f.n, start=function.start)
    assert sought[0] < 2000
