"""Texts of formulas compile without a warning, whatever docstrings, paths and names there are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from fieldc import cli
from fieldc.catalogue import find_field
from fieldc.commands.build import command_of
from fieldc.decisions.formulas import straight_lines
from fieldc.formulas.load import load_formulas
from fieldc.packages.c.formulas import CFormula
from fieldc.packages.rust.formulas import RustFormula
from fieldc.targets.c.print import HELPERS as HELPERS_OF_C
from fieldc.targets.c.print import c_prelude
from fieldc.targets.header import in_comment
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.rust.flat import ROWS, print_rust
from fieldc.words.lower import lower

FORMULA = '''
from fieldc.formulas import Element, formula

@formula
def poly(x: Element, y: Element) -> Element:
    """x*y*/ evil; /* \\u202e ??/ /*/ \\\\"""
    return x * y + 3
'''
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of one formula."""
    path = tmp_path / "formulas.py"
    path.write_text(FORMULA, "utf-8")
    return path


@pytest.mark.parametrize("text", ["*/", "/*", "/*/", "*/*", "/**/", "a\nb", "\u202ea", "//*/*//"])
def test_a_comment_neither_ends_nor_begins_one(text: str) -> None:
    shown = in_comment(text)
    assert "*/" not in shown and "/*" not in shown and shown.isprintable()


def test_comments_of_packages(file: Path) -> None:
    field = find_field("61")
    formula = load_formulas(file)[0].over(field)
    declared = CFormula(formula, field, "name").declared()
    assert declared.count("*/") == declared.count("/*") == 1 and "\u202e" not in declared
    assert "\u202e" not in RustFormula(formula, field, "Fp").says


def test_the_command_of_a_package_stands_in_a_comment() -> None:
    given = SimpleNamespace(package="c", formula=Path("a*/b.py"), representation=None, traits=None)
    assert "*/" not in command_of(find_field("61"), given)  # type: ignore[arg-type]


UNREAD = """
from fieldc.formulas import Element, formula

@formula
def poly(x: Element, Y: Element) -> Element:
    return {}
"""


HELPERS = """
from fieldc.formulas import Element, Mask, choose, formula

@formula
def poly(mask: Mask, select: Element, adc: Element, sbb: Element, mul_wide: Element) -> Element:
    return choose(mask, select, adc * mul_wide + sbb)
"""
HELPERS_64 = """
from fieldc.formulas import Element, Mask, choose, formula

@formula
def poly(mask64: Mask, select64: Element, adc64: Element, mac64: Element) -> Element:
    return choose(mask64, select64, adc64 * mac64 + adc64)
"""
VALUES = """
from fieldc.formulas import Element, formula

@formula
def poly(Some: Element, N0: Element, N0_: Element, x: Element, {}: Element) -> Element:
    return Some * N0 - N0_ * x + {}
"""
TEXTS = [FORMULA, HELPERS, HELPERS_64, *map(UNREAD.format, ("x", "x * 0", "Y - Y", "x * Y"))]
TEXTS += [VALUES.format(name, name) for name in ("mask_30", "mask_28", "t_14", "x0_9", "Err")]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("c", ["gcc", *STRICT, "-std=c11"]),
        ("c", ["clang", *STRICT, "-std=c99"]),
        ("rust", ["rustc", "-Dwarnings", "--crate-type=lib", "--emit=metadata", "--out-dir=."]),
    ],
)
def test_formulas_leave_texts_that_compile_without_a_warning(
    target: str, words: list[str], text: str, file: Path, tmp_path: Path
) -> None:
    file.write_text(text, "utf-8")
    if shutil.which(words[0]) is None:
        pytest.skip(f"SKIPPED: no {words[0]} here")
    out = tmp_path / "out"
    command = ["build", "61", "--formula", str(file), "--target", target, "-o", str(out)]
    assert cli.main(command) == 0
    (made,) = (path for path in out.rglob("poly_*") if path.suffix in (".c", ".rs"))
    done = subprocess.run([*words, made], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MARKS = ("-", "*", "+", "1.", "2)", ">", "#", "~~~", "```", "=", "|")
"""What begins a list or another block; some lines of a long docstring begin so, others do not."""
DOCSTRINGS = [
    "The product of x[0] + x[1]*i and y[0].",
    "Of <T>, Vec<u8>, </b>, `Vec<u8>`, `x[0]`, https://ia.cr/2020-1, http://a-b.org.",
    *(" ".join(f"{mark} {'x' * n}" for n in range(1, 40)) for mark in MARKS),
]


@pytest.mark.parametrize("says", DOCSTRINGS)
@pytest.mark.parametrize("package", [False, True])
def test_rustdoc_and_clippy_take_any_docstring(
    package: bool, says: str, file: Path, tmp_path: Path
) -> None:
    file.write_text(UNREAD.format(f"r'''{says}'''\n    return x * Y").replace("return r", "r"))
    formula, field = load_formulas(file)[0], find_field("61")
    expression, *_ = straight_lines(field, formula)
    text = print_rust(lower(expression, ROWS), "poly", expression)
    if package:
        text = RustFormula(formula.over(field), field, "Fp").text([])
        text = text[: text.index("#[inline")] + "pub fn poly() {}\n"
    (tmp_path / "poly.rs").write_text("//! A crate.\n" + text)
    for words in (["rustdoc"], ["clippy-driver", "--emit=metadata", "-Wclippy::all"]):
        if shutil.which(words[0]):
            words += ["-Dwarnings", "--crate-type=lib", "--out-dir=made", "poly.rs"]
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["x0_9", "t_14"])
def test_an_operand_has_no_name_of_a_value_of_llvm(name: str, file: Path) -> None:
    file.write_text(VALUES.format(name, name))
    expression, *_ = straight_lines(find_field("61"), load_formulas(file)[0])
    text = print_llvm(lower(expression), "poly")
    assert f"%{name} = " in text and f"ptr %{name}_)" in text


DEAD = """
from fieldc.formulas import Element, formula

@formula
def norm(x: Element, y: Element) -> Element:
    power = ((x + y) ** 8) ** 8  # too many terms for a proof, and nobody needs it
    power = power * power
    return x**2 + y**2
"""


def test_what_no_result_needs_is_not_in_a_proof(tmp_path: Path) -> None:
    path = tmp_path / "dead.py"
    path.write_text(DEAD)
    formula = load_formulas(path)[0]
    assert len(formula.steps) > 5 and len(json.loads(formula.text())["steps"]) == 3
    assert cli.main(["build", "61", "--formula", str(path), "-o", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize("word", [32, 64])
def test_no_helper_of_c_is_forgotten(word: int) -> None:
    made = re.findall(rf"^FIELDC_HELPER_{word} \w+ (\w+?){word}\(", c_prelude(word), re.M)
    assert {*made} == {*HELPERS_OF_C}
