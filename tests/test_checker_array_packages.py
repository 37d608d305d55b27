"""Kernels on arrays in packages: their certificates are of the package's object and rows."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from checked_folder import said_of
from package_c import Packages

from fieldc.cli import main
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
Row = dict[str, Any]
IFMA = "avx512ifma"


def has_all(rows: list[Row]) -> bool:
    """Whether every kernel for AVX-512 IFMA has a certificate."""
    return all(row["certificate"] for row in rows if row["target"] == IFMA)


def test_a_rust_package_has_certificates_of_its_arrays(checker: Path, tmp_path: Path) -> None:
    path = tmp_path / "package"
    assert main(["build", "bn254-p", "--package", "rust", "-o", str(path)]) == 0
    rows = json.loads((path / "manifest.json").read_text())["arrays"]
    status, said = said_of(checker, path)
    assert status == 0, said
    assert has_all(rows) and any(row["layout"] == "digits-to-array" for row in rows)


@pytest.fixture(scope="module")
def transforms(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> Path:
    """The kernels of transforms of a C package alone, with their manifest."""
    path = tmp_path_factory.mktemp("transforms")
    packages("bls12-381-r", path)
    manifest = json.loads((path / "manifest.json").read_text())
    assert has_all(manifest["arrays"])
    rows = [r for r in manifest["arrays"] if r["layout"] == "transform" and r["target"] == IFMA]
    names = {"manifest.json", *(row["object"] for row in rows)}
    names |= {row["certificate"] for row in rows}
    for file in path.rglob("*"):
        if file.is_file() and file.relative_to(path).as_posix() not in names:
            file.unlink()
    manifest |= {"kernels": [], "arrays": rows, "files": sorted(names)}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


def test_transforms_of_a_c_package_are_proved(checker: Path, transforms: Path) -> None:
    status, said = said_of(checker, transforms)
    assert status == 0 and "on arrays 5 PROVED by their certificates, 0 without" in said, said


CHANGES: list[tuple[str, Row, str]] = [
    ("step", {"in_digits": ["x"]}, "other words"),
    ("step", {"gives_digits": False}, "other words"),
    ("step", {"shared": ["w"]}, "other words"),
    ("step_by", {"shared": []}, "other words"),
    ("enter", {"parameters": {"factor": 2}}, "other parameters"),
    ("enter", {"op": "mul_by_2"}, "of another one"),
    ("leave", {"layout": "digits-to-array"}, "other words"),
    ("leave", {"parameters": {"lazy": 1}}, "other parameters"),
    ("root", {"certificate": None, "certificate_digest": None}, "that the digest is of"),
]
"""A kernel, what its row says instead, and what the checker says."""


@pytest.mark.parametrize(("role", "values", "why"), CHANGES)
def test_another_row_of_a_transform_is_refused(
    checker: Path, transforms: Path, role: str, values: Row, why: str
) -> None:
    path = transforms / "manifest.json"
    text = path.read_text()
    manifest = copy.deepcopy(json.loads(text))
    end = f"_transform_{role}_avx512ifma"
    next(r for r in manifest["arrays"] if r["symbol"].endswith(end)).update(values)
    path.write_text(json.dumps(manifest))
    status, said = said_of(checker, transforms)
    path.write_text(text)
    assert status == 1 and why in said and "panicked" not in said, said
