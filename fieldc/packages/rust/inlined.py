"""Kernels of one limb as inline assembly: operands, constants and result are in registers.

A call would cost more than such a kernel: it gives up every register, and operands and result go
through memory. The instructions are the compiler's. Which registers they work on is left to rustc,
but for those that a multiplication demands. The texts need no feature of the processor, so nothing
is asked before they run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from fieldc.algorithms.shapes import shift_of_quotient, shifted_quotient
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.classes import (
    CLASSES,
    LAZY_CLASSES,
    SPARE,
    PrimeClass,
    class_expressions,
    class_of,
    class_words,
    kernels_of,
    lazy_class_of,
)
from fieldc.packages.rust.text import array, constant, signature, wrapped
from fieldc.targets.aarch64 import in_registers as arm
from fieldc.targets.aarch64.in_registers import ArmInlineCode
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.in_registers import InlineCode, compile_in_registers
from fieldc.targets.x86_64.print import LOW_HALF
from fieldc.words.carries import differences_as_sums
from fieldc.words.lower import constant_names
from fieldc.words.operations import MUL

LIMBS = range(1, 2)
"""Numbers of limbs whose kernels are inlined."""
VARIANT = "base"
"""By `mul`, which every processor has: of one limb it is as fast as `mulx`, and needs no move."""
SHIFT = re.compile(r"(?<=shl |shr )(.*, )(\d+)$|(?<=lsl |lsr )(#)(\d+)$")
RegisterCode = InlineCode | ArmInlineCode
IMPORTS = """use core::arch::asm;

use crate::machine::{inlined, lazy_inlined};
use crate::modulus::Modulus;
"""
KERNEL = """
/// {says}; {algorithm}.
#[inline(always)]
{signature} {{
    let z0;
    // SAFETY: it changes the named registers and flags only.
    unsafe {{
        asm!(
{lines}
{operands}
            options(pure, nomem, nostack),
        );
    }}
    [z0]
}}
"""


def class_code(prime_class: PrimeClass, expression: Expression) -> InlineCode:
    """The code of a kernel for all primes of a class."""
    choices = VARIANTS[VARIANT]
    program = class_words(expression, choices.rows)
    if not any(step.operation is MUL for step in program.steps):
        program = differences_as_sums(program, constant_names(expression.field))
    return compile_in_registers(program, choices)


def arm_class_code(_: PrimeClass, expression: Expression) -> ArmInlineCode:
    """The same for AArch64."""
    return arm.compile_in_registers(lambda rows: class_words(expression, rows))


Compiler = Callable[[PrimeClass, Expression], RegisterCode]


def inlined_module(limbs: int, compiled: Compiler = class_code) -> str:
    """A module after its header: which class takes which kernel, and their texts."""
    return "".join((IMPORTS, *inlined_texts(limbs, compiled)))


def inlined_texts(limbs: int, compiled: Compiler) -> Iterator[str]:
    """The dispatch of every class with so many limbs, and its kernels."""
    for family in (CLASSES, LAZY_CLASSES):
        for number, of in enumerate(family):
            if limbs not in of.limbs:
                continue
            yield f"\n// {of.name}: {of.says}.\n"
            yield inlined_dispatch(limbs, number, taken(of, limbs), family is LAZY_CLASSES)
            for expression in class_expressions(of, limbs):
                code = compiled(of, expression)
                shift = "M::QUOTIENT_SHIFT" if of.shifted else ""
                yield inlined_text(code, expression, symbol(expression, of.suffix), shift)


def taken(prime_class: PrimeClass, limbs: int) -> dict[str, str]:
    """The function of each operation for the primes of a class."""
    found = {op: f"{op}_{c.suffix}" for op, c in kernels_of(prime_class, limbs).items()}
    if prime_class in LAZY_CLASSES:  # those of canonical values, with 2p for p
        sums = kernels_of(SPARE, limbs)
        found |= {op: f"{op}_{sums[op].suffix}" for op in ("add", "sub")}
    return found


def inlined_claims(f: Field) -> Iterator[tuple[str, str, int]]:
    """The functions that a prime takes: what each computes, and which multiple stands for p.

    Of values below 2p that multiple is 2 for sums and differences.
    """
    for of in filter(None, (class_of(f), lazy_class_of(f))):
        for operation, name in taken(of, f.n).items():
            is_doubled = of in LAZY_CLASSES and not operation.endswith("_lazy")
            yield name, f"{operation}_lazy" if is_doubled else operation, 1 + is_doubled


def symbol(expression: Expression, suffix: str) -> str:
    """The name of a kernel's function."""
    return f"{expression.kernel.operation}_{suffix}"


def inlined_dispatch(limbs: int, number: int, names: Mapping[str, str], is_lazy: bool) -> str:
    """Which kernels run for a class, by its number."""
    order = ("mul", "sum_of_products", "square", "add", "sub", "reduce")
    plain = {operation.removesuffix("_lazy"): name for operation, name in names.items()}
    rows = "".join(f"    {op}: {plain[op]};\n" for op in order if op in plain)
    return f"{'lazy_' * is_lazy}inlined! {{ {limbs}, {number}:\n{rows}}}\n"


def inlined_text(
    code: RegisterCode, expression: Expression, name: str, shift: str = "", numbers: bool = False
) -> str:
    """A kernel as a function of a modulus and its operands.

    `shift` is what stands for the shift of the quotient in Rust, if it is not a number. Constants
    are those of the modulus, or `numbers`.
    """
    kernel, n = expression.kernel, expression.field.n
    names = _names(code)
    lines, shifts = _shifted(_lines(code, names), expression.field if shift else None)
    says = " ".join(kernel.source.splitlines()[0].rstrip(".").split()).split(":")[0]
    arguments = [f"{x}: &{array(bound.count, n)}" for x, bound in kernel.operands]
    counts = {x: bound.count for x, bound in kernel.operands}
    known = {word: f"{value:#x}_u64" for word, value in code.constants if numbers}
    return KERNEL.format(
        says=rust_doc(says),
        algorithm=kernel.algorithm,
        signature=signature(f"fn {name}<M: Modulus<{n}>>", arguments, f"[u64; {n}]"),
        lines="\n".join(f'            "{line}",' for line in lines),
        operands=wrapped(
            [
                *(f"{word} = const {value(shift)}," for word, value in shifts.items()),
                *_operands(code, names, lambda word: known.get(word) or _value(word, counts, n)),
            ]
        ),
    )


def _names(code: RegisterCode) -> dict[str, str]:
    """What stands for each register that another compiler chooses."""
    words = {register: constant(word)[0] for word, register in code.incoming.items()}
    others = sorted(code.written - words.keys() - code.fixed)
    words |= {register: f"t{i}" for i, register in enumerate(others)}
    return {register: name for register, name in words.items() if register not in code.fixed}


def _lines(code: RegisterCode, names: Mapping[str, str]) -> list[str]:
    """The instructions with names for registers."""
    found = {register: f"{{{name}}}" for register, name in names.items()}
    halves = {r: LOW_HALF[r] for r in names if r in LOW_HALF}
    found |= {half: f"{{{names[register]}:e}}" for register, half in halves.items()}
    register = re.compile(r"\b(" + "|".join(found) + r")\b")
    return [register.sub(lambda m: found[m[1]], line) for line in code.lines]


Shifts = dict[str, Callable[[str], str]]


def _shifted(lines: Sequence[str], f: Field | None) -> tuple[list[str], Shifts]:
    """The lines with names for the shifts of a class, and what each name stands for."""
    if f is None or not shifted_quotient(f).applies:
        return [*lines], {}
    k = shift_of_quotient(f)
    words = {f"{k}": "k", f"{f.word - k}": "rest"}
    found = [
        SHIFT.sub(lambda m: f"{m[1] or m[3]}{{{words[m[2] or m[4]]}}}", line) for line in lines
    ]
    return found, {"k": lambda shift: shift, "rest": lambda shift: f"64 - {shift}"}


def _value(word: str, counts: Mapping[str, int], n: int) -> str:
    """A word of an operand, `x[1]`, or of a constant, `p[0]`, in Rust."""
    name, _, index = word.rstrip("]").partition("[")
    if name not in counts:
        return constant(word)[1]
    place = int(index)
    return word if counts[name] == 1 else f"{name}[{place // n}][{place % n}]"


def _operands(
    code: RegisterCode, names: Mapping[str, str], value: Callable[[str], str]
) -> Iterator[str]:
    """What each register holds before and after; those that have names come first."""
    entering = {register: value(word) for word, register in code.incoming.items()}
    leaving = {register: f"z{i}" for i, register in enumerate(code.returned)}
    fixed = sorted(code.fixed)
    for register in (*names, *fixed):
        name = names.get(register)
        head, place = (f"{name} = ", "reg") if name else ("", f'"{register}"')
        after = leaving.get(register, "_")
        if register not in entering:
            yield f"{head}out({place}) {after},"
        elif register in code.written:
            yield f"{head}inout({place}) {entering[register]} => {after},"
        else:
            yield f"{head}in({place}) {entering[register]},"
