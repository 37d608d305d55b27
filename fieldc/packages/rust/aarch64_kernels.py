"""The crate's AArch64 kernels as they stand in its files: completed for a prime, assembled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.packages.rust.aarch64 import kernels_for
from fieldc.packages.rust.classes import class_of, lazy_class_of
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.inlined import inlined_claims
from fieldc.packages.rust.plain import class_name, own_operations, own_primes
from fieldc.packages.rust.written import WrittenKernel, kernels_in
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.proof.claims.divsteps import DIVSTEP_MATRIX
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.llvm.processors import LLVM_TARGETS

SYSTEMS = ("aarch64-linux", "aarch64-macos", "aarch64-windows")
"""The targets that have the same bytes, each by its own convention."""


def code(kernel: WrittenKernel, f: Field) -> bytes:
    """The bytes of a kernel with a field's constants after them."""
    return assembled(kernel.lines_for(f))


def arm_crate_jobs(generated: Path, f: Field, system: str = SYSTEMS[0]) -> list[Job]:
    """The proofs of the kernels that the crate runs for a field's prime. Raises OSError."""
    if f.n in INLINED:
        return list(_inlined_jobs(generated, f, system))
    text = (generated / f"aarch64_n{f.n:02}.rs").read_text()
    found = filter(None, (class_of(f), lazy_class_of(f)))
    classes = {op: c.suffix for of in found for op, c in kernels_for(of, f.n).items()}
    if f in own_primes():
        classes |= dict.fromkeys(own_operations(f), class_name(f))
    triple = LLVM_TARGETS[system].triple
    kernels, symbols = kernels_in(text), {op: f"{op}_{of}" for op, of in classes.items()}
    return [
        Job(object_of({symbol: code(kernels[symbol], f)}, triple), symbol, op, f.p, f.n)
        for op, symbol in symbols.items()
    ]


def arm_divsteps_job(text: str, f: Field, system: str = SYSTEMS[0]) -> Job:
    """The proof of the kernel of divsteps in a generated file, which is the same for all primes."""
    kernel = kernels_in(text)[DIVSTEP_MATRIX]
    made = object_of({kernel.symbol: code(kernel, f)}, LLVM_TARGETS[system].triple)
    return Job(made, kernel.symbol, DIVSTEP_MATRIX, f.p, f.n)


def _inlined_jobs(generated: Path, f: Field, system: str) -> Iterator[Job]:
    """The same of a prime whose kernels are inlined. Raises OSError."""
    kernels = inline_kernels_in((generated / f"aarch64_n{f.n:02}.rs").read_text())
    triple = LLVM_TARGETS[system].triple
    for symbol, operation, multiple in inlined_claims(f):
        made = assembled(kernels[symbol].arm_function(f, multiple))
        yield Job(object_of({symbol: made}, triple), symbol, operation, f.p, f.n)
