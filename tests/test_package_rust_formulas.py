"""Formulas in a Rust package: proved kernels, Rust by calls, and tests of both in the package."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from package_formulas import ALL_NAMES, MIXED, SMALL, TEXT, written
from test_package_rust import built, cargo, installed, needs_cargo

from fieldc.algorithms.representations import MONTGOMERY
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.load import load_formulas
from fieldc.formulas.names import check_names
from fieldc.packages.rust.formulas import ENDINGS, RustFormula, object_of
from fieldc.packages.rust.package import taken

CALLED = re.compile(r'unsafe fn (\w+)\(z: \*mut.*?called!\(.*?r"\n(.*?)\n"', re.DOTALL)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with formulas."""
    folder = tmp_path_factory.mktemp("formulas")
    built(SMALL, folder / "package", "--formula", str(written(folder, TEXT + MIXED)))
    return folder / "package"


def test_the_proved_object_is_the_text_in_the_package(package: Path) -> None:
    text = (package / "src/generated/formulas.rs").read_text()
    lines = {name: body.split("\n") for name, body in CALLED.findall(text)}
    kernels = json.loads((package / "manifest.json").read_text())["kernels"]
    rows = [row for row in kernels if row["op"] in ALL_NAMES]
    assert {row["symbol"] for row in rows} == set(lines) and len(rows) == 2 * len(ALL_NAMES)
    for row in rows:
        assert row["status"] == "PROVED"
        assert (package / row["object"]).read_bytes() == object_of(
            row["symbol"], lines[row["symbol"]]
        )
    assert main(["prove", str(package)]) == 0


@needs_cargo
def test_every_kernel_computes_formulas(package: Path) -> None:
    for more in ((), ("--features", "portable")):
        said = cargo(package, "test", "--quiet", "--test", "formulas", *more)
        assert f"test result: ok. {len(ALL_NAMES)} passed" in said
    cargo(package, "fmt", "--check")
    if shutil.which("cargo-clippy"):
        cargo(package, "clippy", "--quiet", "--all-targets", "--", "-D", "warnings")
    if installed("aarch64-unknown-linux-gnu"):
        cargo(package, "check", "--quiet", "--target", "aarch64-unknown-linux-gnu")


@needs_cargo
@pytest.mark.full
def test_two_packages_share_a_workspace(tmp_path: Path) -> None:
    for text in ("7", "17"):
        built(text, tmp_path / text)
        assert (tmp_path / text / ".gitignore").read_text() == "/target\n/Cargo.lock\n"
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["7", "17"]\nresolver = "3"\n')
    assert "warning" not in cargo(tmp_path, "build", "--workspace", "--all-targets")


@needs_cargo
def test_the_tests_notice_a_wrong_result(package: Path) -> None:
    path = package / "tests/formulas.rs"
    right = path.read_text()
    place = right.rindex('"]),')
    try:
        path.write_text(
            right[: place - 1] + ("1" if right[place - 1] != "1" else "2") + right[place:]
        )
        with pytest.raises(AssertionError, match="picked_is_right"):
            cargo(package, "test", "--quiet", "--test", "formulas")
    finally:
        path.write_text(right)


@pytest.mark.parametrize("name", ["Kernels", "f_portable", "square", "add", "mul", "sub"])
def test_a_name_that_the_module_has_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.py"
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + 1\n"
    head = "from fieldc.formulas import Element, formula\n"
    path.write_text(head + text.format("f") + text.format(name))
    words = ("--package", "rust", "--formula", str(path), "-o", str(tmp_path / "o"))
    assert main(["build", SMALL, *words]) == 2
    said = capsys.readouterr().err
    assert f"has the name {name} already: choose another one, such as {name}_2\n" in said


@pytest.mark.parametrize("name", ["f_adx", "f_mulx", "f_portable", "Ok"])
def test_an_operand_has_no_name_of_a_function_that_its_formula_calls(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.py"
    text = "from fieldc.formulas import *\n@formula\n"
    path.write_text(f"{text}def f({name}: Element, y: Element) -> Element: return {name} * y\n")
    (one,) = load_formulas(path)
    assert RustFormula(one, find_field(SMALL), "Fp").operand_names == [f"{name}_", "y"]


def test_names_of_kernels_are_refused_where_the_package_has_them() -> None:
    """Of one limb sums have kernels too; four and six limbs have those of an inversion."""
    names = taken(find_field("bn254-r"), MONTGOMERY)
    assert {"mul", "square_lazy", "divstep_fg"} <= {*names} and "add" not in names


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("f", "f_adx"), "f has the name f_adx already: "),
        (("f_adx", "f"), "which f brings along: "),
    ],
)
def test_a_name_that_another_formula_brings_along_is_refused(
    names: tuple[str, str], found: str, tmp_path: Path
) -> None:
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + 1\n"
    path = tmp_path / "f.py"
    path.write_text("from fieldc.formulas import *\n" + "".join(map(text.format, names)))
    with pytest.raises(FormulaError, match=f"{found}choose another one, such as {names[1]}_2$"):
        check_names(load_formulas(path), (), ENDINGS)
