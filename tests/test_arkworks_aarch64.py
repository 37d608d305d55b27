"""arkworks on the AArch64 kernels, run by an emulator: fields against num-bigint."""

from __future__ import annotations

import subprocess
import sys

import pytest
from emulated_cargo import LINUX, cargo_for_arm

from fieldc.packages.checked_in import ROOT


@pytest.mark.full
@pytest.mark.parametrize("package", ["checks", "checks-0-5"])
def test_fields_of_arkworks_compute_on_an_emulated_processor(package: str) -> None:
    """`patch` does not compile unless the fields are on the kernels."""
    done = _cargo_test(package, "--test", "fields", "--test", "patch")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count("test result: ok") == 2


@pytest.mark.full
@pytest.mark.parametrize("package", ["checks", "checks-0-5"])
def test_kernels_that_are_wrong_are_found(package: str) -> None:
    """With one place of each kernel changed, products, squares and sums of curves are wrong."""
    done = _cargo_test(package, "--features", "sabotage", "--test", "fields")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def _cargo_test(package: str, *words: str) -> subprocess.CompletedProcess[str]:
    cargo, environment = cargo_for_arm()
    command = [cargo, "test", "--quiet", "--release", "--target", LINUX, "-p", package, *words]
    folder = ROOT / "arkworks"
    for release in ("0.6", "0.5"):
        tool = [sys.executable, folder / "patched" / "write.py", "--release", release]
        subprocess.run([*tool, folder / "target" / release], check=True)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
