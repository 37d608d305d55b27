"""The texts of the crate's AArch64 kernels: naked functions, and the classes that take them."""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.field import Field
from fieldc.packages.rust.aarch64 import ClassKernel, kernels_at, kernels_for, plain_kernel
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES
from fieldc.packages.rust.plain import PLAIN_OPERATIONS, class_number, plain_primes
from fieldc.packages.rust.text import array, constant, signature

HEAD = """use core::arch::naked_asm;

use crate::assembly::assembly;
use crate::lazy_kernels::lazy_assembly;
use crate::modulus::Modulus;
"""
KERNEL = """
/// {says}; {algorithm}.
///
/// # Safety
/// The operands can be read and z written; p is of the class.
#[unsafe(naked)]
{signature} {{
    naked_asm!(
        r"
{lines}
.p2align 3
2:
.quad {quads}
",
{constants}    )
}}
"""


def arm_kernels(limbs: int) -> str:
    """A module after its header: which class takes which kernel, and their texts."""
    classes = (HEAD, *_dispatch(limbs), *map(kernel_text, kernels_at(limbs)))
    return "".join((*classes, *(_plain(f) for f in plain_primes() if f.n == limbs)))


def _plain(f: Field) -> str:
    """A prime with plain residues: which kernels it takes, and their texts."""
    kernels = {part: plain_kernel(f, operation) for part, operation in PLAIN_OPERATIONS.items()}
    rows = "".join(f"    {part}: {kernel.symbol};\n" for part, kernel in kernels.items())
    head = f"\n// {f.label}: plain residues.\nassembly! {{ {f.n}, {class_number(f)}:\n{rows}}}\n"
    return head + "".join(map(kernel_text, kernels.values()))


def _dispatch(limbs: int) -> Iterator[str]:
    for family, macro in ((CLASSES, "assembly"), (LAZY_CLASSES, "lazy_assembly")):
        for number, prime_class in enumerate(family):
            if limbs not in prime_class.limbs:
                continue
            taken = kernels_for(prime_class, limbs)
            order = ("mul", "sum_of_products", "square", "mul_lazy", "square_lazy")
            rows = "".join(
                f"    {operation.removesuffix('_lazy')}: {operation}_{taken[operation].suffix};\n"
                for operation in order
                if operation in taken
            )
            yield f"\n// {prime_class.name}: {prime_class.says}.\n"
            yield f"{macro}! {{ {limbs}, {number}:\n{rows}}}\n"


def kernel_text(kernel: ClassKernel) -> str:
    """A kernel as a naked function of a modulus: its constants come after its return.

    It is called by the convention that all systems share, with the result in memory.
    """
    expression = kernel.expression
    n, operands = expression.field.n, expression.kernel.operands
    names = [constant(name) for name, _ in kernel.code.constants]
    says = " ".join(expression.kernel.source.splitlines()[0].rstrip(".").split())
    pointers = [f"z: *mut {array(1, n)}"]
    pointers += [f"{x}: *const {array(bound.count, n)}" for x, bound in operands]
    return KERNEL.format(
        says=says.split(":")[0],
        algorithm=expression.kernel.algorithm,
        signature=signature(f'unsafe extern "C" fn {kernel.symbol}<M: Modulus<{n}>>', pointers, ""),
        lines="\n".join(kernel.code.lines),
        quads=", ".join(f"{{{name}}}" for name, _ in names),
        constants="".join(f"        {name} = const {value},\n" for name, value in names),
    )
