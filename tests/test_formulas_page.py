"""docs/formulas.md: from a published formula to code in Python, C and Rust, as the page says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fieldc.formulas.load import load_formulas
from fieldc.machine.processor import is_x86_64

ROOT = Path(__file__).resolve().parents[1]
PYTHON = shlex.quote(sys.executable)
NATIVE = pytest.mark.skipif(not is_x86_64(), reason="the page's kernels are for x86-64")


def section(heading: str) -> dict[str, list[str]]:
    """The fenced blocks under a heading, by their languages."""
    text = (ROOT / "docs/formulas.md").read_text("utf-8")
    part = re.split(r"^## ", text.partition(heading)[2], flags=re.MULTILINE)[0]
    found: dict[str, list[str]] = {}
    for language, block in re.findall(r"^```(\S+)\n(.*?)^```", part, re.MULTILINE | re.DOTALL):
        found.setdefault(language, []).append(block)
    return found


def run(command: str, folder: Path) -> str:
    """What a command of the page prints, in a folder; `fieldc` is this one."""
    line = re.sub(r"^fieldc ", f"{PYTHON} -m fieldc ", command, flags=re.MULTILINE)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["sh", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A fresh folder with the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def test_the_published_text_is_the_example() -> None:
    shown = section("# From a published formula to a proved kernel")["python"][0]
    source = (ROOT / "examples/add_2007_bl.py").read_text("utf-8")
    lines = [line for line in shown.splitlines() if line.strip() not in ("", "...")]
    assert len(lines) == 12 and all(f"{line}\n" in source for line in lines)


@NATIVE
def test_python_compiles_the_formula(fresh: Path) -> None:
    (fresh / "page.py").write_text(section("## In Python")["python"][0])
    assert run(f"{PYTHON} page.py", fresh) == "True True\n"


@NATIVE
@pytest.mark.full
def test_the_first_commands_prove_it(fresh: Path) -> None:
    printed = run(section("# From a published formula to a proved kernel")["sh"][0], fresh)
    assert printed.count("PROVED") == 6
    declared = section("## What you get")["c"][0].strip()
    header = (fresh / "out/fieldc_bls12_381_p.h").read_text("utf-8")
    assert " ".join(declared.split()) in " ".join(header.split())


@NATIVE
@pytest.mark.full
def test_a_c_program_calls_it(fresh: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("SKIPPED: there is no C compiler here")
    blocks = section("## In C")
    declared, program = blocks["c"]
    run(blocks["sh"][0], fresh)
    header = (fresh / "package/include/fieldc_bls12_381_p.h").read_text("utf-8")
    assert declared in header
    (fresh / "add.c").write_text(program)
    assert run(blocks["sh"][1], fresh) == "x = -3\n"


@NATIVE
@pytest.mark.full
def test_a_rust_program_calls_it(fresh: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("SKIPPED: there is no cargo here")
    blocks = section("## In Rust")
    run(blocks["sh"][0], fresh)
    (fresh / "build/crate/examples/add.rs").write_text(blocks["rust"][0])
    assert run(blocks["sh"][1], fresh) == "x = -3, y = 2\n"


@pytest.mark.parametrize("page", ["docs/formulas.md", "docs/rust-package.md"])
def test_a_crate_built_in_the_checkout_is_in_no_workspace(page: str, tmp_path: Path) -> None:
    """cargo refuses a package in a workspace's folder that is neither a member nor excluded."""
    if shutil.which("cargo") is None:
        pytest.skip("SKIPPED: there is no cargo here")
    text = (ROOT / page).read_text("utf-8")
    (out,) = set(re.findall(r"^fieldc build .* --package rust -o (\S+)$", text, re.MULTILINE))
    (tmp_path / "Cargo.toml").write_text(
        re.sub(r"(?m)^(default-)?members = .*$", "", (ROOT / "Cargo.toml").read_text("utf-8"))
    )
    (tmp_path / out / "src").mkdir(parents=True)
    (tmp_path / out / "src/lib.rs").touch()
    manifest = tmp_path / out / "Cargo.toml"
    manifest.write_text('[package]\nname = "a"\nversion = "0.1.0"\nedition = "2024"\n')
    words = ("cargo", "metadata", "--offline", "--no-deps", "--manifest-path", str(manifest))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_example_is_a_file_of_formulas() -> None:
    for path in sorted((ROOT / "examples").glob("*.py")):
        assert load_formulas(path), path
