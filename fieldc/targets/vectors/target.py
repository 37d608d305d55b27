"""A target of kernels on arrays: its name, and how it selects instructions."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms.lanes import LIMB_BITS
from fieldc.field import Field
from fieldc.machine.processor import is_x86_64, missing
from fieldc.targets.vectors.select import DigitSelection


@dataclass(frozen=True)
class VectorTarget:
    """A target whose kernels take blocks of eight elements, in lanes of 64 bits."""

    name: str
    selection: type[DigitSelection]
    """For numbers in digits. Whole words are selected alike on all targets."""
    processor: str
    """The first processor of processors.toml that has what it needs."""
    ports: int = 2
    """Micro-operations on vectors that it starts in a cycle."""
    least_limbs: int = 1
    """Of a modulus: words of lanes need the registers and masks of AVX-512."""

    def takes(self, f: Field) -> bool:
        """Whether it has kernels for a field."""
        return f.bits > LIMB_BITS * (self.least_limbs - 1)

    @property
    def features(self) -> tuple[str, ...]:
        """What the processor must have, by LLVM's names."""
        return self.selection.features

    @property
    def runs_here(self) -> bool:
        """Whether this process can call its kernels."""
        return is_x86_64() and not missing(self.features)
