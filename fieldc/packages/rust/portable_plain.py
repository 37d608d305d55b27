"""The crate's portable products of plain residues: straight-line Rust for each named prime.

The loops of `plain.rs`, for any prime, multiply for squares and fold twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.portable_body import RowBody
from fieldc.targets.header import contract, field_symbol
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.rust.flat import Flavour, rust_function
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice

ALGORITHM = "next-multiple"
"""That with the fewest steps, where its bounds hold: 163 instructions for a product modulo
secp256k1's p, 200 by the fold of `plain.rs` (x86-64 without BMI2)."""
OPERATIONS = {"mul": "mul_plain", "square": "square_plain"}


def plain_products(fields: Iterable[Field], flavour: Flavour, rows: RowChoice) -> str:
    """A function for each product and prime, and for each product a macro that calls one.

    A prime is named by its place in `PLAIN`.
    """
    primes = [*fields]
    functions = [
        _function(choose(f, operation, ALGORITHM), flavour, rows)
        for f in primes
        for operation in OPERATIONS.values()
    ]
    return "\n".join((*functions, *(_macro(part, primes) for part in OPERATIONS)))


def _function(expression: Expression, flavour: Flavour, rows: RowChoice) -> str:
    program = lower(expression, rows)
    name = f"{expression.kernel.operation}_{field_symbol(expression.field)}"
    text = rust_function(program, name, None, flavour, RowBody(program, flavour)).text
    head = flavour.head(set())
    _, _, rest = text.partition(head)
    says = rust_doc(f"{expression.kernel.operation}: {contract(expression)}.")
    return f"/// {says}\n{head}{rest}"


def _macro(part: str, primes: list[Field]) -> str:
    operands = ("x", "y") if part == "mul" else ("x",)
    taken = ", ".join(f"${name}:expr" for name in operands)
    given = ", ".join(f"same(${name})" for name in operands)
    indent = " " * 12
    rows = "".join(
        f"{indent}{place} => Some(*same(&flat::{OPERATIONS[part]}_{field_symbol(f)}({given}))),\n"
        for place, f in enumerate(primes)
    )
    none = "let _: u8 = $place;\n        None"  # the place is read, so that nothing is unused
    chosen = f"match $place {{\n{rows}            _ => None,\n        }}" if primes else none
    return f"""/// What the function for the prime of a place makes, if there is one.
macro_rules! {part}_plain {{
    ($place:expr, {taken}) => {{{{
        {chosen}
    }}}};
}}
pub(crate) use {part}_plain;
"""
