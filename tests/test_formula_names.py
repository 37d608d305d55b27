"""No formula passes for an operation: it is refused beside operations, and elsewhere said."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_folder import Copy, said_of
from forged import run

from fieldc.algorithms import OPERATIONS, STUDIED_OPERATIONS
from fieldc.cli import main
from fieldc.commands.built import check_formulas, manifest_of
from fieldc.formulas.names import FREE
from fieldc.machine.processor import is_x86_64
from fieldc.operations import DIVSTEP_FG, NUMBERED, TOWER_OPERATIONS, family_named

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
SMALL = "2^61-1"
TEXT = """
from fieldc.formulas import Element, formula

@formula
def {}(x: Element, y: Element) -> Element:
    return x + y
"""
KNOWN = (*OPERATIONS, *STUDIED_OPERATIONS, *TOWER_OPERATIONS, *DIVSTEP_FG)


def formulas(folder: Path, *names: str) -> str:
    """The path of a file with a sum under each of these names."""
    path = folder / "formulas.py"
    path.write_text("".join(map(TEXT.format, names)))
    return str(path)


def build(out: Path, *words: str) -> Path:
    assert main(["build", SMALL, *words, "--target", "x86_64-linux", "-o", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of operations, and one of formulas that are called so."""
    folder = tmp_path_factory.mktemp("names")
    named = formulas(folder, "mul", "fp2_mul", "edwards_add")
    operations = build(folder / "operations", "--op", "add,mul")
    return operations, build(folder / "formulas", "--formula", named)


@pytest.fixture
def mixed(built: tuple[Path, Path], tmp_path: Path) -> Callable[[str], Copy]:
    """The folder of operations with the formula of a name, in place of the operation's kernels."""

    def copy_with(name: str) -> Copy:
        operations, of_formulas = built
        copy = Copy(operations, tmp_path)
        manifest = json.loads((of_formulas / "manifest.json").read_text())
        taken = [row for row in manifest["kernels"] if row["op"] == name]
        kept = [row for row in copy.manifest["kernels"] if row["op"] != name]
        for row in taken:
            for file in (row["file"], row["object"], row["certificate"]):
                shutil.copy(of_formulas / file, copy.path / file)
        copy.manifest["kernels"] = kept + taken
        copy.sign()
        return copy

    return copy_with


def refusals(checker: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What each of the three tools says of a folder that all refuse."""
    status, said = said_of(checker, folder)
    assert status == 1
    found = [said]
    for verb in ("prove", "certify"):
        capsys.readouterr()
        assert main([verb, str(folder)]) == 2
        found.append(capsys.readouterr().err)
        assert found[-1].count("\n") == 1
    return found


@pytest.mark.parametrize("name", ["mul", "fp2_mul"])
def test_a_formula_called_as_an_operation_is_refused(
    name: str,
    mixed: Callable[[str], Copy],
    checker: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = f"is called as the operation {name}, and is a formula"
    assert all(said in one for one in refusals(checker, mixed(name).path, capsys))


def test_a_formula_has_no_longer_name_for_an_operations_symbol(
    mixed: Callable[[str], Copy], checker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `p61_12345678_mul` it would have the symbol of `mul`."""
    copy = mixed("mul")
    for row in copy.manifest["kernels"]:
        if "formula" in row:
            longer = re.sub(r"^[^_]*_|_[^_]*$", "", row["symbol"])
            row["op"] = row["family"] = longer
            file = copy.file(row["certificate"])
            certificate = json.loads(file.read_text())
            certificate["contract"].update(operation=longer, family=longer)
            file.write_text(json.dumps(certificate))
    copy.sign()
    for said in refusals(checker, copy.path, capsys):
        assert "is not called as" in said


@pytest.mark.usefixtures("installed")
def test_what_is_a_formula_is_said(
    built: tuple[Path, Path], checker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone, formulas may have any name."""
    _, folder = built
    texts = {row["symbol"]: row["formula"] for row in kernels(folder)}
    status, said = said_of(checker, folder)
    assert status == 0 and f"by their certificates, {len(texts)} of them formulas, 0 not" in said
    assert {row["symbol"]: row["formula"] for row in in_json(checker, folder)} == texts
    certificate = folder / kernels(folder)[0]["certificate"]
    assert "_adx: mul, a formula, mod 0x1fff" in said_of(checker, certificate)[1]
    for verb, text in (("prove", "mul, a formula, mod 0x1fff"), ("certify", "mul, a formula  ")):
        capsys.readouterr()
        assert main([verb, str(folder)]) == 0
        assert text in capsys.readouterr().out
        assert main([verb, str(folder), "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert {row["kernel"]: row["formula"] for row in rows} == texts


@pytest.mark.usefixtures("installed")
def test_an_operation_is_no_formula(
    built: tuple[Path, Path], checker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = built
    status, said = said_of(checker, folder)
    assert status == 0 and "kernels PROVED by their certificates, 0 not PROVED" in said
    for verb in ("prove", "certify"):
        capsys.readouterr()
        assert main([verb, str(folder)]) == 0
        assert "formula" not in capsys.readouterr().out


def kernels(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "manifest.json").read_text())["kernels"]
    return rows


def in_json(checker: Path, folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(checker, [Path("--json"), folder])[1])["kernels"]
    return rows


@pytest.mark.parametrize("package", ["c", "rust"])
def test_a_package_has_formulas_beside_operations(
    package: str, checker: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under names of products in Fp2 too, and such as end like a symbol of a Rust package."""
    source = formulas(tmp_path, "fp2_mul", "edwards_add", "in_prime")
    words = ["--package", package, "--formula", source, "-o", str(tmp_path / "package")]
    assert main(["build", SMALL, *words]) == 0
    status, said = said_of(checker, tmp_path / "package")
    count = sum("formula" in row for row in kernels(tmp_path / "package"))
    assert status == 0 and count and f", {count} of them formulas, " in said
    capsys.readouterr()
    assert main(["prove", str(tmp_path / "package")]) == 0
    assert capsys.readouterr().out.count(", a formula, mod") == count


@pytest.mark.parametrize(
    ("name", "other"), [("mul_by_7", "own_mul_by_7_2"), ("redc_lazy", "redc_lazy_2")]
)
@pytest.mark.parametrize("package", ["c", "rust"])
def test_a_package_refuses_the_name_of_an_operation(
    package: str, name: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--package", package, "--formula", formulas(tmp_path, name)]
    assert main(["build", SMALL, *words, "-o", str(tmp_path / "package")]) == 2
    said = f"{name} is an operation of fieldc: choose another name, such as {other}\n"
    assert capsys.readouterr().err.endswith(said)


def test_names_of_operations_are_known() -> None:
    assert all(map(family_named, KNOWN)) and set(FREE) <= {*map(family_named, KNOWN)}
    for name in ("mul_2", "edwards_add", "fp6_mul", "double_", "mul_minus", "fp2_mul_minus", ""):
        assert not family_named(name)


def test_the_checker_knows_the_same_names() -> None:
    text = (Path(__file__).parents[1] / "crates/check/src/names.rs").read_text()
    lists = {
        name: re.findall(r'"(\w+)"', body)
        for name, body in re.findall(r"const (\w+): [^=]*= \[(.*?)\];", text, re.DOTALL)
    }
    assert lists["NUMBERED"] == [*NUMBERED] and lists["FREE"] == [*FREE]
    assert lists["FAMILIES"] == sorted({*map(family_named, KNOWN)} - {*NUMBERED})


def test_updates_of_a_rust_package_have_other_names(tmp_path: Path, checker: Path) -> None:
    """They serve every prime of so many limbs, so nothing follows from theirs for formulas."""
    folder = tmp_path / "package"
    words = ["bn254-r", "--package", "rust", "--formula", formulas(tmp_path, "sum_of")]
    assert main(["build", *words, "-o", str(folder)]) == 0
    status, said = said_of(checker, folder)
    assert status == 0 and ", 2 of them formulas, 0 not PROVED" in said
    check_formulas(folder, manifest_of(folder))
