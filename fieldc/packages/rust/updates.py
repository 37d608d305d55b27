"""The texts of the crate's kernels that update f, g, d and e after a batch of divsteps.

That of f and g is the same for all moduli of so many limbs, that of d and e for those with a spare
bit. They have two carry chains: with one the crate's digits of 62 bits are as fast.
"""

from __future__ import annotations

from fieldc.algorithms import choose
from fieldc.algorithms.divsteps import QUOTIENTS
from fieldc.field import Field
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import FULL, SPARE, representative
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


def update_kernels(f: Field) -> list[tuple[str, int]]:
    """The operations and the numbers of limbs of the kernels that invert modulo a field's prime."""
    return [*((OPERATIONS[0], limbs) for limbs in _of_quotients((f.n,))), (OPERATIONS[1], f.n)]


def update_symbol(operation: str, limbs: int) -> str:
    """The name of a kernel's function."""
    return f"n{limbs:02}_{operation}_{VARIANT}"


def narrower(limbs: int) -> range:
    """Numbers of limbs of f and g in the last updates, the last of these first.

    f and g are needed modulo 2^64 before the last batch, and of 59 bits more for each batch before.
    """
    return range(2, limbs)


def updates_text(numbers: tuple[int, ...] = UPDATED, narrows: bool = True) -> str:
    """The kernels of some numbers of limbs, and what makes them an inversion.

    Unless it narrows, all updates of f and g have the limbs of p.
    """
    of_quotients = _of_quotients(numbers) if narrows else list(numbers)
    kernels = [update_kernel(OPERATIONS[0], limbs) for limbs in of_quotients]
    kernels += [update_kernel(OPERATIONS[1], limbs) for limbs in numbers]
    uses = "use crate::machine::updates::updates;\n"
    if kernels:
        uses = f"use core::arch::asm;\n\nuse crate::machine::called;\n{uses}"
        uses += "use crate::modulus::Modulus;\n"
    rows = [f"fg {_row(OPERATIONS[0], n)};" for n in of_quotients]
    for n in numbers:
        last = reversed(narrower(n)) if narrows else ()
        steps = "".join(f", {limbs} {limbs + 2}" for limbs in last)
        rows.append(f"de {_row(OPERATIONS[1], n)}{steps};")
    return "".join((uses, "\nupdates! {\n", *(f"    {row}\n" for row in rows), "}\n", *kernels))


def _of_quotients(numbers: tuple[int, ...]) -> list[int]:
    return sorted({limbs for n in numbers for limbs in (n, *narrower(n))})


def _row(operation: str, limbs: int) -> str:
    return f"{limbs}, {limbs + 2}: {update_symbol(operation, limbs)}"


def update_kernel(operation: str, limbs: int) -> str:
    """A kernel as a Rust function."""
    is_for_all = operation == OPERATIONS[0]
    prime_class = FULL if is_for_all else SPARE
    f = representative(prime_class, limbs)
    expression = QUOTIENTS.expression(f) if is_for_all else choose(f, operation)
    kernel = crate_kernel(prime_class, expression, "kernel", VARIANT, STORED_INLINE)
    # Without constants of a modulus the table has the kernel's own words.
    constants = {} if is_for_all else dict(constant(name) for name, _ in kernel.constants)
    condition = "p may be any" if is_for_all else "p has a spare bit"
    name = update_symbol(operation, limbs)
    return called_inline(kernel, expression, name, VARIANT, condition, constants)
