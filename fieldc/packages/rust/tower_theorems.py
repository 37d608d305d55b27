"""Theorems about the crate's kernels for towers: for all odd p of the class EXTENSION at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldc.operations import TOWER_OPERATIONS, Operation
from fieldc.packages.rust.classes import EXTENSION, PrimeClass
from fieldc.packages.rust.theorems import Theorem, code_of, moduli_of
from fieldc.packages.rust.towers import SUFFIX
from fieldc.packages.rust.written import WrittenKernel, kernels_in
from fieldc.proof.claims.contracts import EXACT
from fieldc.proof.classes.integers import prove_integers
from fieldc.proof.classes.runs import RUNS


@dataclass(frozen=True)
class IntegerTheorem:
    """A kernel whose results are integers modulo R^2, of operands below a multiple of p."""

    kernel: WrittenKernel
    operation: Operation
    of: PrimeClass

    @property
    def symbol(self) -> str:
        """Its name in the file."""
        return self.kernel.symbol

    def prove(self, runs: int = RUNS) -> int:
        """Prove it for every p of its class; number of cases. Raises ProofError."""
        said, moduli = self.operation, moduli_of(self.of, self.kernel.limbs)
        return prove_integers(code_of(self.kernel), said.family, said.parameters, moduli, runs)


def kernels_of_towers(generated: Path, limbs: int) -> Iterator[Theorem | IntegerTheorem]:
    """The kernels of products in Fp2, and those of double width. Raises OSError."""
    written = kernels_in((generated / f"n{limbs:02}.rs").read_text())
    names = [(operation, EXTENSION.suffix) for operation, _ in EXTENSION.algorithms]
    names += [(operation, SUFFIX) for operation in TOWER_OPERATIONS]
    for operation, suffix in names:
        said = TOWER_OPERATIONS.get(operation)
        for variant in ("mulx", "adx"):
            kernel = written.get(f"{operation}_{suffix}_{variant}")
            if kernel and said and said.family in EXACT:
                yield IntegerTheorem(kernel, said, EXTENSION)
            elif kernel:
                yield Theorem(kernel, operation, EXTENSION)
