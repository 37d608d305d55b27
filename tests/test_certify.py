"""fieldc certify: all kernels of a folder, each by the checker that knows it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replaced_objects import arm_object
from unfit_objects import elf_section, elf_symbol

from fieldc.artifacts import checker as checkers
from fieldc.artifacts.certify import CERTIFIER
from fieldc.artifacts.checker import (
    CHECKER,
    PROVED,
    CheckedFolder,
    CheckedKernel,
    checker_command,
)
from fieldc.cli import main
from fieldc.commands.built import ARRAYS, KERNELS, is_proved
from fieldc.commands.certify import GET_CHECKER, ManifestRow, fault_of
from fieldc.commands.verb import UsageError
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
Rows = list[dict[str, Any]]


@pytest.fixture
def rows_of(
    checker: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Path], tuple[int, Rows]]:
    """The exit status and the rows of a folder, with fieldc-check on PATH."""
    monkeypatch.setenv("PATH", str(checker.parent), prepend=os.pathsep)

    def rows(folder: Path) -> tuple[int, Rows]:
        capsys.readouterr()
        status = main(["certify", str(folder), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return rows


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sums of arrays in three layouts, for two targets."""
    folder = tmp_path_factory.mktemp("certify") / "arrays"
    words = ["--batch", "--op", "add", "--target", "avx512ifma,avx2", "-o", str(folder)]
    assert main(["build", "bn254-p", *words]) == 0
    return folder


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with kernels on single values and on arrays."""
    folder = tmp_path_factory.mktemp("certify") / "package"
    assert main(["build", "2^61-1", "--package", "rust", "-o", str(folder)]) == 0
    return folder


def test_kernels_on_arrays_are_certified(
    arrays: Path, tmp_path: Path, rows_of: Callable[[Path], tuple[int, Rows]]
) -> None:
    status, rows = rows_of(arrays)
    assert status == 0 and len(rows) == 6
    assert {(row["status"], row["checker"]) for row in rows} == {("CERTIFIED", CHECKER)}
    words = ["--batch", "--word", "32", "--op", "add", "--target", "avx512ifma"]
    assert main(["build", "2^31-1", *words, "-o", str(tmp_path / "halves")]) == 0
    status, rows = rows_of(tmp_path / "halves")
    assert status == 0 and [row["status"] for row in rows] == ["CERTIFIED"]


@pytest.mark.usefixtures("installed")
def test_each_kernel_of_a_package_has_its_checker(
    package: Path, rows_of: Callable[[Path], tuple[int, Rows]], capsys: pytest.CaptureFixture[str]
) -> None:
    status, rows = rows_of(package)
    manifest = json.loads((package / "manifest.json").read_text())
    on_arrays = {row["symbol"] for row in (*manifest["arrays"], *manifest["divsteps"])}
    assert status == 0 and {row["status"] for row in rows} == {"CERTIFIED"}
    assert on_arrays == {row["kernel"] for row in rows if row["checker"] == CHECKER}
    assert len(rows) == len(manifest["kernels"]) + len(on_arrays)
    assert main(["certify", str(package)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{len(on_arrays)} of {len(on_arrays)} kernels on arrays" in said
    assert "by fieldc-check, which is not proved" in said


def change_code(folder: Path, row: dict[str, Any]) -> None:
    path = folder / row["object"]
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\x62\xf1\xfd\x48\xd4", b"\x62\xf1\xfd\x48\xfb"))  # vpsubq


def change_certificate(folder: Path, row: dict[str, Any]) -> None:
    (folder / row["certificate"]).write_text("{}")


def no_certificate(folder: Path, row: dict[str, Any]) -> None:
    row["certificate"] = row["certificate_digest"] = None


WRONG = {
    "other code": (change_code, "not those that the digest is of"),
    "another certificate": (change_certificate, "that certificate_digest is of"),
    "no certificate": (no_certificate, "not those that the digest is of"),
}


@pytest.mark.parametrize(("change", "why"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_kernel_on_arrays_is_refused(
    change: Callable[[Path, dict[str, Any]], None],
    why: str,
    arrays: Path,
    tmp_path: Path,
    rows_of: Callable[[Path], tuple[int, Rows]],
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(arrays, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    change(folder, manifest["arrays"][0])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    status, rows = rows_of(folder)
    assert status == 1 and why in rows[0]["reason"]
    assert [row["status"] for row in rows] == ["REFUSED"] + ["CERTIFIED"] * 5


def test_an_object_that_is_not_plain_is_refused(
    arrays: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also where fieldc-check would accept it: prove refuses it too."""

    def all_proved(_: object, folder: Path) -> CheckedFolder:
        rows = json.loads((folder / "manifest.json").read_text())["arrays"]
        named = [(ARRAYS, row["object"], row["symbol"]) for row in rows]
        return CheckedFolder(dict.fromkeys(named, CheckedKernel(PROVED, 0.0, "")))

    monkeypatch.setattr(checkers, "checked_folder", all_proved)
    monkeypatch.setattr(checkers, "checker_command", lambda: (CHECKER,))
    shutil.copytree(arrays, tmp_path / "copy")
    (first, *_) = json.loads((tmp_path / "copy" / "manifest.json").read_text())["arrays"]
    path = tmp_path / "copy" / first["object"]
    data = bytearray(path.read_bytes())
    elf_section(b".text", 16, "<Q", 64)(data)
    path.write_bytes(data)
    capsys.readouterr()
    assert main(["certify", str(tmp_path / "copy"), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in rows] == ["REFUSED"] + ["CERTIFIED"] * 5
    assert "its section has an address" in rows[0]["reason"]
    assert main(["prove", str(tmp_path / "copy"), "--json"]) == 1


def test_a_kernel_at_an_odd_place_is_refused(tmp_path: Path) -> None:
    data = arm_object("elf")
    elf_symbol(8, "<Q", 1)(data)
    (tmp_path / "f.o").write_bytes(data)
    row = ManifestRow(KERNELS, "f", "mul", "f.o", "f.cert.json", 0, "")
    assert "it starts at 0x1" in fault_of(tmp_path, row, 2**61 - 1, 1, CERTIFIER)


@pytest.mark.usefixtures("rows_of")
def test_a_fault_of_the_whole_folder_is_said(
    arrays: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(arrays, folder)
    (folder / "more.o").write_bytes(b"")
    assert main(["certify", str(folder)]) == 1
    assert "a fault in the folder: more.o is not named" in capsys.readouterr().out


def no_checker(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """A machine without fieldc-check and cargo."""
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")


def test_without_the_checker_nothing_is_said_of_arrays(
    arrays: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    no_checker(monkeypatch)
    assert main(["certify", str(arrays)]) == 2
    assert capsys.readouterr().err == f"fieldc: {GET_CHECKER}\n"


def test_without_the_checker_the_others_are_certified(
    package: Path,
    certifier: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    no_checker(monkeypatch, certifier.parent)
    assert main(["certify", str(package)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert GET_CHECKER in said and "not replayed" in said and "0 of 8 kernels on arrays" in said


def program(folder: Path, name: str, text: str) -> None:
    """A script that stands for a program."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def test_a_checker_that_gives_no_answer_is_said(
    arrays: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program(tmp_path / "bin", CHECKER, "echo out of memory >&2; exit 3")
    no_checker(monkeypatch, tmp_path / "bin")
    capsys.readouterr()
    assert main(["certify", str(arrays), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert {row["status"] for row in rows} == {"not replayed"}
    assert {row["reason"] for row in rows} == {"fieldc-check gives no answer: out of memory"}


def test_what_the_proved_checker_does_not_know_is_said(
    certifier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A checker may be older than the build: that is no certificate that it refuses."""
    folder = tmp_path / "built"
    words = ["--op", "add,sub", "--target", "x86_64-linux", "-o", str(folder)]
    assert main(["build", "2^61-1", *words]) == 0
    older = f"sed 's/claim add/claim norm/' | {certifier}"
    program(tmp_path / "bin", CERTIFIER, older)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
        capsys.readouterr()
        assert main(["certify", str(folder), "--json"]) == 1
    rows = {(r["operation"], r["status"], r["reason"]) for r in json.loads(capsys.readouterr().out)}
    said = "fieldc-certify gives no answer: it does not know the operation norm"
    assert rows == {("add", "not replayed", said), ("sub", "CERTIFIED", "")}


def test_a_checkout_builds_the_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By cargo, where the checker is not installed."""
    program(tmp_path / "bin", "cargo", "")
    no_checker(monkeypatch, tmp_path / "bin")
    command = checker_command()
    assert command[0] == str(tmp_path / "bin" / "cargo") and command[-1] == "--"
    manifest = next(word for word in command if "manifest" in word).partition("=")[2]
    assert CHECKER in Path(manifest).read_text()
    program(tmp_path / "bin", CHECKER, "")
    assert checker_command() == (str(tmp_path / "bin" / CHECKER),)


ODD: dict[str, tuple[dict[str, object], str]] = {
    "null": ({"status": None}, "has the status 'None', not PROVED or TESTED or ASSUMED"),
    "list": ({"status": []}, "has the status '[]', not"),
    "failed": ({"status": "FAILED"}, "has the status 'FAILED', not"),
    "space": ({"status": "PROVED "}, "has the status 'PROVED ', not"),
    "bracket": ({"status": "TESTED(no)"}, "has the status 'TESTED(no)', not"),
    "certificate": ({"status": "SKIPPED(no)"}, "has a certificate and is not PROVED"),
    "name": ({"op": "sub"}, "has a name that does not end in 'sub_"),
    "variant": ({"variant": "other"}, "has a name that does not end in 'add_other'"),
}


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sums of single values."""
    folder = tmp_path_factory.mktemp("certify") / "sums"
    words = ["--op", "add", "--target", "x86_64-linux,c", "-o", str(folder)]
    assert main(["build", "2^61-1", *words]) == 0
    return folder


@pytest.mark.parametrize("verb", ["prove", "certify"])
@pytest.mark.parametrize(("change", "why"), ODD.values(), ids=list(ODD))
def test_a_row_that_no_build_writes_is_refused(
    verb: str,
    change: dict[str, object],
    why: str,
    sums: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It was left out, as if it were not there, while the others passed."""
    manifest = json.loads((sums / "manifest.json").read_text())
    row = next(row for row in manifest["kernels"] if row["status"] == "PROVED")
    manifest["kernels"].append(row | change)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert main([verb, str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and why in said, said


@pytest.mark.parametrize(
    ("symbol", "operation"),
    [("fieldc_p_mul_adx", "mul"), ("mul_prime_adx", "mul"), ("fieldc_p_prime_adx", "prime")],
)
def test_a_name_ends_in_operation_and_variant(symbol: str, operation: str) -> None:
    """That of a formula may be `prime`, which Rust's kernels have after their operation."""
    row = {"symbol": symbol, "op": operation, "variant": "adx", "status": "PROVED"}
    assert is_proved(Path("folder"), row, KERNELS)
    with pytest.raises(UsageError, match="has a name that does not end in 'ul_adx'"):
        is_proved(Path("folder"), row | {"op": "ul"}, KERNELS)


@pytest.mark.parametrize(("verb", "status"), [("prove", "FAILED"), ("certify", "TESTED")])
def test_a_row_on_arrays_is_proved_or_refused(
    verb: str,
    status: str,
    arrays: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    manifest = json.loads((arrays / "manifest.json").read_text())
    manifest["arrays"][0]["status"] = status
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert main([verb, str(tmp_path)]) == 2
    assert f"has the status '{status}', not PROVED;" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["32", "64"])
def test_a_folder_without_proofs_is_one_line(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--op", "add", "--target", "rust", "--word", word, "-o", str(tmp_path / "built")]
    assert main(["build", "2^61-1", *words]) == 0
    capsys.readouterr()
    assert main(["certify", str(tmp_path / "built")]) == 2
    assert capsys.readouterr().err.endswith("has no kernel that was PROVED\n")


@pytest.mark.parametrize("part", ["arrays", "divsteps"])
def test_an_odd_row_is_one_line(
    part: str, arrays: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(arrays, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    several: list[object] = [[{}], [5], 5, [{"status": "PROVED", "symbol": 5}]]
    for odd in several:
        (folder / "manifest.json").write_text(json.dumps(manifest | {part: odd}))
        assert main(["certify", str(folder)]) == 2
        assert capsys.readouterr().err.endswith("manifest.json' is no manifest\n")


BY_MEMORY = (
    "0x1ae75c8adae49525372e3953a2637708448fca1551315e205a6ffda8648578b8"
    "8594c60f527c18b6f2452c0097a6d9f9"
)
"""A prime of six limbs: LLVM adds registers to memory."""


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("prime", "target"),
    [
        ("2^32-5", "x86_64-linux-llvm"),
        ("2^63+29", "x86_64-linux-llvm"),
        ("2^90-1073", "x86_64-linux-llvm"),
        ("0xfaf4b7ac03614a8b6473989500000001", "x86_64-linux-llvm"),
        ("2^192-333", "x86_64-linux-llvm"),
        (BY_MEMORY, "x86_64-linux-llvm"),
        ("2^61-1", "x86_64-linux-llvm-bmi2"),
    ],
)
def test_what_llvm_makes_is_certified(
    prime: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its code for these has setb, sums and moves of bytes, 32-bit and, and sums onto memory."""
    folder = tmp_path / "kernels"
    assert main(["build", prime, "--target", target, "-o", str(folder)]) == 0
    capsys.readouterr()
    assert main(["certify", str(folder)]) == 0
    assert "10 of 10 kernels" in capsys.readouterr().out
