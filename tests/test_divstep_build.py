"""fieldc build --op divstep_matrix: one proved kernel for all primes, proved again from bytes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

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


def test_the_checker_says_that_it_has_no_certificate(built: Path, checker: Path) -> None:
    def said() -> tuple[int, str]:
        done = subprocess.run([checker, built], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    status, text = said()
    assert status == 0 and "of divsteps 6 without a certificate" in text
    assert text.count(f"NO CERTIFICATE {SYMBOL}") == 6
    path = built / "x86_64-macos/divstep_matrix.o"
    path.write_bytes(path.read_bytes() + b"\0")
    status, text = said()
    assert status == 1 and "not those that the digest is of" in text


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
    from fieldc.artifacts import divsteps
    from fieldc.targets.x86_64.divsteps import divsteps_for
    from fieldc.targets.x86_64.targets import X86_64

    _, code = divsteps_for(X86_64[0], SYMBOL, ())
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
