"""docs/adding.md: its changes, made in a copy of the tree, give an operation that is proved."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from fieldc.machine.assemble import host_triple
from fieldc.targets.target import Target

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding.md").read_text("utf-8")
NAMED = ("fieldc", "crates/check/src")


def hunks() -> list[tuple[str, str, str]]:
    """Each change of the page: a file, its old lines and its new ones."""
    found = []
    for name, body in re.findall(r"^```diff\n--- (.*?)\n(.*?)^```", PAGE, re.M | re.S):
        for hunk in body.split("@@\n")[1:]:
            old, new = (
                "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in kept)
                for kept in (" -", " +")
            )
            found.append((name, old, new))
    return found


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
def test_the_operation_of_the_page_is_built_and_proved(tmp_path: Path) -> None:
    for name in NAMED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in hunks():
        text = (tmp_path / name).read_text("utf-8")
        assert text.count(old) == 1, f"docs/adding.md: {name} has no such lines:\n{old}"
        (tmp_path / name).write_text(text.replace(old, new), "utf-8")
    assert len(hunks()) == 8
    build = ["-m", "fieldc", "build", "secp256k1-p", "--target", "x86_64-linux"]
    command = [sys.executable, *build, "--op", "add_double", "-o", "out"]
    # Nothing on PATH: a fieldc-check that was built before refuses the operation.
    new = {"PATH": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    made = {**os.environ, **new, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run(command, cwd=tmp_path, env=made, check=True, capture_output=True)
    kernels = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["kernels"]
    assert [k["status"] for k in kernels] == ["PROVED"] * 3
    assert {k["op"] for k in kernels} == {"add_double"}


def test_each_field_of_a_target_is_explained() -> None:
    table = PAGE.partition("| field | what it answers |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \| .*? \| (.*?) \|$", table, re.M)
    said = {name: default for names, default in rows for name in re.findall(r"`(\w+)`", names)}
    assert [*said] == [f.name for f in fields(Target)]
    required = {f.name for f in fields(Target) if f.default is MISSING}
    assert {name for name, default in said.items() if default == "required"} == required


def test_what_the_page_names_is_there() -> None:
    for path in re.findall(r"\]\((?!#)([^)]+)\)", PAGE):
        assert (ROOT / "docs" / path).exists(), path
    files = re.findall(r"`((?:\w+/)+\w+\.(?:py|toml))`", PAGE)
    assert files and all((ROOT / f).exists() or (ROOT / "fieldc" / f).exists() for f in files)
