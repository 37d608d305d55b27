"""Theorems of classes for AArch64: the crate's kernels there, for every odd modulus at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fieldc.packages.rust.aarch64_sums import ARM_FITTING, ArmSum, arm_sums, function_with
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES
from fieldc.packages.rust.theorems import (
    OPERANDS,
    OPERATIONS_OF_SUMS,
    Draw,
    InlineTheorem,
    Theorem,
    class_code,
    filled,
    inlined_in,
    top_of_sum,
)
from fieldc.packages.rust.written import WrittenKernel, kernels_in
from fieldc.packages.rust.written_inline import InlineKernel
from fieldc.proof.classes.code import ClassCode
from fieldc.proof.classes.modulus import Moduli
from fieldc.proof.classes.prove import prove_class
from fieldc.proof.classes.runs import RUNS
from fieldc.targets.aarch64.encode import assembled

ARCHITECTURE = "aarch64"


def arm_code_of(kernel: WrittenKernel) -> ClassCode:
    """A kernel, which is a function there, and where its constants are. Raises ProofError."""
    return class_code(
        kernel.symbol, lambda draw: (assembled(filled(kernel, draw)), 0), ARCHITECTURE
    )


def arm_code_of_inlined(kernel: InlineKernel, operation: str) -> ClassCode:
    """The same of a kernel that is inlined, with one choice of registers. Raises ProofError."""

    def make(draw: Draw) -> tuple[bytes, int]:
        operands = OPERANDS.get(operation, "xy")
        return assembled(kernel.arm_with_numbers(draw.in_rust, operands)), 0

    return class_code(kernel.symbol, make, ARCHITECTURE)


def arm_kernels_of_classes(generated: Path, limbs: int) -> Iterator[Theorem]:
    """The kernels that are called, of every class. Raises OSError."""
    written = kernels_in((generated / f"aarch64_n{limbs:02}.rs").read_text())
    for of in (*CLASSES, *LAZY_CLASSES):
        for operation, _ in of.kernels(limbs):
            if kernel := written.get(f"{operation}_{of.suffix}"):
                yield Theorem(kernel, operation, of, arm_code_of)


def arm_inlined_of_classes(generated: Path, limbs: int) -> Iterator[InlineTheorem]:
    """The kernels of every class that are inlined. Raises OSError."""
    text = (generated / f"aarch64_n{limbs:02}.rs").read_text()
    for theorem in inlined_in(text, limbs):
        yield replace(theorem, code=arm_code_of_inlined)


@dataclass(frozen=True)
class ArmSumTheorem:
    """A sum in inline assembly, and what it computes."""

    piece: ArmSum
    operation: str
    limbs: int
    top: int
    """What the modulus' top limb is below."""

    def prove(self, runs: int = RUNS) -> int:
        """Prove it for every modulus, odd or not; number of cases. Raises ProofError."""

        def make(draw: Draw) -> tuple[bytes, int]:
            words = [draw.word(f"p[{i}]") for i in range(self.limbs)]
            return assembled(
                function_with(self.piece, words, OPERANDS.get(self.operation, "xy"))
            ), 0

        code = class_code(self.piece.name, make, ARCHITECTURE)
        return prove_class(code, self.operation, Moduli(self.limbs, self.top), runs)


def arm_sums_of_classes(limbs: int) -> Iterator[ArmSumTheorem]:
    """The sums and differences. Those of values below 2p are the same modulo 2p."""
    for piece in arm_sums(limbs) if limbs in ARM_FITTING else ():
        for operation in OPERATIONS_OF_SUMS[piece.name]:
            yield ArmSumTheorem(piece, operation, limbs, top_of_sum(piece.name))
