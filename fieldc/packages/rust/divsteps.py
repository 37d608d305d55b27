"""The texts of the crate's kernels of a batch of divsteps, which are the same for all primes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.packages.rust.aarch64_text import registers as arm_registers
from fieldc.packages.rust.called_inline import body_of
from fieldc.packages.rust.text import called, wrapped
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.targets.aarch64.divsteps import compile_divsteps_for_arm
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.x86_64.divsteps import OPERANDS, called_divsteps, ordered_name
from fieldc.targets.x86_64.timing.called import held_by

FILE = """use core::arch::asm;

use crate::machine::called;

{functions}"""
FUNCTION = """{says}
#[inline(always)]
pub(crate) fn {symbol}(zeta: i64, f: i64, g: i64) -> [i64; 5] {{
    let mut z = [0; 5];
    // SAFETY: {safe}
    unsafe {{
        asm!(
{called}{registers}{options}
        );
    }}
    z
}}
"""


def divsteps_text() -> str:
    """The kernel for x86-64 in each order of a step: words come and go in registers."""
    return FILE.format(functions="\n".join(map(_ordered, StepOrder)))


def _ordered(order: StepOrder) -> str:
    symbol, kernel = ordered_name(order), called_divsteps(DIVSTEP_MATRIX, order)
    operands = dict(zip(kernel.convention.arguments, OPERANDS, strict=False))
    return _function(
        symbol,
        "the kernel changes registers, flags and its own stack only.",
        called("call", symbol, body_of(kernel), {}, 0),
        _registers(held_by(kernel.returned), operands),
        "\n            options(pure, nomem),",
    )


def arm_divsteps_text() -> str:
    """The kernel for AArch64 as a Rust function: it takes addresses."""
    lines = "\n".join(compile_divsteps_for_arm().text())
    addresses = ("z.as_mut_ptr()", *(f"core::ptr::from_ref(&{name})" for name in OPERANDS))
    function = _function(
        DIVSTEP_MATRIX,
        "it reads the operands, writes z, and changes registers, flags and its own stack.",
        called("bl", DIVSTEP_MATRIX, lines, {}, 0),
        arm_registers(addresses),
    )
    return FILE.format(functions=function)


def _function(symbol: str, safe: str, call: str, held: Iterator[str], options: str = "") -> str:
    return FUNCTION.format(
        says="\n".join(f"/// {rust_doc(line)}" for line in wrap(f"{BATCH.says}.", 96)),
        symbol=symbol,
        safe=safe,
        called=call,
        registers=wrapped(held),
        options=options,
    )


def _registers(held: Mapping[str, int], operands: Mapping[str, str]) -> Iterator[str]:
    """What each register holds before and after, for inline assembly."""
    for register, word in held.items():
        after = f"z[{word}]" if word >= 0 else "_"
        if register in operands:
            yield f'inout("{register}") {operands[register]} => {after},'
        else:
            yield f'out("{register}") {after},'
