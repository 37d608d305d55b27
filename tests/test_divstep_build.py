"""fieldc build --op divstep_matrix: one proved kernel for all primes, proved again from bytes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from x86_64_kernels import HERE

from fieldc.artifacts.divsteps import SYMBOL, UnprovedDivsteps, check_divsteps
from fieldc.artifacts.verify import Verdict
from fieldc.cli import main
from fieldc.machine.check import CheckError

OP = ("--op", "divstep_matrix")
BUILD = ("build", "bls12-381-r", "-o")
SYSTEMS = ("linux", "macos", "windows")
TARGETS = [f"{of}-{system}" for of in ("x86_64", "aarch64") for system in SYSTEMS]
pytestmark = HERE


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    assert main([*BUILD, str(folder), *OP, "--target", ",".join(TARGETS)]) == 0
    return folder


def test_it_is_built_for_all_systems_and_proved_again(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((built / "manifest.json").read_text("utf-8"))
    rows = manifest["divsteps"]
    assert [row["target"] for row in rows] == TARGETS
    assert {row["status"] for row in rows} == {"PROVED"} and not manifest["kernels"]
    assert SYMBOL in (built / "fieldc_divsteps.h").read_text("utf-8")
    assert main(["prove", str(built)]) == 0
    assert "59 divsteps" in capsys.readouterr().out
    path = built / "x86_64-linux/divstep_matrix.o"
    code = bytearray(path.read_bytes())
    code[code.index(b"\x0f\x44") + 1] = 0x45  # cmovne
    path.write_bytes(code)
    assert main(["prove", str(built)]) == 1
    assert "function: word 0 of z is wrong" in capsys.readouterr().out


Change = Callable[[Path, dict[str, Any]], object]


def change_object(folder: Path, row: dict[str, Any]) -> None:
    path = folder / row["object"]
    path.write_bytes(path.read_bytes() + b"\0")


def take_certificate(of: str) -> Change:
    """Another target's certificate, with its digest."""

    def change(folder: Path, row: dict[str, Any]) -> None:
        text = (folder / of / "divstep_matrix.cert.json").read_bytes()
        (folder / row["certificate"]).write_bytes(text)
        sign(folder, row)

    return change


def changed(**values: object) -> Change:
    return lambda _folder, row: row.update(values)


def sign(folder: Path, row: dict[str, Any]) -> None:
    """Write the digests of the files as they are now."""
    code, text = ((folder / row[name]).read_bytes() for name in ("object", "certificate"))
    parts = [hashlib.sha256(part).digest() for part in (code, row["contract"].encode(), text)]
    row["certificate_digest"] = hashlib.sha256(text).hexdigest()
    row["digest"] = hashlib.sha256(b"".join(parts)).hexdigest()


FAULTS: dict[str, tuple[Change, str]] = {
    "object": (change_object, "not those that the digest is of"),
    "contract": (changed(contract="another"), "not those that the digest is of"),
    "no certificate": (changed(certificate=None), "it has no certificate"),
    "a missing certificate": (changed(certificate="x.cert.json"), "there is no x.cert.json"),
    "another digest": (changed(certificate_digest=None), "that certificate_digest is of"),
    "another word": (changed(status="TESTED"), "that does divsteps is TESTED"),
    "other steps": (changed(steps=60), "is of other steps"),
    "another operation": (changed(op="mul"), "is of another operation"),
    "another target": (changed(target="x86_64-windows"), "is not for its target"),
    "other stack": (changed(stack=0), "stack is another one"),
    "another system's": (take_certificate("x86_64-windows"), "has another convention"),
    "another processor's": (take_certificate("aarch64-linux"), "has another convention"),
}


def test_the_checker_replays_its_certificates(built: Path, checker: Path, tmp_path: Path) -> None:
    def said(folder: Path) -> tuple[int, str]:
        done = subprocess.run([checker, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    status, text = said(built)
    assert status == 0 and "of divsteps 6 PROVED by their certificates, 0 without one" in text
    for number, (change, why) in enumerate(FAULTS.values()):
        folder = tmp_path / str(number)
        shutil.copytree(built, folder)
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        change(folder, manifest["divsteps"][0])
        (folder / "manifest.json").write_text(json.dumps(manifest))
        status, text = said(folder)
        assert status == 1 and why in text and "panicked" not in text, (why, text)


def test_certify_lets_the_checker_replay_them(
    built: Path,
    checker: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(checker.parent), prepend=os.pathsep)
    capsys.readouterr()
    assert main(["certify", str(built), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {(row["status"], row["checker"]) for row in rows} == {("CERTIFIED", "fieldc-check")}
    assert len(rows) == len(TARGETS)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--op", "divstep_matrix,mul"), "build it by itself"),
        ((*OP, "--target", "riscv64-linux"), "no kernel for riscv64-linux"),
        ((*OP, "--word", "32"), "64-bit words"),
        ((*OP, "--algorithm", "cios"), "leave out --algorithm"),
        ((*OP, "--representation", "plain"), "leave out --representation"),
        ((*OP, "--landing-pads"), "has no --landing-pads"),
        ((*OP, "--batch"), "no kernel on arrays"),
    ],
)
def test_what_it_does_not_take(
    more: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*BUILD, str(tmp_path / "built"), *more]) == 2
    assert says in capsys.readouterr().err and not (tmp_path / "built").exists()


def test_a_kernel_that_is_not_proved_or_wrong_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fieldc.algorithms.divstep_matrix import StepOrder
    from fieldc.artifacts import divsteps
    from fieldc.targets.x86_64.divsteps import divsteps_for
    from fieldc.targets.x86_64.targets import X86_64

    _, code = divsteps_for(X86_64[0], SYMBOL, (), StepOrder.COUNT_FIRST)
    check_divsteps(code)
    wrong = bytearray(code)
    wrong[wrong.index(b"\x0f\x44") + 1] = 0x45
    with pytest.raises(CheckError, match="z is not the matrix"):
        check_divsteps(bytes(wrong))

    def refused(jobs: list[object], progress: Callable[..., None]) -> list[Verdict]:
        return [Verdict("as a test", 0.0)] * len(jobs)

    monkeypatch.setattr(divsteps, "prove_new", refused)
    assert main([*BUILD, str(tmp_path / "built"), *OP]) == 1 and not (tmp_path / "built").exists()
    assert issubclass(UnprovedDivsteps, Exception)
