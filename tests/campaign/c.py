"""The C package of a case: every function on every path of this processor, and its own tests."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

from package_c import Library, check_arithmetic, check_lazy, check_more, check_random
from package_c import check_refusals as check_statuses
from package_c_arrays import check_arrays

from campaign.case import Case, Finding, fieldc, run
from campaign.drawn_formulas import Operand
from campaign.rows import FormulaRow, formula_rows_of
from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.catalogue import find_field
from fieldc.packages.c.package import fastest
from fieldc.packages.c.texts import package_name

STRICT = ("-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror")
COMPILERS = (
    ("clang", *STRICT),
    ("g++", "-std=c++11", "-O1", *STRICT[2:], "-x", "c++"),
    ("gcc", "-DFIELDC_PORTABLE_ONLY", "-DFIELDC_NO_INT128", *STRICT),
)
"""Others that compile the package without a warning, where they are."""
LENGTHS = (0, 1, 2, 7, 8, 9, 16, 33, 40)
"""Lengths of arrays."""
CHECKS = (check_arithmetic, check_lazy, check_more, check_random, check_statuses)


def check(case: Case, folder: Path) -> None:
    """Raises Finding or AssertionError if anything is wrong.

    A package with formulas is in Montgomery form. Where another form is faster, the package without
    formulas is in that one, and is tried too.
    """
    formulas = ("--formula", case.formulas_in(folder))
    library, package = built(case, folder / "formulas", MONTGOMERY, *formulas)
    for _ in library.paths():
        check_library(library)
        for row in formula_rows_of(case):
            _formula(library, case, row)
    for compiler in (("gcc", *STRICT), *COMPILERS):
        if shutil.which(compiler[0]):
            made = ("-Isingle", "test/formulas.c", f"single/{library.name}.c", "-o", "tests")
            run(package, *compiler, *made)
            run(package, "./tests")
    if fastest(library.f) is not MONTGOMERY:
        library, _ = built(case, folder / "plain", fastest(library.f))
        for _ in library.paths():
            check_library(library)


def built(case: Case, folder: Path, r: Representation, *words: str | Path) -> tuple[Library, Path]:
    """A package of residues in a representation, compiled without a warning; and its folder."""
    folder.mkdir()
    fieldc(folder, "build", case.written, "--package", "c", *words, "-o", "package")
    f = find_field(case.written)
    name, made = package_name(f), folder / "package.so"
    run(folder / "package", "gcc", *STRICT, "-shared", "-fPIC", f"single/{name}.c", "-o", made)
    return Library(made, f, name, r), folder / "package"


def check_library(library: Library) -> None:
    """Every function on the path in use."""
    for of_library in CHECKS:
        of_library(library)
    check_arrays(library, LENGTHS)


def _formula(library: Library, case: Case, row: FormulaRow) -> None:
    formula, n = case.formulas[row.number], library.f.n
    z = (ctypes.c_uint64 * (n * len(row.wanted)))()
    operands = map(_operand, [library] * len(formula.kinds), formula.kinds, row.operands)
    library.call(formula.name, z, *operands)
    found = [library.encode(library.value(*z[n * i : n * i + n])) for i in range(len(row.wanted))]
    if found != list(row.wanted):
        raise Finding(f"C: {formula.name}{row.operands} is {found}, not {row.wanted}")


def _operand(library: Library, kind: str, value: Operand) -> object:
    if kind == "Mask":
        return ctypes.c_int(int(value))  # type: ignore[arg-type]
    if kind == "U64":
        return ctypes.c_uint64(value)  # type: ignore[arg-type]
    values = value if isinstance(value, tuple) else (value,)
    words = [word for one in values for word in library.decode(one)]
    return (ctypes.c_uint64 * len(words))(*words)
