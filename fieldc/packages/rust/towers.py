"""The crate's kernels of double width, of which it makes products in towers.

They are for primes of the class EXTENSION, beside its products in Fp2. Sums have no carry chain
beside another one, so one text of each serves all variants.
"""

from __future__ import annotations

from fieldc.algorithms.towers import SUMS, TOWERS
from fieldc.language import Expression, Kernel
from fieldc.packages.rust.classes import EXTENSION, representative, with_bounds

SUFFIX = "tower"
"""In the names of the kernels, where those of operations have their class."""


def tower_expressions(limbs: int) -> list[Expression]:
    """The kernels of double width for the class EXTENSION."""
    f = with_bounds(representative(EXTENSION, limbs), EXTENSION)
    return [kernel.expression(f) for kernel in TOWERS]


def tower_variants(kernel: Kernel, variants: tuple[str, ...]) -> tuple[str, ...]:
    """The variants of a kernel, of those that its number of limbs has."""
    return variants[:1] if kernel in SUMS else variants


def tower_symbol(kernel: Kernel, variant: str) -> str:
    """The name of a kernel's function."""
    return f"{kernel.operation}_{SUFFIX}_{variant}"


def tower_dispatch(limbs: int, variants: tuple[str, ...]) -> str:
    """What makes the kernels of each variant methods of one type."""
    parts = ["\n// Towers: numbers of double width.\n"]
    for variant in variants:
        rows = ""
        for kernel in TOWERS:
            name = kernel.operation.removesuffix("_lazy")
            own = variant if variant in tower_variants(kernel, variants) else variants[0]
            rows += f"    {name}: {tower_symbol(kernel, own)};\n"
        parts.append(f"tower! {{ {limbs}, {2 * limbs}, {variant.title()}:\n{rows}}}\n")
    return "".join(parts)
