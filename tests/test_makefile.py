"""What a user gives make: a prime for the demo, folders of odd names, a machine without cargo."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, *words: str, path: Path | None = None) -> tuple[int, str, str]:
    command = [shutil.which("make") or "make", "-f", str(ROOT / "Makefile"), *words]
    environment = {**os.environ, "PATH": str(path)} if path else None
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("target", ["demo", "bench"])
@pytest.mark.parametrize("field", ["bls12-381-p", "2^(200+21)-3", "it's/f", "3'; echo 5; '"])
def test_a_prime_is_passed_on(tmp_path: Path, target: str, field: str) -> None:
    program = tmp_path / ".venv" / "bin" / "fieldc"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    program.chmod(0o755)
    given = [] if field == "bls12-381-p" else [f"FIELD={field}"]
    status, said, _ = make(tmp_path, "-s", "-o", ".venv/installed", target, *given)
    assert status == 0
    assert said.splitlines()[:2] == [target, field]


@pytest.mark.parametrize("name", ["a{b}c", "a$b", "}"])
def test_a_folder_that_setuptools_cannot_have_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    status, _, said = make(folder, "venv")
    assert status == 2
    assert "\nsetuptools fails in a folder with $, { or } in its name; move" in f"\n{said}"
    assert not (folder / ".venv").exists()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ['a "b" c', "a\nb", "a `b` c"])
def test_a_folder_where_no_program_of_a_venv_starts_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    status, _, said = make(folder, "venv", f"PYTHON={shlex.quote(sys.executable)}")
    assert status == 2
    assert "\nprograms of Python do not start in a folder of this name; move" in f"\n{said}"
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize("name", ["a b", "it's #1"])
def test_a_venv_that_was_moved_is_made_again(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    (folder / ".venv").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    os.utime(folder / "pyproject.toml", (1, 1))
    for said, is_moved in (("", False), (f"{folder}\n", False), (f"{tmp_path}/b\n", True)):
        (folder / ".venv/installed").write_text(said)
        status, done, _ = make(folder, "-n", "venv")
        assert status == 0
        assert ("rm -rf .venv\n" in done) == ("-m venv .venv" in done) == is_moved


@pytest.mark.parametrize("name", ["a b", "it's #1"])
def test_a_path_without_tools_is_used_in_any_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").symlink_to(sys.executable)
    (folder / ".venv/bin/pytest").write_text('#!/bin/sh\necho "path: $PATH"\n')
    (folder / ".venv/bin/pytest").chmod(0o755)
    status, said, _ = make(folder, "-s", "-o", ".venv/installed", "test-bare")
    assert status == 0
    lines = [line for line in said.splitlines() if line.startswith("path: ")]
    assert lines == [f"path: {folder}/build/bare"] * 2


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_some_builds_are_tested_with_the_checker_on_path() -> None:
    status, said, _ = make(ROOT, "-n", "-o", ".venv/installed", "test-bare")
    begins = 'PATH="${CARGO_TARGET_DIR:-$PWD/target}/debug:$PATH" '
    lines = said.replace("\\\n", "").splitlines()
    (command,) = [line for line in lines if line.startswith(begins)]
    assert status == 0
    tests = [word for word in command.split() if word.startswith("tests/")]
    assert len(tests) > 4 and all((ROOT / name).is_file() for name in tests)


@pytest.mark.parametrize("target", ["race", "arkworks-demo"])
def test_a_race_without_cargo_says_what_to_install(tmp_path: Path, target: str) -> None:
    (tmp_path / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    status, _, said = make(tmp_path, target, path=tmp_path)
    assert status == 2
    assert "no cargo: install stable Rust" in said.splitlines()
