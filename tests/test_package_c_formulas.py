"""Formulas in a C package: proved kernels, C by calls, and a test of both in the package."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from package_c import STRICT, packaged, run, tool
from package_formulas import ALL_NAMES, MIXED, SMALL, TEXT, written

from fieldc.algorithms.representations import MONTGOMERY
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.field import Field
from fieldc.formulas.field_calls import field_calls
from fieldc.formulas.formula import Formula
from fieldc.formulas.load import load_formulas
from fieldc.formulas.names import check_names
from fieldc.machine.processor import is_x86_64
from fieldc.packages import c
from fieldc.packages.c import texts
from fieldc.packages.c.formulas import ENDINGS
from fieldc.packages.c.package import taken

EXAMPLES = Path(__file__).parents[1] / "examples"


KERNELS = ("mul_c", "sub_base", "square_aarch64", "mul_array_avx2", "in_avx512f", "add_array")
"""Names that a package gives to kernels and their tables, and one that would bring such a name."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A package with formulas: its folder and its name."""
    folder = tmp_path_factory.mktemp("formulas")
    path = written(folder, TEXT + MIXED)
    _, name = packaged(SMALL, folder / "package", "--formula", str(path))
    return folder / "package", name


def test_calls_compute_the_formula(tmp_path: Path) -> None:
    f, draw = find_field("bls12-381-p"), random.Random(1)
    for path in (*sorted(EXAMPLES.glob("*.py")), written(tmp_path, TEXT + MIXED)):
        for one in load_formulas(path):
            bounds = [bound for _, bound in one.ranges for _ in range(bound.count)]
            values = [draw.randrange(min(f.p, bound.high(f) + 1)) for bound in bounds]
            pairs = zip(values, bounds, strict=True)
            given = [value * f.R**bound.powers % f.p for value, bound in pairs]
            found, wanted = field_calls(one).evaluate(f, values), one.evaluate(f, given)
            form = f.R**one.result.powers
            assert [v * form % f.p for v in found] == [v % f.p for v in wanted], one.name


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("compiler", "language"), [("gcc", ()), ("clang", ()), ("g++", ("-x", "c++"))]
)
def test_every_path_computes_formulas(
    compiler: str, language: tuple[str, ...], built: tuple[Path, str], tmp_path: Path
) -> None:
    folder, name = built
    standard = ("-std=c++11",) if language else ("-std=c99",)
    flags = (tool(compiler), *standard, "-O1", *STRICT, "-Wconversion", *language)
    made = tmp_path / "formulas"
    run(folder, *flags, "-Isingle", "test/formulas.c", f"single/{name}.c", "-o", made)
    said = run(folder, made)
    assert "portable: right" in said and (not is_x86_64() or "base: right" in said)
    more = ("-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128", "-Isingle")
    run(folder, *flags, *more, "test/formulas.c", f"single/{name}.c", "-o", made)
    assert run(folder, made) == "portable: right\n"


def test_the_readme_says_how_to_test_formulas(built: tuple[Path, str], tmp_path: Path) -> None:
    """The command leaves nothing that a later build would refuse to replace."""
    tool("cc")
    folder = tmp_path / "package"
    shutil.copytree(built[0], folder)
    before = set(folder.rglob("*"))
    _, _, after = (folder / "README.md").read_text().partition("## Formulas")
    command = after.partition("```sh\n")[2].partition("```")[0]
    assert "portable: right" in run(folder, "sh", "-ec", command)
    assert set(folder.rglob("*")) - before == {folder / "a.out"}


@pytest.mark.full
def test_the_package_test_notices_a_wrong_result(built: tuple[Path, str], tmp_path: Path) -> None:
    """Of every formula: one limb of the last expected result is changed."""
    folder, name = built
    text = (folder / "test/formulas.c").read_text()
    for formula in ALL_NAMES:
        head, begin, rest = text.partition(f" z_{formula}[")
        table, end, after = rest.partition("};\n")
        place = table.rindex(")}")
        digit = "1" if table[place - 1] != "1" else "2"
        wrong = table[: place - 1] + digit + table[place:]
        (tmp_path / "wrong.c").write_text(head + begin + wrong + end + after)
        words = ("-Isingle", tmp_path / "wrong.c", f"single/{name}.c", "-o", tmp_path / "wrong")
        run(folder, tool("gcc"), *words)
        done = subprocess.run([tmp_path / "wrong"], capture_output=True, text=True)
        assert done.returncode == 1 and "portable: WRONG" in done.stdout


def test_formulas_for_windows(built: tuple[Path, str], tmp_path: Path) -> None:
    compiler, wine = tool("x86_64-w64-mingw32-gcc"), tool("wine")
    folder, name = built
    made = tmp_path / "formulas.exe"
    sources = ("test/formulas.c", f"src/{name}.c", "objects/x86_64-windows.obj")
    run(folder, compiler, "-O1", *STRICT, "-Iinclude", *sources, "-o", made)
    assert "base: right" in run(tmp_path, wine, made)


def test_formulas_compile_for_aarch64(built: tuple[Path, str], tmp_path: Path) -> None:
    folder, name = built
    words = ("--target=aarch64-unknown-linux-gnu", "-ffreestanding", "-c", "-Iinclude")
    made = tmp_path / "made.o"
    run(folder, tool("clang"), "-O1", *STRICT, *words, f"src/{name}.c", "-o", made)
    assert b"_chain" in made.read_bytes()


def test_formulas_of_a_package_are_proved_again(built: tuple[Path, str]) -> None:
    folder, _ = built
    kernels = json.loads((folder / "manifest.json").read_text())["kernels"]
    rows = [row for row in kernels if row["op"] in ALL_NAMES]
    systems = {"x86_64-linux", "x86_64-macos", "x86_64-windows"}
    assert {row["target"] for row in rows} == systems and len(rows) == 3 * 3 * len(ALL_NAMES)
    assert {row["status"] for row in rows} == {"PROVED"}
    assert main(["prove", str(folder)]) == 0


@pytest.mark.parametrize("name", ["mul", "lazy_mul", "path", "f_c", "table_in_use", *KERNELS])
def test_a_name_that_the_package_has_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.py"
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + 1\n"
    head = "from fieldc.formulas import Element, formula\n"
    path.write_text(head + text.format("f") + text.format(name))
    words = ("--package", "c", "--formula", str(path), "-o", str(tmp_path / "o"))
    assert main(["build", SMALL, *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"has the name {name}" in said and "f.py:5: " in said
    assert said.endswith(f": choose another one, such as {name}_2\n")


def free_names(folder: Path, name: str, f: Field, formulas: Sequence[Formula]) -> set[str]:
    """What the texts of a package call things that a formula could be called too."""
    header = (folder / f"include/{name}.h").read_text("utf-8")
    found = re.findall(rf"\b{name}_(\w+)", header + (folder / f"src/{name}.c").read_text("utf-8"))
    assembly = (folder / f"src/{name}_x86_64.S").read_text("utf-8")
    found += re.findall(rf"FIELDC_(?:KERNEL|ENTRY)\({name}_(\w+)", assembly)
    own = {f"{one.name}{ending}" for one in formulas for ending in ("", *ENDINGS)}
    known = taken(f, MONTGOMERY, formulas) | texts._private() | own
    return {one for one in found if one not in known and not one.endswith("_")}


def test_no_formula_can_have_a_name_of_the_package(built: tuple[Path, str], tmp_path: Path) -> None:
    formulas = load_formulas(written(tmp_path, TEXT + MIXED))
    assert not free_names(*built, find_field(SMALL), formulas)


@pytest.mark.full
def test_no_formula_can_have_a_name_of_a_package_with_transforms(tmp_path: Path) -> None:
    f, name = packaged("bn254-r", tmp_path / "package")
    assert not free_names(tmp_path / "package", name, f, ())


OWN_NAMES = ("step", "fold", "find", "quotient", "low", "apply_modulo_p", "ntt_step")
"""Formulas with names of functions in a package's C file, and one that it has not."""


@pytest.mark.full
def test_a_formula_may_have_the_name_of_a_function_in_the_c_file(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + {}\n"
    head = "from fieldc.formulas import Element, formula\n"
    path.write_text(head + "".join(text.format(name, i) for i, name in enumerate(OWN_NAMES)))
    _, name = packaged("bn254-r", tmp_path / "p", "--formula", str(path))
    source = (tmp_path / "p" / "src" / f"{name}.c").read_text("utf-8")
    assert f"static void {name}_own_step(" in source and f"{name}_step_on(" in source
    flags = (tool("cc"), "-O1", *STRICT, "-Isingle", "test/formulas.c", f"single/{name}.c")
    run(tmp_path / "p", *flags, "-o", tmp_path / "formulas")
    assert "portable: right" in run(tmp_path / "p", tmp_path / "formulas")


def test_only_known_functions_of_the_c_file_are_called_from_other_texts() -> None:
    """The names of all others may move."""
    sources = [p.read_text("utf-8") for p in Path(c.__file__).parent.glob("*.py")]
    called = {name for name in texts._private() for s in sources if f"}}_{name}(" in s}
    assert not called and texts._private()


def test_the_moved_name_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.py"
    text = "@formula\ndef {}(x: Element) -> Element:\n    return x + 1\n"
    head = "from fieldc.formulas import Element, formula\n"
    path.write_text(head + text.format("step") + text.format("own_step"))
    words = ("--package", "c", "--formula", str(path), "-o", str(tmp_path / "o"))
    assert main(["build", SMALL, *words]) == 2
    assert "has the name own_step already" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_no_example_has_a_name_of_a_package(path: Path) -> None:
    formulas, f = load_formulas(path), find_field("bls12-381-p")
    check_names(formulas, taken(f, MONTGOMERY, formulas), ENDINGS)


def test_formulas_are_of_montgomery_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--package", "c", "--representation", "plain", "--formula", str(written(tmp_path)))
    assert main(["build", SMALL, *words, "-o", str(tmp_path / "o")]) == 2
    assert "formulas are of Montgomery form" in capsys.readouterr().err
