"""Representations on the command line: which operations are built, and which is fastest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.representation import judged
from fieldc.targets.registry import TARGETS

PROCESSOR = "sapphire-rapids"


def manifest(folder: Path, field: str, *words: str) -> list[dict[str, object]]:
    assert main(["build", field, *words, "--processor", PROCESSOR, "-o", str(folder)]) == 0
    kernels: list[dict[str, object]] = json.loads((folder / "manifest.json").read_text())["kernels"]
    return kernels


def test_plain_residues_have_operations_of_their_own(tmp_path: Path) -> None:
    kernels = manifest(tmp_path / "a", "2^127-1", "--representation", "plain")
    by = {k["op"]: k["representation"] for k in kernels}
    assert by["mul_plain"] == by["reduce"] == "plain" and by["add"] is None and "mul" not in by
    assert {k["status"] for k in kernels} == {"PROVED"}


@pytest.mark.parametrize(
    ("field", "name"),
    [("secp256k1-p", "plain"), ("2^255-19", "plain"), ("bls12-381-p", "montgomery")],
)
def test_the_fastest_is_the_model_s(field: str, name: str) -> None:
    found = judged(find_field(field), TARGETS["x86_64-linux"], PROCESSOR)
    assert found[0].representation.name == name
    assert [j.cycles for j in found] == sorted(j.cycles for j in found) and found[0].cycles > 0


def test_a_prime_without_the_shape_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["build", "bls12-381-p", "-o", str(tmp_path / "x")]
    assert main([*words, "--representation", "plain"]) == 2
    said = capsys.readouterr().err
    assert "no plain residues" in said and said.count("\n") == 1
    assert main([*words, "--representation", "plain", "--op", "mul"]) == 2
    assert main([*words, "--representation", "other"]) == 2
    assert not (tmp_path / "x").exists()


def test_the_fastest_of_all_targets_is_that_of_the_first(tmp_path: Path) -> None:
    words = ["--representation", "fastest", "--target", "all", "--op", "mul"]
    assert main(["build", "17", *words, "-o", str(tmp_path)]) == 2
    kernels = manifest(tmp_path / "a", "17", "--representation", "fastest", "--target", "all")
    assert {k["target"] for k in kernels} >= {"x86_64-linux", "wasm32", "c"}
