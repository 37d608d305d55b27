"""The crate's portable products for some numbers of limbs: straight-line Rust, from the words.

Other numbers of limbs have loops. Cycles on Emerald Rapids without BMI2, latency | throughput with
moving operands, medians of 300 rounds in turns. A second run agreed within 1 %, within 3 % for the
square of 6 limbs; rows of secp256k1 are of one run. "Before" each row had a quotient:

| field | op | before | now | best peer | now by peer |
|---|---|---|---|---|---|
| bn254-p | mul | 69.2, 54.4 | 68.7, 53.0 | arkworks 0.6 64.3, 58.7 | 1.07, 0.90 |
| bn254-p | square | 61.7, 50.3 | 56.5, 45.3 | 0.5 58.2, 54.0 | 0.97, 0.84 |
| bls12-381-p | mul | 120.9, 117.5 | 120.6, 114.9 | 0.5 129.8, 120.9 | 0.93, 0.95 |
| bls12-381-p | square | 111.3, 99.2 | 99.9, 96.2 | 0.6 112 to 118, 111 to 117 | 0.87, 0.85 |
| bls12-381-r | mul | 71.5, 55.8 | as before | 0.6 70.9, 62.0 | 1.01, 0.90 |
| bls12-381-r | square | 66.3, 50.7 | 59.4, 49.1 | 0.5 68.4, 58.2 | 0.87, 0.84 |
| secp256k1-p | mul | 68.4, 50.0 | 50.4, 35.4 | k256 0.13 58.6, 49.5 | 0.86, 0.72 |
| secp256k1-p | square | 67.2, 48.6 | 48.2, 28.6 | 75.9, 46.7 | 0.64, 0.61 |

On Zen 4 products modulo bn254-p took 63.5, 52.2 ticks by rows of mu, and 53.6, 51.1 by
`last-difference` and in place. Since p is added under a mask they take 2 to 14 % less;
docs/races.md has more.

arkworks branches on its last comparison, so the processor guesses it and starts the next product;
ours waits for a mask. A result that is returned is copied once, which costs 4 cycles of latency. Of
all instructions 124 are moves, most of them around `mul`, which has fixed registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.packages.rust.classes import (
    COMPLEMENT,
    FOLD,
    FULL,
    LAZY_CLASSES,
    LAZY_FOLD,
    NEAR,
    SPARE,
    PrimeClass,
    class_expressions,
    class_words,
)
from fieldc.packages.rust.portable_body import RowBody, SignBody
from fieldc.packages.rust.portable_plain import plain_products
from fieldc.targets.header import contract
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.rust.flat import HELPERS, FlatBody, Flavour, rust_function
from fieldc.words.program import Program, Value
from fieldc.words.rows import RowChoice, RowStyle

LIMBS = (4, 6)
"""What most curves have. Each number costs a thousand lines."""
SERVED = (FOLD, COMPLEMENT, SPARE, NEAR, FULL)
"""The classes of canonical values: what they have no kernel for is that of SPARE."""
CONSTANTS = {
    FOLD: ("p", "mu"),
    LAZY_FOLD: ("p", "mu"),
    COMPLEMENT: ("p", "minus_mu", "fold_rest"),
}
"""Of classes whose limbs are read anew in each row. With a quotient in each row that is slower."""
SLOWER = {
    (COMPLEMENT, "mul", 4),
    (COMPLEMENT, "mul", 6),
    (FOLD, "mul", 4),
    (LAZY_FOLD, "mul_lazy", 4),
}
"""Those take longer than with a quotient in each row."""
DIFFERENCE = (SPARE, "mul")
"""Made by `last-difference`: no difference of its own follows the last row."""
ROWS = RowChoice(RowStyle.TWO_SUMS)
"""A row of x is whole before the sum waits for it: of all styles that has the least latency."""
HEADER = "#[inline(always)]\npub(crate) fn"
HEAD = """use crate::limbs::{adc, mac, sbb};
use crate::portable::{after, runtime_mask as mask, runtime_sign as sign};

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


def portable_products(plain: Iterable[Field] = ()) -> str:
    """The module after its header; the primes with plain residues have functions of their own."""
    flavour = Flavour(HELPERS, ("false", "true"), lambda _: HEADER)
    of_classes = (text for limbs in LIMBS for text in _functions(limbs))
    return "\n".join((HEAD, *of_classes, plain_products(plain, flavour, ROWS)))


def _functions(limbs: int) -> Iterator[str]:
    for prime_class in (*SERVED, *LAZY_CLASSES):
        if limbs in prime_class.limbs:
            yield from _of_class(prime_class, limbs)


def _of_class(prime_class: PrimeClass, limbs: int) -> Iterator[str]:
    constants = CONSTANTS.get(prime_class, ("p",))
    parameters = ", ".join((*(f"{name}: &[u64; {limbs}]" for name in constants), "n0: u64"))
    flavour = Flavour(HELPERS, ("false", "true"), lambda _: HEADER, _constant, parameters)
    for expression in class_expressions(prime_class, limbs):
        operation = expression.kernel.operation
        if (prime_class, operation, limbs) in SLOWER:
            continue
        is_difference = (prime_class, operation) == DIFFERENCE
        if is_difference:
            expression = choose(expression.field, operation, "last-difference")
        # Of values below 2p each operation has a class of one name here.
        name = f"{operation}_{prime_class.name.removeprefix('lazy_')}_{limbs}"
        program = class_words(expression, ROWS)
        body = SignBody(program, flavour) if is_difference else _body(prime_class, program, flavour)
        text = rust_function(program, name, None, flavour, body).text
        _, head, rest = text.partition(HEADER)
        says = rust_doc(f"{operation}: {contract(expression)}. The class: {prime_class.says}.")
        yield f"/// {says}\n{head}{rest}"


def _body(prime_class: PrimeClass, program: Program, flavour: Flavour) -> FlatBody:
    constants = CONSTANTS.get(prime_class)
    if constants is None:
        return FlatBody(program, flavour)
    return RowBody(program, flavour, arrays=("x", *constants))


def _constant(value: Value) -> str:
    """A constant as a parameter has it: `p[3]`, `n0`. Of R - p with one limb that limb is -p[0]."""
    return {
        "complement[0]": "p[0].wrapping_neg()",
        "p_inverse": "n0.wrapping_neg()",
    }.get(value.name, value.name)
