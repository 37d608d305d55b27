"""What `hidden` of the Rust crate hides: the value stays, and the compiler does not see it."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest
from crate_object import CRATE, FLAGS, host, rustc
from hypothesis import given
from hypothesis import strategies as st

TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "riscv64gc-unknown-linux-gnu")
CALLER = """
#[unsafe(no_mangle)] pub extern "C" fn any(value: u64, word: u64) -> u64 { hidden(value, word) }
#[unsafe(no_mangle)] pub extern "C" fn zero(word: u64) -> u64 { hidden(0, word) }
pub const SEVEN: u64 = hidden(7, u64::MAX);
const _: () = assert!(SEVEN == 7);
"""
WORDS = st.integers(0, 2**64 - 1)


def program(folder: Path) -> Path:
    """A source with the function as the crate has it, and callers."""
    text = (CRATE / "src" / "limbs.rs").read_text()
    found = re.search(r"^pub\(crate\) const fn hidden\b.*?^}$", text, re.M | re.S)
    assert found
    source = folder / "hidden.rs"
    source.write_text("#![no_std]\n" + found[0] + CALLER)
    return source


@pytest.mark.parametrize("target", TARGETS)
def test_the_compiler_does_not_know_the_identity(target: str, tmp_path: Path) -> None:
    """Else it would return 0 at once, and could make a branch of a mask."""
    if not Path(rustc("--target", target, "--print", "target-libdir").strip()).is_dir():
        pytest.skip(f"Rust's library for {target} is not installed")
    made = tmp_path / "hidden.s"
    kind = ("--crate-type", "rlib", "--target", target, f"--emit=asm={made}")
    rustc(*FLAGS, *kind, program(tmp_path))
    body = made.read_text().partition("\nzero:")[2].partition("\n.Lfunc_end")[0]
    products = re.findall(r"^\s+(?:i?mul|mulx|madd|msub|mneg)\w*\s", body, re.M)
    assert len(products) == 3, body


def test_the_value_is_the_same(tmp_path: Path) -> None:
    library = tmp_path / "libhidden.so"
    source = program(tmp_path)
    panics = "#[panic_handler] fn no(_: &core::panic::PanicInfo) -> ! { loop {} }\n"
    source.write_text(source.read_text() + panics)
    rustc(*FLAGS, "--crate-type", "cdylib", "--target", host(), source, "-o", library)
    hidden = ctypes.CDLL(str(library)).any
    hidden.argtypes, hidden.restype = (ctypes.c_uint64, ctypes.c_uint64), ctypes.c_uint64

    @given(WORDS, WORDS)
    def same(value: int, word: int) -> None:
        assert hidden(value, word) == value

    same()
