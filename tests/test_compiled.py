"""Printed C and Rust of random primes: every algorithm compiles without a warning and computes."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from primes import cases, expressions_of, random_field
from test_c import FLAGS, GCC, needs_gcc, number, words
from test_rust import HEAD, RUSTC, flat, intrinsics, needs_rustc

from fieldc.algorithms import FUSED, KERNELS, STUDIED
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.processor import is_x86_64, missing
from fieldc.targets.c.print import ROWS, c_function, c_prelude
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.words.loops import has_loops
from fieldc.words.lower import lower

KNOWN = tuple(Field(2**128 - c, word) for c in (159, 173) for word in (64, 32))
"""Fields whose C once did not compile: a value had a helper's name."""
NAMED = (Field(0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47),)
"""BN254, of which one looped algorithm did not compile."""


def drawn(count: int, low: int, high: int) -> tuple[Field, ...]:
    """Random fields of low to high bits, of both word sizes, the same in every run."""
    rng = random.Random(f"compiled {count} {low} {high}")
    return tuple(
        random_field(i, rng.choice((64, 32)), rng.randint(low, high)) for i in range(count)
    )


FEW = (*KNOWN, *NAMED, *drawn(4, 4, 200))
MANY = drawn(8, 3, 420)
FIELDS = [
    *(pytest.param(f, id=f"{f.p:#x}-{f.word}") for f in FEW),
    *(pytest.param(f, id=f"{f.p:#x}-{f.word}", marks=pytest.mark.full) for f in MANY),
]


def kernels(f: Field) -> list[tuple[str, Expression]]:
    """Every algorithm whose bounds hold, with a symbol."""
    found = expressions_of((*KERNELS, *FUSED, *STUDIED), f)
    return [(f"kernel_{i}_{t.kernel.operation}", t) for i, t in enumerate(found)]


def compiled(folder: Path, text: str, suffix: str, *command: str) -> ctypes.CDLL:
    """A library of a text; any warning fails."""
    (folder / f"kernels{suffix}").write_text(text)
    whole = [*command, f"kernels{suffix}", "-o", "kernels.out"]
    done = subprocess.run(whole, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(folder / "kernels.out"))


def computes(loaded: ctypes.CDLL, f: Field, some: list[tuple[str, Expression]]) -> None:
    """Compare compiled kernels with their texts on Python's integers."""
    for symbol, expression in some:
        kernel = expression.kernel
        widths = [bound.width(f) for _, bound in kernel.operands]
        for values in cases(kernel, f, 4):
            z = words(0, f.word, kernel.result.width(f))
            given = (words(v, f.word, w) for v, w in zip(values, widths, strict=True))
            loaded[symbol](z, *given)
            assert number(z, f.word) == kernel.run(f, *values), (symbol, kernel.algorithm, values)


@needs_gcc
@pytest.mark.parametrize("f", FIELDS)
@pytest.mark.sweep(1)
def test_c_of_every_algorithm(f: Field, tmp_path: Path) -> None:
    some = kernels(f)
    programs = [(lower(expression, ROWS), symbol, expression) for symbol, expression in some]
    text = c_prelude(f.word) + "\n".join(c_function(*each) for each in programs)
    assert GCC is not None
    loaded = compiled(tmp_path, text, ".c", GCC, *FLAGS, "-O0", "-shared", "-fPIC")
    computes(loaded, f, some)


def exported(symbol: str, expression: Expression, text: str) -> str:
    """A printed kernel in a module of its own, and a C function that calls it."""
    f, kernel = expression.field, expression.kernel
    word = f"u{f.word}"
    operands = "".join(f", {name}: &[{word}; {bound.width(f)}]" for name, bound in kernel.operands)
    names = ", ".join(name for name, _ in kernel.operands)
    return (
        f"mod {symbol} {{\n{text}}}\n#[allow(unused_unsafe)]\n#[no_mangle]\n"
        f'pub extern "C" fn {symbol}(z: &mut [{word}; {kernel.result.width(f)}]{operands}) {{\n'
        f"    *z = unsafe {{ {symbol}::kernel({names}) }};\n}}\n"
    )


FLAVOURS: dict[str, Callable[[Expression, str], str]] = {
    "flat": flat,
    "intrinsics": intrinsics,
    "looped": print_rust_looped,
}


@needs_rustc
@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("f", FIELDS)
@pytest.mark.sweep(5)
def test_rust_of_every_algorithm(f: Field, flavour: str, tmp_path: Path) -> None:
    if flavour == "intrinsics" and (not is_x86_64() or missing(("bmi2",))):
        pytest.skip("SKIPPED: this processor has no BMI2")
    some = [(s, t) for s, t in kernels(f) if flavour != "looped" or has_loops(t)]
    printer = FLAVOURS[flavour]
    text = HEAD + "\n".join(exported(s, t, printer(t, "kernel")) for s, t in some)
    assert RUSTC is not None
    options = ("--edition", "2021", "-C", "panic=abort", "--crate-type", "cdylib")
    computes(compiled(tmp_path, text, ".rs", RUSTC, *options), f, some)
