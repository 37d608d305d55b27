"""What `fieldc list targets` says of each target is what `fieldc build` does with it here."""

from __future__ import annotations

import json
import shutil

import pytest
from target_code import kernels

from fieldc.artifacts import verify
from fieldc.artifacts.support import Support, support_of
from fieldc.artifacts.verify import LeakyKernel, judge, require_constant_time
from fieldc.cli import main
from fieldc.proof.constant_time.scan import Depends, Finding, FindingKind
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED, SKIPPED, TESTED

FIELD = "bn254-p"


def support(name: str) -> Support:
    return support_of(TARGETS[name])


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.sweep(12)
def test_a_build_does_what_the_list_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said, scanned, run, here = support(name), [], [], []
    monkeypatch.setattr(verify, "scan", lambda code: scanned.append(code) or [])
    monkeypatch.setattr(verify, "run_elsewhere", lambda target, some: run.extend(some))
    monkeypatch.setattr(verify, "run_here", lambda artifact: here.append(artifact))
    made = kernels(name, FIELD)[:2]
    statuses = {a.status for a in judge(made, lambda *_: None)}
    in_process = [a for a in made if not TARGETS[name].place(a.needs).reason and a.code]
    if said.proved in ("always", "tried"):
        assert statuses == {PROVED} and scanned == run == []
        assert here == (in_process if said.run_here == "in this process" else [])
    elif said.tested == "always":
        assert statuses == {TESTED}
        assert len(scanned) == (len(made) if said.constant_time == "scan" else 0)
        assert run == list(made) and said.run_here == f"by {TARGETS[name].place().runner}"
    else:
        assert statuses == {SKIPPED} and run == here == []
        assert bool(scanned) == (said.constant_time == "scan")
    form = TARGETS[name].object_format
    assert said.built == (f"{form.label} object" if form else "text")
    assert all(a.code.startswith(form.value) for a in made if form and a.code)


def test_what_is_not_proved_is_tested_or_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """By LLVM for Windows: a kernel without a proof is run, or says what is missing."""
    monkeypatch.setattr(verify, "job_of", lambda artifact: None)
    monkeypatch.setattr(verify, "run_elsewhere", lambda target, some: None)
    for name in ("x86_64-windows-llvm", "aarch64-linux", "aarch64-macos"):
        (artifact,) = judge(kernels(name, FIELD)[:1], lambda *_: None)
        reason = TARGETS[name].place().reason
        assert (artifact.status, artifact.reason) == (SKIPPED if reason else TESTED, reason)


@pytest.mark.parametrize("tool", ["qemu-mips64", "clang", "ld.lld", "wine"])
def test_a_missing_tool_is_named(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has: every other tool is said to be there."""
    monkeypatch.setattr(shutil, "which", lambda name: None if name == tool else f"/bin/{name}")
    said = support("x86_64-windows" if tool == "wine" else "mips64-linux")
    skipped = f"SKIPPED({tool} is not installed)"
    assert (said.run_here, said.tested) == (skipped, skipped)
    assert f"{tool} is not installed" in said.skipped()


def test_a_kernel_that_may_branch_never_gets_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Finding("f", 4, "bne", FindingKind.BRANCH, Depends.SECRET)
    monkeypatch.setattr(verify, "scan", lambda code: [found])
    with pytest.raises(
        LeakyKernel, match=r"_add_llvm for \S+ may not be constant time: f\+0x4: bne"
    ):
        require_constant_time(kernels("mips64-linux", FIELD)[0])


def test_the_list_has_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "targets", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["target"] for row in rows] == [*TARGETS]
    assert all(row["run_here"] and row["constant_time"] for row in rows)
    assert main(["list", "targets"]) == 0
    text = capsys.readouterr().out
    assert "aarch64-windows" in text and "SKIPPED" in text
