"""What a generated text says of its kernel: its name, what it promises, how to make it again."""

from __future__ import annotations

import hashlib

from fieldc.errors import printable
from fieldc.field import Field
from fieldc.language import Expression, Kernel
from fieldc.targets.choice import Choice
from fieldc.targets.extras import PLAIN, Extras

OWNERSHIP = "This text is yours, under any terms you choose; fieldc itself is MIT OR Apache-2.0."
"""Stands at the head of what users generate."""


def in_comment(text: str) -> str:
    """A text as a comment of C, Rust or JavaScript can have it: it neither ends one nor begins one.

    Compilers refuse characters there that change the direction of text; they are written out.
    """
    return printable(text).replace("*/", "* /").replace("/*", "/ *")


def contract(expression: Expression) -> str:
    """What a kernel needs and what it gives, on one line."""
    kernel = expression.kernel
    needs = ", ".join(f"{name} {bound.says}" for name, bound in kernel.operands)
    return f"{needs}; z = {kernel.computes.says}, z {kernel.result.says}"


def sharing(kernel: Kernel) -> str:
    """Return which buffers of a call may be the same, as one line."""
    *others, last = ("z", *(name for name, _ in kernel.operands))
    names = f"{', '.join(others)} and {last}"
    which = names if len(others) == 1 else f"any of {names}"
    return f"{which} may be the same buffer; they must not overlap in part"


def before_subtractions(expression: Expression) -> str:
    """How large a value is before it is reduced, and in how many subtractions that is done."""
    high, count = expression.field.in_p(expression.unreduced), expression.subtractions
    if count > 1:
        return f"before {count} subtractions, the last one of p, at most {high}"
    return f"before the last subtraction at most {high}"


def field_symbol(field: Field) -> str:
    """A part of a C name for a field: its name, or its size and a digest of its modulus."""
    if field.name:
        return field.name.replace("-", "_")
    digest = hashlib.sha256(hex(field.p).encode()).hexdigest()[:8]
    return f"p{field.bits}_{digest}"


def symbol_of(expression: Expression, variant: str) -> str:
    """The C name of a kernel."""
    return f"fieldc_{field_symbol(expression.field)}_{expression.kernel.operation}_{variant}"


def header(target: str, choice: Choice, convention: str, extras: Extras = PLAIN) -> tuple[str, ...]:
    """The lines that open a generated text: how to make it again, and what it promises."""
    expression, variant = choice.expression, choice.variant
    f, kernel = expression.field, expression.kernel
    words = ["fieldc build", f.name or hex(f.p)]
    words += [] if f.word == 64 else [f"--word {f.word}"]
    if not kernel.computes.formula:
        words += [f"--op {kernel.operation} --algorithm {kernel.algorithm}"]
    words += [f"--target {target}", *extras.options]
    extensions = " and ".join(variant.needs) or "no extension"
    return (
        " ".join((*words, *choice.options, "-o DIR")),
        f"p = {f.p:#x}",
        f"R = 2^{f.word * f.n}; {f.size}, least significant first",
        f"{kernel.operation} ({kernel.algorithm}): {contract(expression)}",
        before_subtractions(expression),
        f"variant {variant.name}; convention {convention}; needs {extensions}",
        *([f"chosen by {choice.chosen_by}"] if choice.chosen_by else []),
        sharing(kernel),
        OWNERSHIP,
    )
