"""The field of a manifest: its p, words, R and name fit together, whatever the folder holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from checked_folder import said_of

from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
SMALL = "2^61-1"
P = hex(find_field(SMALL).p)
KINDS = {"kernels": ["--op", "add"], "arrays": ["--batch", "--op", "add", "--target", "avx512f"]}
NO_FIELD: dict[str, dict[str, object]] = {
    "many words": {"n": 1 << 64},
    "a billion words": {"n": 10**9},
    "a long word": {"word": 10**30},
    "two words": {"n": 2, "R": hex(1 << 128)},
    "half words": {"word": 32, "n": 1, "R": hex(1 << 32)},
    "another word": {"word": 61, "R": hex(1 << 61)},
    "n as text": {"n": "1"},
    "n as a truth": {"n": True},
    "word as text": {"word": "64"},
    "p with a space": {"p": f"{P} "},
    "p with a zero": {"p": P.replace("0x", "0x0")},
    "p in capitals": {"p": P.upper()},
    "no R": {"R": None},
}
NO_NAME: dict[str, dict[str, object]] = {
    "no name": {"field": None},
    "a number for a name": {"field": 7},
}
NEITHER = NO_FIELD | NO_NAME
"""The checker reads no name."""
OTHERS = {
    "a name": "bn254-p",
    "an alias": "secp256k1",
    "a number": "0x1fffffffffffffff1",
    "in capitals": "0X11",
}


@pytest.fixture(scope="module", params=list(KINDS))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of each kind in turn, which has what it needs."""
    folder = tmp_path_factory.mktemp("field") / "built"
    assert main(["build", SMALL, *KINDS[request.param], "-o", str(folder)]) == 0
    return folder


def changed(folder: Path, to: Path, values: Mapping[str, object]) -> str:
    """A folder of the manifest alone, with other values, or without those that are None."""
    manifest = json.loads((folder / "manifest.json").read_text()) | values
    kept = {key: value for key, value in manifest.items() if value is not None}
    (to / "manifest.json").write_text(json.dumps(kept))
    return str(to)


@pytest.mark.parametrize("verb", ["prove", "certify"])
@pytest.mark.parametrize("values", NEITHER.values(), ids=list(NEITHER))
def test_what_is_no_field_is_no_manifest(
    values: Mapping[str, object],
    verb: str,
    built: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    assert main([verb, changed(built, tmp_path, values)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "is no manifest" in said


@pytest.mark.parametrize("values", NO_FIELD.values(), ids=list(NO_FIELD))
def test_the_checker_takes_no_such_field(
    values: Mapping[str, object], built: Path, checker: Path, tmp_path: Path
) -> None:
    status, said = said_of(checker, Path(changed(built, tmp_path, values)))
    assert status == 1 and "manifest.json: " in said and "panicked" not in said


@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_the_radix_is_that_of_the_words(
    verb: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, changed(built, tmp_path, {"R": "0x100000000"})]) == 2
    assert capsys.readouterr().err.endswith("R is not 2^(word*n); build it again\n")


@pytest.mark.parametrize("verb", ["prove", "certify"])
@pytest.mark.parametrize("name", OTHERS.values(), ids=list(OTHERS))
def test_the_field_is_that_of_the_modulus(
    name: str, verb: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, changed(built, tmp_path, {"field": name})]) == 2
    said = f"the field {name} is not that of p; build it again\n"
    assert capsys.readouterr().err.endswith(said)
