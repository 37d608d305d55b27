"""docs/targets.md: what the Rust crate executes on AArch64, with assembly and in portable Rust.

python -m fieldc.lab.emulated_counts

Needs qemu-aarch64, ld.lld, and rustup's target aarch64-unknown-linux-musl. An emulator that logs
every instruction runs crates/fieldc/examples/turns.rs twice; the difference is that of the turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

from fieldc.catalogue import find_field
from fieldc.files import temporary_folder
from fieldc.lab.page_tables import replaced, rewrite, table
from fieldc.program import module

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "targets.md"
COMMAND = "python -m fieldc.lab.emulated_counts"
FIELDS = ("bls12-381-p", "bn254-p", "bls12-381-r", "secp256k1-p")
OPERATIONS = ("mul", "square", "add", "sub")
COLUMNS = ("field", "limbs", "op", "assembly", "portable", "ratio")
TARGET = "aarch64-unknown-linux-musl"
LINKER = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}_LINKER"
TURNS = (100, 200)


def program(folder: Path, features: str) -> Path:
    """The example, compiled for AArch64."""
    command = ["cargo", "build", "--quiet", "--release", "--example", "turns", "--target", TARGET]
    command += ["--target-dir", str(folder), "--features", features]
    made = os.environ | {LINKER: "rust-lld"}
    subprocess.run(command, cwd=ROOT / "crates" / "fieldc", env=made, check=True)
    return folder / TARGET / "release" / "examples" / "turns"


def executed(made: Path, field: str, operation: str) -> int:
    """The instructions of one turn."""
    counts = []
    for turns in TURNS:
        log = made.with_name("log")
        command = ["qemu-aarch64", "-singlestep", "-d", "nochain,exec", "-D", str(log)]
        subprocess.run([*command, str(made), field, operation, str(turns)], check=True)
        counts.append(log.read_bytes().count(b"Trace "))
    return round((counts[1] - counts[0]) / (TURNS[1] - TURNS[0]))


def figures() -> str:
    """The figures as a table of a page."""
    rows: list[tuple[object, ...]] = []
    with temporary_folder() as folder:
        assembly, portable = (
            program(folder / (features or "assembly"), features) for features in ("", "portable")
        )
        for field, operation in product(FIELDS, OPERATIONS):
            ours, theirs = (executed(made, field, operation) for made in (assembly, portable))
            ratio = f"{ours / theirs:.2f}"
            rows.append((field, find_field(field).n, operation, ours, theirs, ratio))
    return table(COLUMNS, rows)


def page(text: str) -> str:
    """A page with its table made again."""
    return replaced(text, COMMAND, lambda _: figures())


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.emulated_counts", lambda: rewrite(PAGE, page), __doc__))
