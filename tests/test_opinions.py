"""Second opinions: what llvm-mca and OSACA say, and why an absent tool is skipped."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path

import pytest
from lab_code import kernel

from fieldc.cli import main
from fieldc.counting.functions import count_in
from fieldc.machine.processors import find_processor
from fieldc.simulator import opinions
from fieldc.simulator.opinions import Opinion, llvm_mca, osaca

N1 = find_processor("neoverse-n1")
SAYS = {
    "CodeRegions": [{"SummaryView": {"TotalCycles": 2000}}],
    "TargetInfo": {"Resources": ["N1UnitB", "N1UnitM"]},
}


def tool(folder: Path, says: object, name: str = "llvm-mca-39") -> str:
    """A PATH with a tool that prints JSON."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {shlex.quote(json.dumps(says))}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(folder)


def test_absent_tools_are_skipped_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    count = count_in(kernel("aarch64-linux", "bn254-p"), "kernel")
    monkeypatch.setattr(opinions.shutil, "which", lambda _: None)
    monkeypatch.setattr(opinions.importlib.util, "find_spec", lambda _: None)
    assert llvm_mca(count, N1).verdict(1) == "SKIPPED: llvm-mca is not installed"
    assert osaca(count, N1).verdict(1) == "SKIPPED: OSACA is not installed: pip install osaca"


def test_an_opinion_counts_only_if_the_units_are_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = count_in(kernel("aarch64-linux", "bn254-p"), "kernel")
    monkeypatch.setenv("PATH", tool(tmp_path, SAYS))
    assert llvm_mca(count, N1) == Opinion("llvm-mca-39", "neoverse-n1", 40.0)
    for units in (["A57UnitB"], []):
        monkeypatch.setenv("PATH", tool(tmp_path, SAYS | {"TargetInfo": {"Resources": units}}))
        assert not llvm_mca(count, N1).counts
    monkeypatch.setenv("PATH", tool(tmp_path, []))
    assert llvm_mca(count, N1).verdict(1) == "SKIPPED: it failed: no reason given"


def test_verdicts() -> None:
    assert Opinion("t", "p", 110.0).verdict(100) == "agrees, +10 %"
    assert Opinion("t", "p", 120.0, "x").verdict(100) == "DISAGREES, +20 %; x"
    assert Opinion("t", "p", 120.0, "x", counts=False).verdict(100) == "does not count: x"


def test_the_loads_of_ports_are_found() -> None:
    lines = ["  1 | 1.00 |      ||   |   | mul x1, x2, x3", "", "   0.33   12.50     8.0    2.0  "]
    assert opinions._port_loads(lines) == [0.33, 12.5]
    assert opinions._port_loads(lines[:2]) == []


def test_count_prints_opinions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kernel.o"
    path.write_bytes(kernel("aarch64-linux", "bn254-p"))
    assert main(["count", f"{path}:kernel", "--processor", "cortex-a55", "--opinions"]) == 0
    out = capsys.readouterr().out
    assert "second opinions" in out and "llvm-mca" in out and "osaca" in out
    assert main(["count", str(path), "--opinions"]) == 2
    assert "needs one function" in capsys.readouterr().err
