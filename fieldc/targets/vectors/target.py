"""A target of kernels on arrays: its name, and how it selects instructions."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms.lane_words import HALF_BITS, SHAPES
from fieldc.algorithms.lanes import LIMB_BITS
from fieldc.algorithms.sums import NoSums, Sums, has_sums, sums_of
from fieldc.field import Field
from fieldc.machine.processor import is_x86_64, missing
from fieldc.targets.vectors.select import DigitSelection, Selection


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
    """Of a modulus of 32 bits and more: its words in lanes need the masks of AVX-512."""
    words: type[Selection] | None = None
    """For whole words, where these are not selected as for AVX-512."""
    chains: bool = False
    """Whether a power comes from one before it sooner than from a table."""

    def takes(self, f: Field) -> bool:
        """Whether it has kernels for a field."""
        if self.words is not None and (f.bits < HALF_BITS or f.p in SHAPES):
            return f.word != HALF_BITS
        return f.bits > LIMB_BITS * (self.least_limbs - 1)

    def sums_of(self, f: Field) -> Sums:
        """The kernels of inner products. Raises NoSums where a target or a field has none."""
        if not self.has_sums(f):
            raise NoSums(f"{self.name} has no inner products of {f.short}, which has one limb")
        return sums_of(f)

    def has_sums(self, f: Field) -> bool:
        """Whether it has inner products. Those of one limb hold columns in 512 bits."""
        return has_sums(f) and f.n >= self.least_limbs

    @property
    def features(self) -> tuple[str, ...]:
        """What the processor must have, by LLVM's names."""
        return self.selection.features

    @property
    def runs_here(self) -> bool:
        """Whether this process can call its kernels."""
        return is_x86_64() and not missing(self.features)
