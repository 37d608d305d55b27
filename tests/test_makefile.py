"""What a user gives make: a prime for the demo, and folders of odd names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *words: str) -> tuple[int, str, str]:
    command = ["make", "-f", str(ROOT / "Makefile"), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("target", ["demo", "bench"])
@pytest.mark.parametrize("field", ["bls12-381-p", "2^(200+21)-3"])
def test_a_prime_is_passed_on(tmp_path: Path, target: str, field: str) -> None:
    given = [] if field == "bls12-381-p" else [f"FIELD={field}"]
    status, said, _ = make(tmp_path, "-n", "-o", ".venv/installed", target, *given)
    assert status == 0
    assert f"fieldc {target} '{field}'" in said


@pytest.mark.parametrize("name", ["a{b}c", "a$b", "}"])
def test_a_folder_that_setuptools_cannot_have_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    status, _, said = make(folder, "venv")
    assert status == 2
    assert said.startswith("setuptools fails in a folder with $, { or } in its name; move")
    assert not (folder / ".venv").exists()
