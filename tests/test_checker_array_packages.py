"""Kernels on arrays in packages: their certificates are of the package's object and rows."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from checked_folder import said_of
from package_c import Packages

from fieldc.artifacts.arrays import made_multiples, proved_arrays
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.processor import is_x86_64
from fieldc.packages.rust.arrays import array_kernels
from fieldc.targets.array_targets import ARRAY_TARGETS

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
Row = dict[str, Any]
IFMA = "avx512ifma"


def has_all(rows: list[Row]) -> bool:
    """Whether every kernel for AVX-512 IFMA has a certificate."""
    return all(row["certificate"] for row in rows if row["target"] == IFMA)


@pytest.mark.full
def test_a_rust_package_has_certificates_of_its_arrays(checker: Path, tmp_path: Path) -> None:
    path = tmp_path / "package"
    assert main(["build", "bn254-p", "--package", "rust", "-o", str(path)]) == 0
    rows = json.loads((path / "manifest.json").read_text())["arrays"]
    status, said = said_of(checker, path)
    assert status == 0, said
    assert has_all(rows) and any(row["layout"] == "digits-to-array" for row in rows)


@pytest.mark.full
def test_each_kernel_of_a_c_package_has_a_certificate_of_its_own(
    tmp_path: Path, packages: Packages
) -> None:
    """Sums of products in limbs and in digits once had one file for both."""
    packages("bls12-381-r", tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    rows = [*manifest["arrays"], *manifest["divsteps"]]
    assert len({row["certificate"] for row in manifest["arrays"]}) == len(manifest["arrays"])
    assert all(row["certificate"] for row in rows) and len(manifest["divsteps"]) == 9


@pytest.mark.full
def test_the_checker_replays_a_c_package(checker: Path, tmp_path: Path, packages: Packages) -> None:
    packages("bls12-381-r", tmp_path)
    status, said = said_of(checker, tmp_path)
    assert status == 0 and "; of divsteps 9 PROVED by their certificates, 0 without" in said, said


@pytest.fixture(scope="module")
def transforms(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> Path:
    """The kernels of transforms of a C package alone, with their manifest."""
    path = tmp_path_factory.mktemp("transforms")
    packages("bls12-381-r", path)
    manifest = json.loads((path / "manifest.json").read_text())
    assert has_all(manifest["arrays"])
    rows = [r for r in manifest["arrays"] if r["layout"] == "transform" and r["target"] == IFMA]
    names = {"manifest.json", *(row["object"] for row in rows)}
    names |= {row["entry"]["object"] for row in rows}
    names |= {row["certificate"] for row in rows}
    for file in path.rglob("*"):
        if file.is_file() and file.relative_to(path).as_posix() not in names:
            file.unlink()
    manifest |= {"kernels": [], "divsteps": [], "arrays": rows, "files": sorted(names)}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


def test_transforms_of_a_c_package_are_proved(checker: Path, transforms: Path) -> None:
    status, said = said_of(checker, transforms)
    assert status == 0 and "on arrays 11 PROVED by their certificates, 0 without" in said, said


CHANGES: list[tuple[str, Row, str]] = [
    ("step_by", {"in_digits": ["x"]}, "other words"),
    ("step_by", {"gives_digits": False}, "other words"),
    ("step_by", {"shared": []}, "other words"),
    ("step_by", {"shared": ["w", "y"]}, "other words"),
    ("step_by", {"n": 4}, "other words"),
    ("step_loose", {"family": "butterfly_rows"}, "of another one"),
    ("step_loose", {"parameters": {"lazy": 44}}, "other parameters"),
    ("step_one", {"shared": ["y"]}, "other words"),
    ("step_one", {"parameters": {"lazy": 14}}, "other parameters"),
    ("step_one", {"family": "butterfly_rows"}, "of another one"),
    ("times", {"in_digits": ["x"]}, "other words"),
    ("times", {"parameters": {"lazy": 4}}, "other parameters"),
    ("next_power", {"shared": ["w"]}, "other words"),
    ("next_power", {"family": "mul_into"}, "of another one"),
    ("next_row", {"R": "0x1"}, "R is not"),
    ("next_row", {"parameters": {"lazy": 1}}, "other parameters"),
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


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two kernels of products in a tower, with a manifest as a package has it."""
    path, f = tmp_path_factory.mktemp("tower"), find_field("bls12-381-p")
    built, failures = proved_arrays(made_multiples(ARRAY_TARGETS[IFMA], f), lambda *_: None)
    assert len(built) == 2 and not failures
    files: dict[str, bytes] = {}
    for each in built:
        files |= {each.object_file: each.kernel.object, each.source_file: each.text().encode()}
        files |= each.certificate_files()
    for name, data in files.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(data)
    manifest = {"field": f.label, "p": hex(f.p), "word": f.word, "n": f.n, "R": hex(f.R)}
    rows = [each.row() for each in built]
    manifest |= {"kernels": [], "arrays": rows, "kind": "kernels on arrays"}
    manifest |= {"files": sorted([*files, "manifest.json"])}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


TOWER_CHANGES: list[tuple[Row, str]] = [
    ({}, "on arrays 2 PROVED by their certificates, 0 without"),
    ({"multiple": 16}, "the certificate has another multiple"),
    ({"multiple": None}, "the certificate has another multiple"),
    ({"turns": 24}, "the certificate has other turns"),
    ({"in_digits": ["x"]}, "the certificate has other words"),
    ({"layout": "columns"}, "its layout is another one"),
]


@pytest.mark.parametrize(("values", "why"), TOWER_CHANGES)
def test_products_in_a_tower_are_proved(
    checker: Path, tower: Path, values: Row, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tower / "manifest.json"
    text = path.read_text()
    manifest = copy.deepcopy(json.loads(text))
    manifest["arrays"][0].update(values)
    path.write_text(json.dumps(manifest))
    status, said = said_of(checker, tower)
    path.write_text(text)
    assert status == bool(values) and why in said, said
    if not values:
        assert main(["prove", str(tower)]) == 0
        assert capsys.readouterr().out.count("PROVED") == 2


def test_a_package_has_inner_products_but_no_tower() -> None:
    """Kernels of towers are in the crate alone; they may not push out those of inner products."""
    f = find_field("bls12-381-p")
    names = {e.operation for e in array_kernels(f) if e.kernel.target.name == IFMA}
    in_crate = array_kernels(f, has_towers=True)
    others = {e.operation for e in in_crate if e.kernel.target.name == IFMA} - names
    assert {"accumulate", "collect"} < names and len(others) == 2
    sums = [e for e in in_crate if e.kernel.columns is not None and e.kernel.target.name == IFMA]
    assert {e.operation for e in proved_arrays(sums, lambda *_: None)[0]} > {"collect", *others}
