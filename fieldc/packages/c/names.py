"""Names that a C package gives to its kernels, and to the tables of kernels on arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fieldc.algorithms.transforms import ROLES
from fieldc.artifacts.digit_arrays import DIGIT_ROLES, MOVE_ROLES
from fieldc.artifacts.entries import entry_of
from fieldc.packages.c.arrays import MEMBERS, SUM, TWO_CHAINS
from fieldc.packages.c.formulas import VARIANTS
from fieldc.targets.array_targets import ARRAY_TARGETS

KERNEL_ENDINGS = (*VARIANTS, "c", "aarch64")
"""What the name of an operation goes on with in those of its kernels."""
TYPES = ("ternary", "ternary_array", "ternary_vectors", "pair_vectors", "agrees")
"""Types and macros that texts beside the templates have."""


def kernel_names(operations: Iterable[str]) -> Iterator[str]:
    """The names of a package's kernels and tables, without the package's own before them."""
    yield from TYPES
    for operation in operations:
        yield operation
        yield from (f"{operation}_{ending}" for ending in KERNEL_ENDINGS)
    for target in ARRAY_TARGETS:
        yield from (target, f"{target}_digits", f"in_{target}", f"in_{TWO_CHAINS}_{target}")
        for stem in _stems():
            yield from (f"{stem}_{target}", entry_of(f"{stem}_{target}"))


def _stems() -> Iterator[str]:
    """What the names of kernels on arrays begin with, before that of their target."""
    members = (operation for some in MEMBERS.values() for operation in some)
    yield from (f"{operation}_array" for operation in (*members, *SUM))
    yield from (*DIGIT_ROLES, *MOVE_ROLES)
    yield from (f"transform_{role}" for role in ROLES)
