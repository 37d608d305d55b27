"""The texts of the crate's AArch64 kernels, and the classes that take them.

Each is a Rust function whose inline assembly calls the kernel's code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.packages.rust.aarch64 import (
    CALLED,
    ClassKernel,
    kernels_at,
    kernels_for,
    own_kernel,
)
from fieldc.packages.rust.aarch64_sums import ARM_FITTING, arm_sum_text, arm_sums
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES, class_of, lazy_class_of
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.inlined import (
    arm_class_code,
    inlined_dispatch,
    inlined_module,
    inlined_text,
    symbol,
    taken,
)
from fieldc.packages.rust.plain import (
    PLAIN_OPERATIONS,
    class_name,
    class_number,
    lazy_parts_of,
    own_parts,
    own_says,
)
from fieldc.packages.rust.text import array, called, constant, signature, wrapped
from fieldc.targets.aarch64.in_registers import compile_in_registers
from fieldc.targets.rust.comments import rust_doc
from fieldc.words.lower import lower

HEAD = """use core::arch::asm;
use core::mem::MaybeUninit;

use crate::machine::{assembly, called, lazy_assembly};
use crate::modulus::Modulus;
"""
KERNEL = """
/// {says}; {algorithm}.
///
/// # Safety
/// p is of the class.
#[inline(always)]
{signature} {{
    let mut z = MaybeUninit::<[u64; {n}]>::uninit();
    // SAFETY: the kernel reads the operands, writes z, and changes registers, flags and its own
    // stack only.
    unsafe {{
        asm!(
{called}{registers}
        );
        z.assume_init()
    }}
}}
"""
TABLE = """
.p2align 3
2:
.quad {}"""
CHANGED = (*(f"x{i}" for i in range(18)), "lr")
"""The registers that a function may change by the conventions of all systems."""


def arm_kernels(limbs: int, own_primes: Sequence[Field]) -> str:
    """A module after its header: which class takes which kernel, and their texts.

    `own_primes` are all that have kernels of their own, of any number of limbs.
    """
    if limbs in INLINED:
        own = (_inlined_plain(f, place) for place, f in enumerate(own_primes) if f.n == limbs)
        return "".join((inlined_module(limbs, arm_class_code), *own))
    classes = (HEAD, *_dispatch(limbs), *map(kernel_text, kernels_at(limbs)))
    own = (_own(f, place) for place, f in enumerate(own_primes) if f.n == limbs)
    sums: list[str] = []
    if limbs in ARM_FITTING:
        sums = ["\n// Sums.\n", *(arm_sum_text(piece, limbs) for piece in arm_sums(limbs))]
    return "".join((*classes, *own, *sums))


def _inlined_plain(f: Field, place: int) -> str:
    """The same of a prime whose kernels are inlined; sums are those of its classes."""
    text = f"\n// {f.label}: plain residues.\n"
    for is_lazy, parts in enumerate((PLAIN_OPERATIONS, lazy_parts_of(f))):
        of = lazy_class_of(f) if is_lazy else class_of(f)
        if not parts or of is None:
            continue
        made = {part: choose(f, operation) for part, operation in parts.items()}
        names = {part: symbol(one, class_name(f)) for part, one in made.items()}
        sums = {op: x for op, x in taken(of, f.n).items() if op in ("add", "sub", "reduce_lazy")}
        number = class_number(place, bool(is_lazy))
        text += inlined_dispatch(f.n, number, {**sums, **names}, bool(is_lazy))
        for part, one in made.items():
            code = compile_in_registers(partial(lower, one))
            text += inlined_text(code, one, names[part])
    return text


def _own(f: Field, place: int) -> str:
    """A prime with kernels of its own: which it takes, and their texts."""
    head = f"\n// {f.label}: {own_says(f)}.\n"
    for is_lazy, parts in enumerate((own_parts(f), lazy_parts_of(f))):
        kernels = {part: own_kernel(f, operation) for part, operation in parts.items()}
        symbols = {part: kernel.symbol for part, kernel in kernels.items()}
        if kernels and not is_lazy:
            of = kernels_for(class_of(f), f.n)
            symbols = {p: symbols.get(p) or f"{p}_{of[p].suffix}" for p in PLAIN_OPERATIONS}
        rows = "".join(f"    {part}: {name};\n" for part, name in symbols.items())
        rows += _sums(f.n, f.spare_bits > 0, bool(is_lazy))
        if kernels:
            number = class_number(place, bool(is_lazy))
            head += f"{'lazy_' * is_lazy}assembly! {{ {f.n}, {number}:\n{rows}}}\n"
            head += "".join(map(kernel_text, kernels.values()))
    return head


def _dispatch(limbs: int) -> Iterator[str]:
    for family, macro in ((CLASSES, "assembly"), (LAZY_CLASSES, "lazy_assembly")):
        for number, prime_class in enumerate(family):
            if limbs not in prime_class.limbs:
                continue
            taken = kernels_for(prime_class, limbs)
            rows = "".join(
                f"    {operation.removesuffix('_lazy')}: {operation}_{taken[operation].suffix};\n"
                for operation in CALLED
                if operation in taken
            )
            rows += _sums(limbs, prime_class.has_spare_bit, family is LAZY_CLASSES)
            yield f"\n// {prime_class.name}: {prime_class.says}.\n"
            yield f"{macro}! {{ {limbs}, {number}:\n{rows}}}\n"


def _sums(limbs: int, has_spare_bit: bool, is_lazy: bool = False) -> str:
    """Which additions run, where there are any."""
    if limbs not in ARM_FITTING:
        return ""
    rows = f"    add: add_{'spare' if has_spare_bit else 'full'};\n    sub: sub;\n"
    return rows + "    reduce: reduce;\n" * is_lazy


def kernel_text(kernel: ClassKernel) -> str:
    """A kernel as a function of a modulus and its operands: its constants come after its return.

    It is called by the convention that all systems share, with the result in memory.
    """
    expression = kernel.expression
    n, operands = expression.field.n, expression.kernel.operands
    constants = dict(constant(name) for name, _ in kernel.code.constants)
    says = " ".join(expression.kernel.source.splitlines()[0].rstrip(".").split())
    table = ", ".join(f"{{{name}}}" for name in constants)
    lines = "\n".join(kernel.code.lines) + (TABLE.format(table) if table else "")
    pointers = ("z.as_mut_ptr()", *(f"core::ptr::from_ref({x})" for x, _ in operands))
    arguments = [f"{x}: &{array(bound.count, n)}" for x, bound in operands]
    return KERNEL.format(
        says=rust_doc(says.split(":")[0]),
        algorithm=expression.kernel.algorithm,
        n=n,
        signature=signature(
            f"unsafe fn {kernel.symbol}<M: Modulus<{n}>>", arguments, f"[u64; {n}]"
        ),
        called=called("bl", kernel.symbol, lines, constants, n),
        registers=wrapped(registers(pointers)),
    )


def registers(pointers: Sequence[str]) -> Iterator[str]:
    """What each register holds before and after, for inline assembly."""
    for i, register in enumerate(CHANGED):
        if i < len(pointers):
            yield f'inout("{register}") {pointers[i]} => _,'
        else:
            yield f'out("{register}") _,'
