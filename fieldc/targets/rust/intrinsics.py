"""Prints word programs as Rust that calls x86-64's instructions by name: mulx, adc and sbb.

The same lines as those of the portable text, from the same rows; only the helpers differ. A flag is
a byte, as the functions of `core::arch` take it. rustc -O (1.95, LLVM 22) makes 420 instructions of
BLS12-381 p, mul, cios; 451 of the portable text with bmi2 and adx; other rows give no fewer.
"""

from __future__ import annotations

from fieldc.targets.rust.flat import HELPERS, Flavour
from fieldc.words.program import Program

_HELPERS = {
    "adc": """
/// a + b + carry, and the carry out.
#[inline(always)]
fn adc(a: u64, b: u64, carry: u8) -> (u64, u8) {
    let mut sum = 0;
    let carry = core::arch::x86_64::_addcarry_u64(carry, a, b, &mut sum);
    (sum, carry)
}
""",
    "sbb": """
/// a - b - borrow, and the borrow out.
#[inline(always)]
fn sbb(a: u64, b: u64, borrow: u8) -> (u64, u8) {
    let mut difference = 0;
    let borrow = core::arch::x86_64::_subborrow_u64(borrow, a, b, &mut difference);
    (difference, borrow)
}
""",
    "mul_wide": """
/// a * b as its low and high half.
#[inline]
#[target_feature(enable = "bmi2")]
fn mul_wide(a: u64, b: u64) -> (u64, u64) {
    let mut high = 0;
    let low = core::arch::x86_64::_mulx_u64(a, b, &mut high);
    (low, high)
}
""",
    "mask": HELPERS["mask"].replace("flag: bool", "flag: u8"),
    "select": HELPERS["select"],
}


def _head(helpers: set[str]) -> str:
    needs = '#[target_feature(enable = "bmi2")]\n' if "mul_wide" in helpers else ""
    return f"{needs}pub fn"


INTRINSICS = Flavour(_HELPERS, ("0", "1"), _head)
"""For x86-64. A function with products may be called where BMI2 is known to be there."""


def features_of(program: Program) -> tuple[str, ...]:
    """Return the processor features that a program's function needs."""
    return ("bmi2",) if program.count("mul") else ()
