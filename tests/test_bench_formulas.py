"""fieldc bench --formula: the formulas of a file in one race."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.artifacts import host
from fieldc.lab import formula_race
from fieldc.machine.processor import is_x86_64

BUTTERFLY = Path(__file__).parents[1] / "examples" / "butterfly.py"


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


def test_a_host_without_kernels_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(formula_race, "host_architecture", lambda: "")
    _, said = output(capsys, "bn254-p", "--formula", str(BUTTERFLY), status=2)
    assert said == "fieldc: no backend makes code that this host can run in-process\n"


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_a_value_that_cannot_be_timed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wide.py"
    values = ", ".join(f"x{i}: Element" for i in range(49))
    file.write_text(
        "from typing import NamedTuple\nfrom fieldc.formulas import Element, formula\n"
        f"class Many(NamedTuple):\n    {values.replace(', ', chr(10) + '    ')}\n"
        "@formula\ndef first(x: Many) -> Element:\n    return x.x0 + x.x48\n"
    )
    _, said = output(capsys, "2^127-1", "--formula", str(file), status=2)
    assert said.endswith("first has a value of 98 limbs; up to 96 can be timed\n")


def test_our_own_backend_has_the_name_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for architecture, name in (("x86_64", "x86-mulx"), ("aarch64", "aarch64")):
        monkeypatch.setattr(host, "host_architecture", lambda found=architecture: found)
        assert host.own_name("mulx") == name


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
