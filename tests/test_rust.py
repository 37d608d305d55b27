"""Printed Rust: every operation has a form, it compiles without a warning, and it computes."""

from __future__ import annotations

import ctypes
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sampling import sampled
from test_c import PRIMES, check_library, expressions

from fieldc.algorithms import KERNELS, choose
from fieldc.catalogue import find_field, named_primes
from fieldc.field import Field
from fieldc.language import BoundError, Expression, Kernel
from fieldc.machine.processor import is_x86_64, missing
from fieldc.packages.rust.text import constant
from fieldc.targets.rust.flat import FORMS, HELPERS, ROWS, print_rust
from fieldc.targets.rust.intrinsics import INTRINSICS, features_of
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.targets.source import WordSizeError
from fieldc.words.loops import has_loops
from fieldc.words.lower import lower
from fieldc.words.operations import OPERATIONS

RUSTC = shutil.which("rustc")
needs_rustc = pytest.mark.skipif(
    RUSTC is None, reason="rustc is not installed: Rust is only printed"
)
HEAD = "#![deny(warnings)]\n#![allow(clippy::all)]\n"
Printer = Callable[[Expression, str], str]


def flat(expression: Expression, name: str) -> str:
    return print_rust(lower(expression, ROWS), name, expression)


def intrinsics(expression: Expression, name: str) -> str:
    return print_rust(lower(expression, ROWS), name, expression, INTRINSICS)


@pytest.mark.parametrize("printer", [flat, intrinsics, print_rust_looped])
def test_rustdoc_finds_no_link_in_a_contract(printer: Printer) -> None:
    expression = choose(find_field("bn254-p"), "sum_of_products", "cios")
    lines = [s for s in printer(expression, "kernel").splitlines() if s.startswith("/// ")]
    assert any("x\\[0\\]\\*y\\[0\\]" in line for line in lines)
    assert not any(re.search(r"(?<!\\)[][]", line) for line in lines)


def exported(symbol: str, expression: Expression, printer: Printer) -> str:
    """The printed function in a module of its own, and a C function that calls it."""
    word, f = f"u{expression.field.word}", expression.field
    named = [(name, bound.width(f)) for name, bound in expression.kernel.operands]
    operands = "".join(f", {name}: &[{word}; {count}]" for name, count in named)
    names = ", ".join(name for name, _ in named)
    return (
        f"mod {symbol} {{\n{printer(expression, 'kernel')}}}\n#[allow(unused_unsafe)]\n"
        f'#[no_mangle]\npub extern "C" fn {symbol}(z: &mut [{word}; {f.n}]{operands}) {{\n'
        f"    *z = unsafe {{ {symbol}::kernel({names}) }};\n}}\n"
    )


def compile_rust(
    folder: Path, kernels: list[tuple[str, Expression]], *flags: str, printer: Printer = flat
) -> Path:
    """Compile the kernels into a library (or what the flags say); any warning fails."""
    assert RUSTC is not None
    (folder / "kernels.rs").write_text(HEAD + "\n".join(exported(*k, printer) for k in kernels))
    command = [RUSTC, "--edition", "2021", "-O", "-C", "panic=abort", "--crate-type", "cdylib"]
    out = folder / "kernels.out"
    done = subprocess.run(
        [*command, *flags, "kernels.rs", "-o", str(out)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_every_operation_has_a_form():
    assert set(FORMS) == set(OPERATIONS)


def test_a_header_says_what_the_kernel_promises():
    field = Field(named_primes()["bn254-p"].p, name="bn254-p")
    text = print_rust(lower(expression := choose(field, "mul"), ROWS), "mul", expression)
    assert f"/// bn254-p: p = {field.p:#x}, R = 2^256.\n" in text
    assert "/// Needs x < p and y < p; the result is < p.\n" in text
    assert "pub fn mul(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {" in text
    assert "unsafe" not in text


@pytest.mark.parametrize("operation", dict.fromkeys(kernel.operation for kernel in KERNELS))
def test_no_constant_function_calls_black_box(operation):
    """Before Rust 1.86 it may not."""
    for prime in ("2^255-19", "2^256-189", "7"):
        text = print_rust(lower(choose(find_field(prime), operation), ROWS), operation)
        for function in text.split("\n}\n"):
            opaque = ("black_box(", " mask(")
            assert "const fn" not in function or not any(one in function for one in opaque)


def test_a_program_alone_prints_too():
    assert "/// add of x of 1 words and y of 1 words, 32 bits each.\n" in print_rust(
        lower(choose(Field(7, 32), "add")), "add"
    )


def test_a_word_that_rust_lacks_is_refused():
    with pytest.raises(WordSizeError, match="Rust has no 8-bit words; use 64 or 32"):
        print_rust(lower(choose(Field(13, 8), "add")), "add")


def test_intrinsics_call_the_same_helpers():
    assert set(INTRINSICS.helpers) | {"mac"} == set(HELPERS)


def test_intrinsics_say_what_they_need():
    for operation, needs in (("mul", ("bmi2",)), ("add", ())):
        program = lower(choose(Field(PRIMES[0]), operation), ROWS)
        text = print_rust(program, operation, flavour=INTRINSICS)
        assert features_of(program) == needs
        assert ('#[target_feature(enable = "bmi2")]\npub fn' in text) == bool(needs)
        assert "unsafe" not in text


def computes(
    folder: Path, word: int, printer: Printer, kernels: list[tuple[str, Expression]]
) -> None:
    """Compile the kernels and compare them with their texts on Python's integers."""
    loaded = ctypes.CDLL(str(compile_rust(folder, kernels, printer=printer)))
    check_library(loaded, word, kernels)


@needs_rustc
@pytest.mark.parametrize("word", sampled([64], [32]))
def test_rust_computes(word: int, tmp_path: Path):
    computes(tmp_path, word, flat, expressions(word))


@needs_rustc
@pytest.mark.parametrize("word", [64, 32])
def test_loops_compute(word: int, tmp_path: Path):
    computes(tmp_path, word, print_rust_looped, expressions(word) + other_algorithms(word))


@needs_rustc
@pytest.mark.skipif(
    not is_x86_64() or bool(missing(("bmi2",))), reason="this processor has no BMI2"
)
@pytest.mark.parametrize("word", [64, 32])
def test_intrinsics_compute(word: int, tmp_path: Path):
    computes(tmp_path, word, intrinsics, expressions(word)[:40])


def other_algorithms(word: int) -> list[tuple[str, Expression]]:
    """Every algorithm of every operation that has a looped form, over two primes."""
    fields = [Field(p, word) for p in (PRIMES[0], PRIMES[3])]
    found = [(k, f) for k in KERNELS for f in fields if applies(k, f)]
    return [(f"other_{i}_{k.operation}", k.expression(f)) for i, (k, f) in enumerate(found)]


def applies(kernel: Kernel, field: Field) -> bool:
    try:
        return has_loops(kernel.expression(field))
    except BoundError:
        return False


@needs_rustc
@pytest.mark.skipif(platform.machine() != "x86_64", reason="knows the jumps of x86-64 only")
@pytest.mark.parametrize("printer", [flat, intrinsics])
def test_no_kernel_branches(printer: Printer, tmp_path: Path):
    assembly = compile_rust(
        tmp_path, expressions(64)[:36], "--emit", "asm", printer=printer
    ).read_text()
    assert ("mulxq" if printer is intrinsics else "mulq") in assembly
    assert not [line for line in assembly.splitlines() if line.lstrip().startswith("j")]


def test_halves_of_constants_are_expressions_of_rust():
    assert constant("n0.low") == ("n0_low", "M::N0 & 0xffff_ffff")
    assert constant("p[3].high") == ("p3_high", "M::P[3] >> 32")
