"""The kernels of a case: proved again, compiled from texts, and run on integers."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

from primes import cases, expected, named_kernel

from campaign.case import Case, Finding, fieldc, run
from fieldc.field import Field
from fieldc.machine.processor import missing

WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror")
RUST = ("-D", "warnings", "--edition=2021", "--crate-type=rlib", "--emit=metadata")
CALLS = 12
"""Random operands of a kernel; edges are three times as many at most."""


def check(case: Case, folder: Path) -> None:
    """Raises Finding if anything is wrong."""
    for word in (64, 32):
        check_texts(case, folder, word)
    for target in ("x86_64-linux", "x86_64-linux-llvm"):
        check_objects(case, folder, target)
    fieldc(folder, "certify", "x86_64-linux")


def check_objects(case: Case, folder: Path, target: str) -> None:
    """All compute; all of our own are proved, and proved again. Of LLVM's some are only tested."""
    fieldc(folder, "build", case.written, "--target", target, "-o", target)
    fieldc(folder, "prove", target)
    rows, made = rows_in(folder / target), folder / f"{target}.so"
    allowed = ("PROVED",) if target == "x86_64-linux" else ("PROVED", "TESTED")
    if wrong := [row["symbol"] for row in rows if row["status"] not in allowed]:
        raise Finding(f"not proved: {', '.join(wrong)}")
    objects = [row["object"] for row in rows]
    run(folder / target, "gcc", "-shared", *objects, "-o", made)
    check_calls(case, made, rows, Field(case.p))


def check_texts(case: Case, folder: Path, word: int) -> None:
    """C and Rust compile without a warning, and C computes."""
    name = f"texts{word}"
    words = ("--word", str(word), "--target", "c,rust")
    fieldc(folder, "build", case.written, *words, "-o", name)
    rows, made = rows_in(folder / name), folder / f"{name}.so"
    in_c = [row for row in rows if row["target"] == "c"]
    files = [row["file"] for row in in_c]
    run(folder / name, "gcc", "-std=c11", "-O1", *WARNINGS, "-shared", "-fPIC", *files, "-o", made)
    for row in rows:
        if row["target"] == "rust":
            run(folder / name, "rustc", *RUST, "--out-dir", folder / "rust", row["file"])
    check_calls(case, made, in_c, Field(case.p, word))


def check_calls(case: Case, library: Path, rows: list[dict[str, Any]], f: Field) -> None:
    """Every kernel that this processor has the instructions for."""
    functions = ctypes.CDLL(str(library))
    for row in rows:
        if not missing(tuple(row["needs"])):
            check_kernel(case, functions[row["symbol"]], row, f)


def check_kernel(case: Case, function: Any, row: dict[str, Any], f: Field) -> None:
    """One kernel on edges and random operands; the result stands where no operand is."""
    kernel = named_kernel(row["op"], row["algorithm"])
    limb = ctypes.c_uint64 if f.word == 64 else ctypes.c_uint32
    for values in cases(kernel, f, CALLS, case.seed):
        sizes = [
            2 * f.n if of["values"] == 2 or row["op"] == "redc" else f.n for of in row["operands"]
        ]
        operands = [
            (limb * size)(*(v >> f.word * i & f.base - 1 for i in range(size)))
            for v, size in zip(values, sizes, strict=True)
        ]
        z = (limb * f.n)()
        function(z, *operands)
        found = sum(word << f.word * i for i, word in enumerate(z))
        if found != (wanted := expected(row["op"], f, *values)):
            raise Finding(f"{row['symbol']}{values} is {found}, not {wanted}")


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """The kernels that a build's manifest lists."""
    rows: list[dict[str, Any]] = json.loads((folder / "manifest.json").read_text())["kernels"]
    return rows
