"""The texts of the crate's kernels that update f, g, d and e after a batch of divsteps.

That of f and g is the same for all moduli of so many limbs, that of d and e for those with a spare
bit. They have two carry chains: with one the crate's digits of 62 bits are as fast.
"""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.algorithms import choose
from fieldc.algorithms.divsteps import QUOTIENTS
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import SPARE, representative
from fieldc.packages.rust.schedules import crate_kernel
from fieldc.packages.rust.text import constant
from fieldc.targets.x86_64.conventions import STORED_INLINE

UPDATED = (4, 6)
"""Numbers of limbs that have these kernels."""
VARIANT = "adx"
OPERATIONS = ("divstep_fg", "divstep_de_lazy")


def is_updated(f: Field) -> bool:
    """Whether the crate inverts modulo the field's prime by these kernels."""
    return f.n in UPDATED and SPARE.has(f)


def update_symbol(operation: str, limbs: int) -> str:
    """The name of a kernel's function."""
    return f"{operation}_{limbs}_{VARIANT}"


def updates_text(numbers: tuple[int, ...] = UPDATED) -> str:
    """The kernels of some numbers of limbs, and what makes them an inversion."""
    kernels = [_kernel(e) for limbs in numbers for e in _expressions(limbs)]
    uses = "use crate::machine::updates::updates;\n"
    if kernels:
        uses = f"use core::arch::asm;\n\nuse crate::machine::called;\n{uses}"
        uses += "use crate::modulus::Modulus;\n"
    rows = "".join(f"    {_row(n)};\n" for n in numbers)
    return "".join((uses, f"\nupdates! {{\n{rows}}}\n", *kernels))


def _expressions(limbs: int) -> Iterator[Expression]:
    f = representative(SPARE, limbs)
    yield QUOTIENTS.expression(f)
    yield choose(f, OPERATIONS[1])


def _row(limbs: int) -> str:
    names = (update_symbol(operation, limbs) for operation in OPERATIONS)
    return f"{limbs}, {limbs + 2}: {', '.join(names)}"


def _kernel(expression: Expression) -> str:
    operation, limbs = expression.kernel.operation, expression.field.n
    kernel = crate_kernel(SPARE, expression, "kernel", VARIANT, STORED_INLINE)
    constants = dict(constant(name) for name, _ in kernel.constants)
    if operation == OPERATIONS[0]:
        constants = {}  # the kernel's own words, not those of a modulus
    name = update_symbol(operation, limbs)
    return called_inline(kernel, expression, name, VARIANT, "p has a spare bit", constants)
