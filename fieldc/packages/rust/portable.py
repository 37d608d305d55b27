"""The crate's portable products for some numbers of limbs: straight-line Rust, from the words.

Other numbers of limbs have loops. What the code takes, with arkworks 0.5 as 1.00, on Emerald Rapids
without BMI2, as latency, throughput, operands by value: before, and with these rows, hidden limbs
of p and results that are copied limb by limb (`machine/portable.rs`).

| field | op | before | now |
|---|---|---|---|
| bn254-p | mul | 1.56, 1.03 | 1.08, 1.00 |
| bn254-p | square | 1.52, 0.96 | 1.04, 0.94 |
| bls12-381-p | mul | 1.19, 0.98 | 1.01, 1.06 |
| bls12-381-p | square | 1.23, 0.99 | 0.99, 0.92 |

arkworks branches on its last comparison, so the processor guesses it and starts the next product;
ours is a select, which the next product waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.packages.rust.classes import (
    FULL,
    LAZY_CLASSES,
    NEAR,
    SPARE,
    PrimeClass,
    class_expressions,
    class_words,
)
from fieldc.targets.header import contract
from fieldc.targets.rust.flat import HELPERS, Flavour, rust_function
from fieldc.words.program import Value
from fieldc.words.rows import RowChoice, RowStyle

LIMBS = (4, 6)
"""What most curves have. Each number costs a thousand lines."""
SERVED = (SPARE, NEAR, FULL)
"""The classes of canonical values: those without a kernel of their own take that of SPARE."""
ROWS = RowChoice(RowStyle.TWO_SUMS)
"""What is the fastest where the limbs of p are loaded, not known."""
HEADER = "#[inline(always)]\npub(crate) fn"
HEAD = """use crate::limbs::{adc, mac, sbb};
use crate::portable::runtime_mask as mask;

/// a * b as its low and high half.
#[inline(always)]
fn mul_wide(a: u64, b: u64) -> (u64, u64) {
    mac(0, a, b, 0)
}

/// a where the mask is ones, b where it is 0.
#[inline(always)]
fn select(mask: u64, a: u64, b: u64) -> u64 {
    b ^ (mask & (a ^ b))
}
"""


def portable_products() -> str:
    """The module after its header."""
    return "\n".join((HEAD, *(text for limbs in LIMBS for text in _functions(limbs))))


def _functions(limbs: int) -> Iterator[str]:
    lazy = [c for c in LAZY_CLASSES if any(algorithm == "cios" for _, algorithm in c.algorithms)]
    for prime_class in (*SERVED, *lazy):
        if limbs in prime_class.limbs:
            yield from _of_class(prime_class, limbs)


def _of_class(prime_class: PrimeClass, limbs: int) -> Iterator[str]:
    constants = f"p: &[u64; {limbs}], n0: u64"
    flavour = Flavour(HELPERS, ("false", "true"), lambda _: HEADER, _constant, constants)
    for expression in class_expressions(prime_class, limbs):
        operation = expression.kernel.operation
        # Of values below 2p each operation has one class here.
        of = "" if prime_class in LAZY_CLASSES else f"_{prime_class.name}"
        program = class_words(expression, ROWS)
        text = rust_function(program, f"{operation}{of}_{limbs}", None, flavour).text
        _, head, rest = text.partition(HEADER)
        says = f"/// {operation}: {contract(expression)}. The class: {prime_class.says}."
        yield f"{says}\n{head}{rest}"


def _constant(value: Value) -> str:
    """A constant as a parameter has it: `p[3]`, `n0`. Of R - p with one limb that limb is -p[0]."""
    return "p[0].wrapping_neg()" if value.name == "complement[0]" else value.name
