"""What the prover asks of an instruction set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory


@dataclass(frozen=True)
class ProvedInstructionSet:
    """An instruction set whose code can be run on symbolic words."""

    name: str
    """As `KernelCode.architecture` names it."""
    run: Callable[[KernelMemory, str, bytes, int], None]
    """Run code by a convention, from an offset to its return. Raises ProofError."""
    conventions: Mapping[str, str]
    """The calling convention of each container: `elf`, `mach-o` and `coff`."""
    foreign_conventions: tuple[str, ...] = ()
    """Conventions of routines that fieldc did not make: certificates do not know them."""
    follows_calls: bool = False
    """Whether a formula's code may call routines that are proved by themselves."""
    called_convention: str = ""
    """The convention of these routines; empty for that of their caller."""
    certifies_formulas: bool = False
    """Whether the proof of a formula has a certificate."""
    array_convention: str = ""
    """The convention by which kernels on arrays are proved; empty where they are not."""

    def convention(self, container: str, asked: str, is_foreign: bool = False) -> str:
        """Return the convention asked for, or the container's. Raises ProofError."""
        known = tuple(dict.fromkeys(self.conventions.values()))
        known += self.foreign_conventions if is_foreign else ()
        if asked and asked not in known:
            raise ProofError(f"no convention {asked} of {self.name}; there are {', '.join(known)}")
        return asked or self.conventions[container]

    def proves_arrays(self, container: str) -> bool:
        """Return whether kernels on arrays are proved in objects of a container."""
        return self.array_convention == self.conventions[container]
