"""Generates our kernels on arrays of 32-bit words in crates/race: no package has them yet."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.algorithms.columns import ACCUMULATE, COLLECT, Columns
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.artifacts.arrays import made_array, made_sums
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.packages.checked_in import header
from fieldc.packages.rust.arrays import text_of
from fieldc.targets.avx512f.target import AVX512F
from fieldc.targets.header import field_symbol
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.offers import ARRAY

FIELDS = ("babybear", "koalabear", "mersenne31")
TARGET = AVX512F
LINE = 100 - len("    ) {")
"""Characters of a line in a module, up to the last operand."""
OPERANDS = {
    "mul": "z: *mut u32, x: *const u32, y: *const u32",
    ACCUMULATE: "t: *mut u64, x: *const u32, y: *const u32",
    COLLECT: "z: *mut u64, t: *const u64",
}
FUNCTION = """
/// {says}
///
/// # Safety
/// The processor has {needs}; the arrays are there.
#[unsafe(naked)]
{signature} {{
    core::arch::naked_asm!(
        r"
{lines}
",
        options(raw)
    )
}}
"""


def words_file(module: str) -> str:
    """A module for each field: products, and inner products in two columns."""
    modules = "\n".join(_module(find_field(name)) for name in FIELDS)
    return header("Our kernels on arrays of 32-bit words, for AVX-512 F.", module) + modules


def _module(named: Field) -> str:
    f = Field(named.p, HALF_BITS)
    sums = made_sums(TARGET, f)
    columns = next(each.kernel.columns for each in sums if each.kernel.columns)
    functions = [
        _function(name, each.kernel, each.said())
        for name, each in zip(OPERANDS, (made_array(TARGET, f, "mul", ARRAY), *sums), strict=True)
    ]
    body = "\n".join([_constants(f, columns), *functions])
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    return f"pub mod {field_symbol(named)} {{\n{lines}}}\n"


def _constants(f: Field, columns: Columns) -> str:
    rows: Sequence[tuple[str, str, str, int]] = (
        ("The modulus.", "P", "u32", f.p),
        (
            "Words of an inner product that is not reduced.",
            "COLUMNS",
            "usize",
            columns.count * BLOCK,
        ),
        ("The most terms of one.", "MOST", "usize", BLOCK * columns.terms * columns.turns),
    )
    return "\n".join(
        f"/// {says}\npub const {name}: {kind} = {value};" for says, name, kind, value in rows
    )


def _function(name: str, kernel: ArrayKernel, says: str) -> str:
    return FUNCTION.format(
        says=says,
        needs=" and ".join(kernel.target.features),
        signature=_signature(name),
        lines="\n".join(f"    {line}" for line in text_of(kernel).splitlines()),
    ).lstrip("\n")


def _signature(name: str) -> str:
    """As rustfmt has it: in one line if that is short enough."""
    head, operands = f'pub unsafe extern "sysv64" fn {name}(', f"count: usize, {OPERANDS[name]}"
    if len(head) + len(operands) <= LINE:
        return f"{head}{operands})"
    lines = "".join(f"    {each},\n" for each in operands.split(", "))
    return f"{head}\n{lines})"
