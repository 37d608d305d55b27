"""fieldc demo, whole: derive, build for every target, check, race, for named primes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sampling import sampled

from fieldc import cli
from fieldc.catalogue import named_primes
from fieldc.commands import demo
from fieldc.machine.processor import is_x86_64
from fieldc.targets.registry import TARGETS

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
EXPRESSIONS = dict.fromkeys(re.findall(r"\d\^\d+(?:[-+]\d+(?:\^\d+)?)+", README))
"""Primes that README writes as expressions."""
QUICK = ("2^61-1",)
NAMES = [n for n in (*named_primes(), *EXPRESSIONS, "2^127-1") if n not in QUICK]


@pytest.mark.parametrize("name", sampled(QUICK, NAMES))
def test_a_demo_builds_checks_and_races(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "ROUNDS", 5)
    assert cli.main(["demo", name, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    kernels = json.loads((tmp_path / "out/manifest.json").read_text("utf-8"))["kernels"]
    assert {k["target"] for k in kernels} >= {t for t, of in TARGETS.items() if 64 in of.words}
    assert {k["status"] for k in kernels if TARGETS[k["target"]].is_own} == {"PROVED"}
    raced = all(f"{op} runs in" in said for op in demo.RACED)
    assert raced or (not is_x86_64() and "SKIPPED race" in said)


def test_the_next_demo_takes_the_place_of_one_of_another_prime(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "ROUNDS", 1)
    monkeypatch.setattr(demo, "ALL", "c")
    monkeypatch.chdir(tmp_path)
    for p in (17, 19):
        assert cli.main(["demo", str(p)]) == 0
        assert json.loads(Path("build/demo/manifest.json").read_text("utf-8"))["p"] == hex(p)
    assert not list(Path("build/demo").glob("*_11*"))
    Path("build/demo/mine").touch()
    assert cli.main(["demo", "17", "-o", "build/demo"]) == 2
    assert "holds 'mine', which no build there wrote" in capsys.readouterr().err
    Path("build/demo").rename("other")
    Path("other/mine").unlink()
    assert cli.main(["demo", "17", "-o", "other"]) == 2
    assert "'other' holds a build of 0x13, 64-bit words" in capsys.readouterr().err
