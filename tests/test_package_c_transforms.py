"""Transforms of the C package: every length on every path, and the same as Python's arrays."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from package_c import STRICT, Library, Packages, run, shared, tool
from package_c_transforms import check_refused_transforms, check_transforms
from sampling import sampled_rows

from fieldc import Field as PythonField
from fieldc.field import Field

SMALL = "goldilocks"
DIGITS = "bls12-381-r"
"""Its transforms stay in digits."""
FEW = "bn254-p"
"""2 is the largest power of two that divides p - 1."""


@dataclass(frozen=True)
class Made:
    """A package: its folder, field and name, and the library of it."""

    folder: Path
    f: Field
    name: str
    library: Library


def made(text: str, folder: Path, packages: Packages, *more: str) -> Made:
    """A compiled package."""
    f, name = packages(text, folder)
    sources = ("-Iinclude", f"src/{name}.c", f"src/{name}_x86_64.S")
    return Made(
        folder, f, name, Library(shared(folder, folder / "made.so", *more, *sources), f, name)
    )


P224 = "2^224-2^96+1"
LONG = [(P224, 7), (P224, 10), ("2^126-335", 4)]
"""Modulo P-224 2^96 values have a transform, modulo 2^126 - 335 16, whose residues are plain."""


QUICK = [(SMALL, 10), (DIGITS, 9)]


@pytest.mark.parametrize(("text", "most"), sampled_rows(QUICK, LONG))
def test_every_path_transforms(text: str, most: int, tmp_path: Path, packages: Packages) -> None:
    library = made(text, tmp_path, packages).library
    for _ in library.paths():
        check_transforms(library, most)
        check_refused_transforms(library)


COMPILERS = [("gcc", "-std=c99"), ("g++", "-std=c++11"), ("clang++", "-std=c++20")]


@pytest.mark.parametrize(("compiler", "standard"), COMPILERS)
def test_a_package_with_everything_compiles_without_a_warning(
    compiler: str, standard: str, tmp_path: Path, packages: Packages
) -> None:
    """Tiles, digits and several limbs, as C and as C++; the package of one limb has not all."""
    _, name = packages(DIGITS, tmp_path)
    language = ("-x", "c++") if "++" in compiler else ()
    words = (tool(compiler), standard, "-O0", *STRICT, "-Wconversion", *language, "-c")
    for folder in ("src", "single"):
        run(tmp_path, *words, "-Iinclude", "-Isingle", f"{folder}/{name}.c", "-o", "made.o")


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("text", "most"), [("257", 8), ("17", 4)])
def test_the_longest_transform(text: str, most: int, tmp_path: Path, packages: Packages) -> None:
    """As long as p - 1: the values at all points but 0."""
    library = made(text, tmp_path, packages).library
    check_transforms(library, most)
    check_refused_transforms(library)


@pytest.mark.parametrize("more", ["-DFIELDC_NO_VECTORS", "-DFIELDC_PORTABLE_ONLY"])
def test_transforms_without_vectors(more: str, tmp_path: Path, packages: Packages) -> None:
    check_transforms(made(SMALL, tmp_path, packages, more).library, 7)


def test_python_and_c_transform_alike(tmp_path: Path, packages: Packages) -> None:
    """The root and the order of the values are those of Python's arrays."""
    c, F = made(SMALL, tmp_path, packages), PythonField(SMALL)
    x = [pow(3, i, F.p) for i in range(64)]
    library, array = c.library, F.array(x)
    words = (library.value * 64)(*(library.decode(v) for v in x))
    roots = (library.value * 64)()
    count = ctypes.c_size_t(64)
    assert library.call("ntt_roots", roots, count) == 0
    assert library.call("ntt", words, roots, count) == 0
    assert [library.encode(v) for v in words] == array.ntt().tolist()


def test_the_readme_says_how_long_a_transform_may_be(tmp_path: Path, packages: Packages) -> None:
    packages(SMALL, tmp_path)
    readme = (tmp_path / "README.md").read_text()
    assert "Transforms take arrays of 2^k values, k at most 32." in readme
    assert "There are no transforms" not in readme


def test_a_field_without_transforms(tmp_path: Path, packages: Packages) -> None:
    """The header says so and why, and declares none."""
    _, name = packages(FEW, tmp_path)
    header = (tmp_path / f"include/{name}.h").read_text()
    why = "There are no transforms: 2^1 is the largest power of two that divides p - 1."
    assert why in header
    assert f"#define {name.upper()}_NTT_LEVELS 0 " in header
    assert not re.search(r"_i?ntt\(|_ntt_roots", header)
    assert "_ntt" not in (tmp_path / f"src/{name}.c").read_text()
    readme = (tmp_path / "README.md").read_text()
    assert why in readme and readme.count("transform") == 1 and "ntt" not in readme


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_transforms_under_sanitizers(compiler: str, tmp_path: Path, packages: Packages) -> None:
    """Arrays on the heap, which are exactly as long as they must be."""
    _, name = packages(SMALL, tmp_path)
    (tmp_path / "transforms.c").write_text(SANITIZED.replace("NAME", name))
    checks = ("-std=c99", *STRICT, "-g", "-O1", "-fsanitize=address,undefined")
    sources = ("-Iinclude", "transforms.c", f"src/{name}.c", f"src/{name}_x86_64.S")
    checks += ("-fno-sanitize-recover=all", "-o", "transforms")
    run(tmp_path, tool(compiler), *checks, *sources)
    assert run(tmp_path, tmp_path / "transforms") == "done\n"


SANITIZED = """#include <NAME.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    size_t count, i;
    for (count = 1; count <= 512; count *= 2) {
        NAME *x = malloc(count * sizeof *x), *roots = malloc(count * sizeof *roots), value;
        if (NAME_ntt_roots(roots, count) != FIELDC_OK)
            return 1;
        for (i = 0; i < count; i++)
            NAME_from_u64(&x[i], 1 + i);
        if (NAME_ntt(x, roots, count) != FIELDC_OK || NAME_intt(x, roots, count) != FIELDC_OK)
            return 2;
        for (i = 0; i < count; i++) {
            NAME_from_u64(&value, 1 + i);
            if (!NAME_equal(&x[i], &value))
                return 3;
        }
        free(x);
        free(roots);
    }
    puts("done");
    return 0;
}
"""
