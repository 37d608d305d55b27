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
