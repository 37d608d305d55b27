"""Formulas built for AArch64: proved, certified, and right in an emulator."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from aarch64_callers import PATCHES, proved_chain
from aarch64_code import bytes_of, words_of
from aarch64_emulator import Emulator, limbs
from checked_folder import said_of

from fieldc.binary.linkable import function_of
from fieldc.cli import main
from fieldc.decisions.formulas import decide_formula
from fieldc.field import Field
from fieldc.formulas.load import load_formulas
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.programs import prove_formula
from fieldc.targets.aarch64.calls import ArmCalls
from fieldc.targets.aarch64.systems import LINUX
from fieldc.targets.registry import find_target

P = 2**127 - 1
TEXT = """
from fieldc.formulas import I64, Element, formula

Point = tuple[Element, Element]

@formula
def chain(x: Point, y: Point) -> Point:
    u = x[0] * y[0] - 2 * x[1]
    v = (x[1] + y[1]) ** 2 - u
    w = u * v + x[0] * y[1]
    return w * v, x[0]

@formula
def turned(x: Element, y: I64) -> Element:
    return x * y

@formula
def horner(x: Element, y: Element) -> Element:
    return x * y + 3 * y - 5
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formulas")
    (folder / "formulas.py").write_text(TEXT)
    words = ["--formula", str(folder / "formulas.py"), "--target", "aarch64-linux,aarch64-windows"]
    assert main(["build", str(P), *words, "-o", str(folder / "built")]) == 0
    return folder / "built"


def rows_of(built: Path) -> dict[str, dict[str, Any]]:
    """The rows of Linux's kernels, by their operations."""
    kernels = json.loads((built / "manifest.json").read_text())["kernels"]
    assert all(row["status"] == "PROVED" and row["certificate"] for row in kernels)
    return {row["op"]: row for row in kernels if row["target"] == "aarch64-linux"}


def test_short_formulas_are_one_line_and_long_ones_call(built: Path) -> None:
    rows = rows_of(built)
    assert len(rows["chain"]["called"]) > 3 and not rows["horner"]["called"]


@pytest.mark.parametrize(("count", "calls"), [(30, True), (300, False)])
def test_what_offsets_do_not_reach_is_one_line(count: int, calls: bool, tmp_path: Path) -> None:
    """The last of 300 elements lies further from their address than an addition can say."""
    elements = ", ".join(["Element"] * count)
    products = " + ".join(f"(x[{i}] * x[{i + 1}]) * x[{count - 1}]" for i in range(5))
    text = "from fieldc.formulas import Element, formula\n"
    text += f"@formula\ndef far(x: tuple[{elements}]) -> Element: return {products}\n"
    (tmp_path / "far.py").write_text(text)
    (one,) = load_formulas(tmp_path / "far.py")
    choice = decide_formula(Field(P), one, find_target("aarch64-linux")).preferred
    assert isinstance(choice.plan, ArmCalls) == calls


UNPROVED = """
from fieldc.formulas import I64, Element, accumulator, formula

Sum1 = accumulator(1, I64)

@formula
def summed(s: Sum1, x: Element, k: I64, y: Element, i: I64) -> Element:
    return s.plus(x, k).plus(y, i).reduced()
"""


def test_a_routine_without_a_proof_is_part_of_one_line(tmp_path: Path) -> None:
    """A caller of it was refused: a call is no code that takes the same time for all values."""
    (tmp_path / "summed.py").write_text(UNPROVED)
    words = ["--formula", str(tmp_path / "summed.py"), "--target", "aarch64-linux"]
    assert main(["build", "bls12-381-r", *words, "-o", str(tmp_path / "built")]) == 0
    (row,) = json.loads((tmp_path / "built/manifest.json").read_text())["kernels"]
    assert row["status"] == "PROVED" or not row["called"]


def test_a_caller_has_no_unwind_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "formulas.py").write_text(TEXT)
    words = ["build", str(P), "--formula", str(tmp_path / "formulas.py"), "--unwind"]
    words += ["--target", "aarch64-linux", "-o", str(tmp_path / "built")]
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("fieldc: a long formula calls routines") and said.count("\n") == 1
    assert not (tmp_path / "built").exists()


def test_the_checker_accepts_the_folder(checker: Path, built: Path) -> None:
    status, said = said_of(checker, built)
    assert status == 0, said


@pytest.mark.usefixtures("installed")
def test_the_proved_checker_certifies_the_folder(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["certify", str(built), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in rows] == ["CERTIFIED"] * 6


def test_a_caller_computes_the_formula(built: Path) -> None:
    row, chance = rows_of(built)["chain"], random.Random(3)
    function = function_of((built / row["object"]).read_bytes(), row["symbol"])
    r = 1 << 128
    inverse = pow(r, -1, P)
    for _ in range(20):
        a, b, c, d = (chance.choice((0, 1, P - 1, chance.randrange(P))) for _ in range(4))
        operands = {"x": limbs(a, 2) + limbs(b, 2), "y": limbs(c, 2) + limbs(d, 2)}
        emulator = Emulator(function.code[function.start :], operands, 4)
        emulator.run()
        u = a * c * inverse - 2 * b
        v = (b + d) ** 2 * inverse - u
        w = (u * v + a * d) * inverse
        assert emulator.result() == w * v * inverse % P + (a << 128)
        kept = [f"x{number}" for number in range(19, 31)]
        assert [emulator.register(name) for name in kept] == [emulator.entry[n] for n in kept]


def test_an_assembler_makes_the_same_bytes(built: Path, tmp_path: Path) -> None:
    tool = shutil.which("clang")
    if tool is None:
        pytest.skip("SKIPPED: clang is not installed")
    row, made = rows_of(built)["chain"], tmp_path / "chain.o"
    source = built / row["file"]
    command = [tool, f"--target={LINUX.triple}", "-c", source.with_suffix(".s"), "-o", made]
    subprocess.run(command, check=True)
    ours = function_of((built / row["object"]).read_bytes(), row["symbol"])
    theirs = function_of(made.read_bytes(), row["symbol"])
    length = len(theirs.code) - theirs.start
    assert theirs.code[theirs.start :] == ours.code[ours.start :][:length] and length > 1000


@pytest.mark.parametrize("what", PATCHES)
def test_the_prover_refuses_other_code(what: str) -> None:
    one = proved_chain(LINUX)
    words = words_of(one.function.code[one.function.start :])
    PATCHES[what](words, [place // 4 for place in one.calls])
    called = [routine["formula"] for routine in json.loads(one.certificate)["routines"]]
    with pytest.raises(ProofError):
        prove_formula(bytes_of(words), one.formula, P, 2, "aapcs64", 0, "aarch64", called)
