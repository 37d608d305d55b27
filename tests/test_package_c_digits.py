"""Arrays that stay in digits in the C package: on every path, in place, beside guarded pages."""

from __future__ import annotations

import ctypes
import json
import math
from pathlib import Path

import pytest
from package_c import STRICT, Library, Packages, packaged, run, shared, tool
from package_c_arrays import GuardedArray, check_inverses
from package_c_digits import DigitArray, check_digits, check_mixed, words
from sampling import sampled

from fieldc.algorithms.lanes import in_lanes
from fieldc.artifacts.digit_arrays import DIGIT_ROLES, MOVE_ROLES
from fieldc.packages.c.arrays import packaged_targets

BY_VECTORS = (6, 7, 8, 9, 10)
"""The paths of which each has kernels of arrays in digits, from two limbs on."""
LONGEST = hex(math.isqrt(2 << 2 * 767) + 538)
"""A prime of 768 bits without a shape: its residues are in Montgomery form on every processor."""
SHORT = (0, 1, 7, 8, 9, 193)


def sources(name: str) -> tuple[str, ...]:
    """What is compiled."""
    return "-Iinclude", f"src/{name}.c", f"src/{name}_x86_64.S"


@pytest.mark.parametrize("text", sampled(("bn254-p",), ("bls12-381-p", "bls12-381-r", LONGEST)))
def test_every_path_computes_in_digits(text: str, tmp_path: Path, packages: Packages) -> None:
    f, name = packages(text, tmp_path)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    paths = []
    for path in library.paths():
        paths.append(path)
        check_digits(library) if path in (4, 7) else check_digits(library, SHORT)
        assert DigitArray(library, [1] * 8).is_in_digits == (path in BY_VECTORS)
        assert not DigitArray(library, [1] * 7).is_in_digits
    assert words(library, 9) == 2 * 8 * in_lanes(f).n
    check_mixed(library, sorted({paths[-1], 4, max(p for p in paths if p < 9)}), (0, 9, 200))


@pytest.mark.parametrize("text", sampled(("bn254-p",), ("bls12-381-p", "bls12-381-r", LONGEST)))
def test_inverses_in_digits(text: str, tmp_path: Path, packages: Packages) -> None:
    """Arrays around whole blocks and parts, with many zeros and as few as one."""
    f, name = packages(text, tmp_path)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    source = (tmp_path / "src" / f"{name}.c").read_text()
    assert (f"}} {name}_chains;" in source) == bool(f.spare_bits)
    for path in library.paths():
        for count in (127, 128, 129, 136, 159, 160, 161, 200, 513):
            check_inverses(library, count, at_end=bool(count % 2))
        for place in (0, 31, 32, 100, 130) if path in BY_VECTORS else (130,):
            given = [*range(1, place + 1), 0, *range(place + 2, 132)]
            x, z = (GuardedArray(library, v, at_end=True) for v in (given, [7] * 131))
            first = ctypes.c_size_t(99)
            size = ctypes.c_size_t(131)
            assert library.call("array_invert", z.at(), x.at(), size, ctypes.byref(first)) == 4
            assert (first.value, x.values()) == (place, given)
            assert z.values() == [pow(v, -1, f.p) if v else 0 for v in given]


@pytest.mark.parametrize("text", sampled(("goldilocks",), ("2^127-1",)))
def test_fields_without_kernels_in_digits(text: str, tmp_path: Path, packages: Packages) -> None:
    """One limb; plain residues: values are stored as they are."""
    f, name = packages(text, tmp_path)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    assert words(library, 9) == 16 * f.n
    for _ in library.paths():
        check_digits(library, (0, 1, 8, 9, 300))
        assert not DigitArray(library, [1] * 100).is_in_digits


@pytest.mark.full
def test_montgomery_form_on_request(tmp_path: Path) -> None:
    """Primes whose packages are plain have kernels in digits in Montgomery form."""
    packaged("2^127-1", tmp_path, "--representation", "montgomery")
    rows = json.loads((tmp_path / "manifest.json").read_text())["arrays"]
    assert {row["target"] for row in rows if row["op"] == "to_digits"} == {
        "avx512ifma",
        "avx512f",
        "avx2",
    }


def test_too_many_values(tmp_path: Path, packages: Packages) -> None:
    """No size of memory wraps."""
    f, name = packages("bn254-p", tmp_path)
    library = Library(shared(tmp_path, tmp_path / "library.so", *sources(name)), f, name)
    most = (2**64 - 1) // 64 // in_lanes(f).n * 8
    assert words(library, 0) == words(library, most + 1) == words(library, 2**64 - 1) == 0
    assert words(library, most) == most * in_lanes(f).n
    x = DigitArray(library, [1])
    memory, many = x.memory, ctypes.c_size_t(2**64 - 1)
    assert library.call("digits_zero", x.at(), memory, many, many) == 2


@pytest.mark.sweep(1)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sanitizers(compiler: str, tmp_path: Path, packages: Packages) -> None:
    """Memory on the heap, of every length to 40 and around a room's, aligned as words are."""
    _, name = packages("bn254-p", tmp_path)
    source = tmp_path / "lengths.c"
    source.write_text(SANITIZED.replace("NAME", name))
    checks = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    made = tmp_path / "lengths"
    flags = ("-std=c99", *STRICT, *checks, str(source), *sources(name), "-o", str(made))
    run(tmp_path, tool(compiler), *flags)
    assert run(tmp_path, made) == "done\n"
    header = (tmp_path / "include" / f"{name}.h").read_text()
    assert f"{name}_digits_words(count) words, aligned as uint64_t is and no more" in header


SANITIZED = """#include <NAME.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    size_t count, i;
    for (count = 0; count <= 400; count += count < 40 ? 1 : 72) {
        const size_t length = NAME_digits_words(count);
        NAME *x = malloc(count * sizeof *x + 1), sum, product, three;
        uint64_t *of_a = malloc(length * 8 + 1), *room = malloc(length * 8 + 9), *of_b = room + 1;
        NAME_digits a, b;
        for (i = 0; i < count; i++)
            NAME_from_u64(&x[i], 1 + i);
        NAME_from_u64(&three, 3);
        if (NAME_digits_from(&a, of_a, length, x, count) != FIELDC_OK ||
            NAME_digits_zero(&b, of_b, length, count) != FIELDC_OK ||
            NAME_digits_mul_add(&b, &a, &a, &b) != FIELDC_OK ||
            NAME_digits_scale(&b, &b, &three) != FIELDC_OK ||
            NAME_digits_sum(&sum, &b) != FIELDC_OK ||
            NAME_digits_inner_product(&product, &a, &a) != FIELDC_OK)
            return 1;
        NAME_mul(&product, &product, &three);
        if (!NAME_equal(&product, &sum))
            return 2;
        if (NAME_digits_read(x, count, &b) != FIELDC_OK)
            return 3;
        free(x);
        free(of_a);
        free(room);
    }
    puts("done");
    return 0;
}
"""


def test_the_manifest_names_them(tmp_path: Path, packages: Packages) -> None:
    f, name = packages("bn254-p", tmp_path)
    rows = json.loads((tmp_path / "manifest.json").read_text())["arrays"]
    roles = (*DIGIT_ROLES, *MOVE_ROLES)
    symbols = {f"{name}_{role}_{t.name}" for role in roles for t in packaged_targets(f)}
    found = [row for row in rows if row["symbol"] in symbols]
    assert {row["symbol"] for row in found} == symbols
    assert {row["status"] for row in found} == {"PROVED"}
    assert all((tmp_path / row["certificate"]).is_file() for row in found)
