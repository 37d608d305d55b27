"""fieldc bench --formula: the formulas of a file in one race."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.machine.processor import is_x86_64

BUTTERFLY = Path(__file__).parents[1] / "examples" / "butterfly.py"
LONG = """
from fieldc.formulas import Element, formula

@formula
def power(x: Element, y: Element) -> Element:
    for _ in range(13):
        x = x * y
    return x
"""


def output(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    assert cli.main(["bench", *words]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_each_variant_races_llvm(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("2^127-1", "--formula", str(BUTTERFLY), "--rounds", "2", "--json")
    rows = json.loads(output(capsys, *words)[0])
    assert {row["op"] for row in rows} == {"butterfly", "horner"}
    for op in ("butterfly", "horner"):
        backends = {row["backend"] for row in rows if row["op"] == op}
        assert "x86-base" in backends and {"llvm", "llvm-wide"} & backends
    assert all(row["throughput_cycles"] > 0 and row["operands"] == "moving" for row in rows)


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_a_long_formula_goes_without_llvm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "long.py"
    file.write_text(LONG)
    text, _ = output(capsys, "2^127-1", "--formula", str(file), "--rounds", "2")
    assert "llvm: power: 13 products, LLVM takes minutes from 13 on" in text
    assert "x86-base" in text and "llvm-bmi2" not in text.replace("x llvm-bmi2", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bn254-p", "--op", "mul"), "--formula names what is raced; leave out --op"),
        (("bn254-p", "--peers"), "--formula names what is raced; leave out --peers"),
        (("bn254-p", "--batch"), "--formula names what is raced; leave out --batch"),
        (("--all-goals",), "--all-goals has operations and fields of its own; leave out --formula"),
        (("bn254-p", "--word", "32"), "kernels of formulas have words of 64 bits"),
    ],
)
def test_what_has_no_formulas_is_refused(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = output(capsys, *words, "--formula", str(BUTTERFLY), status=2)
    assert message in said and said.count("\n") == 1
