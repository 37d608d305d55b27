"""Functions on arrays of the C package on Windows, by wine: a compiler of MinGW calls them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from package_c import PATHS, STRICT, Packages, run, tool

from fieldc.artifacts.arrays import made_array, made_digits
from fieldc.artifacts.entries import UnprovedEntry, check_entries, check_entry
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.machine.processor import missing
from fieldc.packages.c.arrays import PackagedArray, arrays_text, packaged_targets
from fieldc.packages.c.assembly import (
    MACOS,
    SYSTEMS,
    WINDOWS,
    ArrayText,
    check_bytes,
    objects,
)
from fieldc.packages.c.entries import entry_text
from fieldc.proof.lanes.entry import LEAST, MOST

BY_VECTORS = (6, 7, 8, 9, 10)


@pytest.mark.sweep(1)
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


def test_arrays_as_msvc_compiles_them(tmp_path: Path, packages: Packages) -> None:
    """The text that Microsoft's compiler takes, by clang in its mode, with the package's object.

    Clang's own names are undefined, so nothing asks for what it alone knows. The package's file is
    compiled so, the program by MinGW's compiler: both call by Windows' convention.
    """
    clang, compiler, wine = tool("clang"), tool("x86_64-w64-mingw32-gcc"), tool("wine")
    _, name = packages("bn254-p", tmp_path)
    (tmp_path / "arrays.c").write_text(PROGRAM.replace("NAME", name))
    (tmp_path / "intrin.h").write_text(INTRINSICS)
    mode = ("--driver-mode=cl", "--target=x86_64-pc-windows-msvc", "-U__clang__", "-I.")
    # No library of Microsoft's is here: no checks of stacks, which it would do.
    alone = ("/Zl", "/GS-", "/Gs99999999")
    flags = (*mode, *alone, "/c", "/O2", "/W4", "/WX", "-Iinclude", f"src/{name}.c")
    run(tmp_path, clang, *flags, "/Fopackage.obj")
    run(tmp_path, clang, *flags, "/TP", "/Foplus.obj")
    made, linked = tmp_path / "arrays.exe", ("package.obj", "objects/x86_64-windows.obj")
    run(tmp_path, compiler, "-O2", "-Iinclude", "arrays.c", *linked, "-o", made)
    here = [path for path in BY_VECTORS if not missing(PATHS[path])]
    wanted = "".join(f"path {path}: right\n" for path in here)
    assert run(tmp_path, wine, made).replace("\r", "") == wanted


INTRINSICS = """static __inline void __cpuidex(int r[4], int leaf, int part)
{
    __asm__("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(part));
}
static __inline void __cpuid(int r[4], int leaf)
{
    __cpuidex(r, leaf, 0);
}
#define _xgetbv of_state /* a name that clang keeps for itself */
static __inline unsigned __int64 _xgetbv(unsigned which)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(which));
    return low | (unsigned __int64)high << 32;
}
"""
"""What Microsoft's header has of it."""


def test_an_entry_is_nothing_else() -> None:
    """Each instruction that is changed or left out is refused; so is another kernel or count."""
    for arguments in range(LEAST, MOST + 1):
        text = entry_text("kernel", arguments)
        lines = text.splitlines()
        assert not wrong_entry(lines, arguments)
        body = range(1, len(lines) - 1)
        changed = [[*lines[:i], *lines[i + 1 :]] for i in body]
        changed += [[*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]] for i in body[:-1]]
        for old, new in WRONG.items():
            places = [i for i in body if old in lines[i]]
            changed += [[*lines[:i], lines[i].replace(old, new), *lines[i + 1 :]] for i in places]
        changed += [[*lines[:i], "nop", *lines[i:]] for i in body]
        for each in changed:
            assert wrong_entry(each, arguments), "\n".join(each)
        for other in {*range(LEAST - 1, MOST + 2)} - {arguments}:
            assert wrong_entry(lines, other)


WRONG = {
    "xmm6": "xmm5",
    "xmm15": "xmm14",
    "[rsp + 16]": "[rsp + 32]",
    "[rsp + 0xe": "[rsp + 0xd",
    "sub rsp, 168": "sub rsp, 152",
    "add rsp, 168": "add rsp, 160",
    "movaps": "movups",
    "rdi, rcx": "rdi, rdx",
    "rcx, r9": "rcx, r8",
    "_start": "_next",
    "push": "pop",
}


def wrong_entry(lines: Sequence[str], arguments: int) -> str:
    """Why an entry before a kernel is refused; nothing where it is proved."""
    kernel = "FIELDC_KERNEL(kernel)\nFIELDC_LOCAL(kernel_start): ret\n"
    text = "\n".join((*lines, kernel + "FIELDC_LOCAL(kernel_next): ret\nFIELDC_END(kernel)\n"))
    code = objects([], ArrayText("", text))[WINDOWS.target]
    try:
        check_entries(code, {"kernel": arguments})
    except UnprovedEntry as error:
        return str(error)
    return ""


def test_entries_of_a_folder_are_proved_again(tmp_path: Path, packages: Packages) -> None:
    """From the manifest's rows; changed entries and changed kernels beside them are refused."""
    packages("bn254-p", tmp_path)
    rows = json.loads((tmp_path / "manifest.json").read_text())["arrays"]
    proved = (tmp_path / rows[0]["object"]).read_bytes()
    code = (tmp_path / rows[0]["entry"]["object"]).read_bytes()
    save, other = bytes.fromhex("0f297c2410"), bytes.fromhex("0f297c2420")  # of xmm7
    assert code.count(save) == len(rows)
    for row in rows:
        check_entry(proved, row, code)
        with pytest.raises(UnprovedEntry, match=f"{row['entry']['symbol']} is not proved"):
            check_entry(proved, row, code.replace(save, other))
    kernel = function_of(proved, rows[0]["symbol"])
    last = code.index(kernel.code[kernel.start :]) + len(kernel.code) - kernel.start - 1
    changed = code[:last] + bytes([code[last] ^ 1]) + code[last + 1 :]
    with pytest.raises(UnprovedEntry, match="other bytes than those that are proved"):
        check_entry(proved, rows[0], changed)


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
