"""The crate's x86-64 kernels as they stand in its files: completed for a prime, assembled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import (
    EXTENSION,
    class_of,
    kernels_of,
    lazy_class_of,
)
from fieldc.packages.rust.crate import variants
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.inlined import inlined_claims
from fieldc.packages.rust.plain import class_name, own_operations, own_primes, own_variants
from fieldc.packages.rust.towers import SUFFIX
from fieldc.packages.rust.updates import is_updated, update_kernels, update_symbol
from fieldc.packages.rust.written import WrittenKernel, kernels_in
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.reading import read_text
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.divsteps import ordered_name
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.print import INTEL, print_body
from fieldc.targets.x86_64.timing.called import caller, held_by

UPDATES = "updates.rs"
"""The file of the kernels that update f, g, d and e."""
DIVSTEPS = "divsteps.rs"
"""The file of the kernel of divsteps, beside those of the numbers of limbs."""
HELD = re.compile(r'out\("(\w+)"\)[^,]*?\s(?:z\[(\d+)\]|_),')


def assembled(kernel: WrittenKernel, f: Field) -> bytes:
    """The object file of a caller of a kernel with a field's constants."""
    return caller_of(kernel, kernel.lines_for(f))


def caller_of(kernel: WrittenKernel, lines: str, offset: int = 0) -> bytes:
    """The object file of a System V function (z, x, y) that calls a text, at an offset of it.

    It does what the kernel's inline assembly lets a compiler do: saves registers, stores results.
    """
    held = {register: int(i or -1) for register, i in HELD.findall(kernel.operands)}
    return called(kernel.symbol, held, lines, offset)


def called(
    symbol: str, held: Mapping[str, int], lines: str, offset: int = 0, taken: Sequence[str] = ()
) -> bytes:
    """The object file of a System V function (z, x, y) that calls a text, at an offset of it.

    `held` are the registers that the text changes, each with the number of the word of the result
    that it leaves there, or -1. In those of `taken` it takes a word, not its address.
    """
    head = [".intel_syntax noprefix", ".text", f".globl {symbol}", f"{symbol}:"]
    head += [f"mov {register}, qword ptr [{register}]" for register in taken]
    return assemble(
        "\n".join((*head, *caller(held, f".Lcode + {offset}"), ".balign 64", ".Lcode:", lines, ""))
    )


def called_kernel(kernel: X86Kernel) -> bytes:
    """The same of a kernel with its constants."""
    lines = "\n".join(print_body(kernel.code, kernel.constants, INTEL, "table"))
    return called(kernel.symbol, held_by(kernel.returned), lines)


def divsteps_job(text: str, f: Field, order: StepOrder = StepOrder.COUNT_FIRST) -> Job:
    """The proof of a kernel of divsteps in a generated file, which is the same for all primes."""
    kernel = kernels_in(text)[ordered_name(order)]
    held = {register: int(i or -1) for register, i in HELD.findall(kernel.operands)}
    taken = SYSV.arguments[1 : 1 + len(BATCH.operands)]
    code = called(kernel.symbol, held, kernel.lines, taken=taken)
    return Job(code, kernel.symbol, DIVSTEP_MATRIX, f.p, f.n, "sysv")


def crate_jobs(generated: Path, f: Field) -> list[Job]:
    """The proofs of the kernels that the crate runs for a field's prime. Raises OSError."""
    if f.n in INLINED:
        return list(inlined_jobs(generated, f))
    updates = kernels_in(read_text(generated / UPDATES)) if is_updated(f) else {}
    text = read_text(generated / f"n{f.n:02}.rs")
    found = filter(None, (class_of(f), lazy_class_of(f)))
    classes = {operation: c.suffix for of in found for operation, c in kernels_of(of, f.n).items()}
    if EXTENSION.has(f):
        classes |= {operation: EXTENSION.suffix for operation, _ in EXTENSION.algorithms}
    if f in own_primes():
        classes |= dict.fromkeys(own_operations(f), class_name(f))
    kernels = kernels_in(text)
    towers = [name for name in kernels if f"_{SUFFIX}_" in name and EXTENSION.has(f)]
    parts = [
        Job(assembled(kernels[symbol], f), symbol, symbol.split(f"_{SUFFIX}_")[0], f.p, f.n, "sysv")
        for symbol in towers
    ]
    parts += [
        Job(assembled(updates[symbol], f), symbol, operation, f.p, limbs, "sysv")
        for operation, limbs in update_kernels(f)
        if (symbol := update_symbol(operation, limbs)) in updates
    ]
    return parts + [
        Job(assembled(kernels[symbol], f), symbol, operation, f.p, f.n, "sysv")
        for operation, of in classes.items()
        for symbol in dict.fromkeys(f"{operation}_{of}_{v}" for v in chains(f, of))
    ]


def chains(f: Field, of: str) -> tuple[str, ...]:
    """The variants of a kernel of a class, or of a prime's own."""
    return own_variants(f, variants(f.n)) if of == class_name(f) else variants(f.n)


def inlined_jobs(generated: Path, f: Field) -> Iterator[Job]:
    """The same of a prime whose kernels are inlined: sums too, modulo 2p where values are below it.

    Raises OSError.
    """
    kernels = inline_kernels_in(read_text(generated / f"n{f.n:02}.rs"))
    for symbol, operation, multiple in inlined_claims(f):
        yield Job(kernels[symbol].assembled(f, multiple), symbol, operation, f.p, f.n, "sysv")
