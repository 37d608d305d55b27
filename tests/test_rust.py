"""Printed Rust: every operation has a form, it compiles without a warning, and it computes."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from test_c import edge_values, number, traces, words

from fieldc.algorithms import choose
from fieldc.backends.rust import FORMS, ROWS, print_rust
from fieldc.backends.source import WordSizeError
from fieldc.catalogue import named_primes
from fieldc.field import Field
from fieldc.language import Trace
from fieldc.words.lower import lower
from fieldc.words.operations import OPERATIONS

RUSTC = shutil.which("rustc")
needs_rustc = pytest.mark.skipif(
    RUSTC is None, reason="rustc is not installed: Rust is only printed"
)
HEAD = "#![deny(warnings)]\n#![allow(clippy::all)]\n"


def exported(symbol: str, trace: Trace) -> str:
    """The printed function in a module of its own, and a C function that calls it."""
    program = lower(trace, ROWS)
    word = f"u{program.word}"
    operands = "".join(f", {name}: &[{word}; {count}]" for name, count in program.operands)
    names = ", ".join(name for name, _ in program.operands)
    result = f"[{word}; {len(program.results)}]"
    return (
        f"mod {symbol} {{\n{print_rust(program, 'kernel', trace)}}}\n"
        f'#[no_mangle]\npub extern "C" fn {symbol}(z: &mut {result}{operands}) {{\n'
        f"    *z = {symbol}::kernel({names});\n}}\n"
    )


def compile_rust(folder: Path, kernels: list[tuple[str, Trace]], *flags: str) -> Path:
    """Compile the kernels into a library (or what the flags say); any warning fails."""
    assert RUSTC is not None
    (folder / "kernels.rs").write_text(HEAD + "\n".join(exported(*k) for k in kernels))
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
    text = print_rust(lower(trace := choose(field, "mul"), ROWS), "mul", trace)
    assert f"/// bn254-p: p = {field.p:#x}, R = 2^256.\n" in text
    assert "/// Needs x < p and y < p; the result is < p.\n" in text
    assert "pub const fn mul(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {" in text
    assert "unsafe" not in text


def test_a_program_alone_prints_too():
    assert "/// add of x of 1 words and y of 1 words, 32 bits each.\n" in print_rust(
        lower(choose(Field(7, 32), "add")), "add"
    )


def test_a_word_that_rust_lacks_is_refused():
    with pytest.raises(WordSizeError, match="Rust has no 8-bit words; use 64 or 32"):
        print_rust(lower(choose(Field(13, 8), "add")), "add")


@needs_rustc
@pytest.mark.parametrize("word", [64, 32])
def test_rust_computes(word: int, tmp_path: Path):
    kernels = traces(word)
    loaded = ctypes.CDLL(str(compile_rust(tmp_path, kernels)))
    for symbol, trace in kernels:
        counts = [bound.width(trace.field) for _, bound in trace.kernel.operands]
        for values in edge_values(trace, seed=1):
            z = words(0, word, trace.field.n)
            loaded[symbol](z, *(words(v, word, c) for v, c in zip(values, counts, strict=True)))
            assert number(z, word) == trace.kernel.run(trace.field, *values), (symbol, values)


@needs_rustc
@pytest.mark.skipif(platform.machine() != "x86_64", reason="knows the jumps of x86-64 only")
def test_no_kernel_branches(tmp_path: Path):
    assembly = compile_rust(tmp_path, traces(64)[:36], "--emit", "asm").read_text()
    assert "mulq" in assembly
    assert not [line for line in assembly.splitlines() if line.lstrip().startswith("j")]
