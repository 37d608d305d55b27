"""Functions on arrays of the C package on Windows, by wine: a compiler of MinGW calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
from package_c import PATHS, STRICT, Packages, run, tool

from fieldc.artifacts.arrays import made_array, made_digits
from fieldc.catalogue import find_field
from fieldc.machine.processor import missing
from fieldc.packages.c.arrays import PackagedArray, arrays_text, packaged_targets
from fieldc.packages.c.assembly import MACOS, SYSTEMS, WINDOWS, check_bytes, objects

BY_VECTORS = (6, 7, 8, 9, 10)


@pytest.mark.parametrize("assembly", ["src/{name}_x86_64.S", "objects/x86_64-windows.obj"])
def test_arrays_on_windows(assembly: str, tmp_path: Path, packages: Packages) -> None:
    """Against scalar kernels, at many lengths; what Windows has callees keep is kept."""
    compiler, wine = tool("x86_64-w64-mingw32-gcc"), tool("wine")
    _, name = packages("bn254-p", tmp_path)
    (tmp_path / "arrays.c").write_text(PROGRAM.replace("NAME", name))
    words = ("-std=c99", "-O2", *STRICT, "-Iinclude", "arrays.c", f"src/{name}.c")
    made = tmp_path / "arrays.exe"
    run(tmp_path, compiler, *words, assembly.format(name=name), "-o", made)
    here = [path for path in BY_VECTORS if not missing(PATHS[path])]
    wanted = "".join(f"path {path}: right\n" for path in here)
    assert run(tmp_path, wine, made).replace("\r", "") == wanted


def test_every_system_has_the_proved_bytes() -> None:
    """An object for ELF is what is proved; those for Mach-O and COFF have the same bytes."""
    f = find_field("bn254-p")
    made = [
        kernel
        for target in packaged_targets(f)
        for kernel in (made_array(target, f, "mul", "array"), *made_digits(target, f))
    ]
    kernels = [PackagedArray(**vars(each)) for each in made]
    codes = objects([], arrays_text(kernels))
    wanted = {each.kernel.symbol: each.kernel.object for each in kernels}
    assert {WINDOWS, MACOS} < {*SYSTEMS}
    for system in SYSTEMS:
        check_bytes(codes[system.target], system, wanted)


PROGRAM = """#include <NAME.h>
#include <stdio.h>
#define MOST 300
static NAME x[MOST], y[MOST], z[MOST];
static uint64_t of_a[NAME_LIMBS_OF(MOST)], of_b[NAME_LIMBS_OF(MOST)];

/* Doubles that the compiler keeps in registers while a function runs. */
static double kept(size_t count, double a, double b, double c, double d)
{
    double e = a * b, f = b * c, g = c * d, h = d * a;
    NAME_array_mul(z, x, y, count);
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

static int check(size_t count)
{
    NAME one, sum, total;
    NAME_digits a, b;
    size_t i;
    if (kept(count, 1, 2, 3, 4) != 1 + 4 + 9 + 16 + 10 + 36 + 84 + 32)
        return 1;
    NAME_zero(&total);
    for (i = 0; i < count; i++) {
        NAME_mul(&one, &x[i], &y[i]);
        NAME_add(&total, &total, &one);
        if (!NAME_equal(&one, &z[i]))
            return 2;
    }
    NAME_sum_of_products(&sum, x, y, count);
    if (!NAME_equal(&sum, &total))
        return 3;
    NAME_array_mul_add(z, x, y, x, count);
    for (i = 0; i < count; i++) {
        NAME_mul_add(&one, &x[i], &y[i], &x[i]);
        if (!NAME_equal(&one, &z[i]))
            return 4;
    }
    if (NAME_digits_from(&a, of_a, sizeof of_a / 8, x, count) != FIELDC_OK ||
        NAME_digits_from(&b, of_b, sizeof of_b / 8, y, count) != FIELDC_OK ||
        NAME_digits_inner_product(&sum, &a, &b) != FIELDC_OK || !NAME_equal(&sum, &total))
        return 5;
    if (NAME_digits_mul(&a, &a, &b) != FIELDC_OK || NAME_digits_square(&a, &a) != FIELDC_OK ||
        NAME_digits_sub(&a, &a, &b) != FIELDC_OK || NAME_digits_read(z, count, &a) != FIELDC_OK)
        return 6;
    for (i = 0; i < count; i++) {
        NAME_mul(&one, &x[i], &y[i]);
        NAME_square(&one, &one);
        NAME_sub(&one, &one, &y[i]);
        if (!NAME_equal(&one, &z[i]))
            return 7;
    }
    return 0;
}

int main(void)
{
    static const int paths[] = {6, 7, 8, 9, 10};
    size_t i, count;
    for (i = 0; i < MOST; i++) {
        NAME_from_u64(&x[i], i * 0x9e3779b97f4a7c15u);
        NAME_from_u64(&y[i], ~(uint64_t)i);
        NAME_mul(&x[i], &x[i], &x[i]);
        NAME_sub(&y[i], &x[i], &y[i]);
    }
    for (i = 0; i < sizeof paths / sizeof *paths; i++) {
        int wrong = 0;
        if (NAME_use(paths[i]) != FIELDC_OK)
            continue;
        for (count = 0; count <= MOST; count += count < 40 ? 1 : 65)
            wrong = wrong != 0 ? wrong : check(count);
        printf("path %d: ", paths[i]);
        if (wrong != 0)
            printf("wrong %d\\n", wrong);
        else
            puts("right");
    }
    return 0;
}
""".replace("NAME_LIMBS_OF(MOST)", "40 * (MOST / 8 + 1)")
