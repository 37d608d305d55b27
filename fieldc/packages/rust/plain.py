"""The crate's kernels for plain residues: texts of their own for each named prime that has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fieldc.algorithms.representations import PLAIN
from fieldc.algorithms.shapes import near_power
from fieldc.catalogue import find_field, named_primes
from fieldc.decisions.preferred import preferred
from fieldc.decisions.representation import judged
from fieldc.field import Field
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import CLASSES
from fieldc.packages.rust.schedules import FOUND_ON
from fieldc.packages.rust.text import constant
from fieldc.targets.header import field_symbol
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.conventions import CALLED_INLINE
from fieldc.targets.x86_64.targets import plan_of

PLAIN_OPERATIONS = {part: PLAIN.parts[part] for part in ("mul", "sum_of_products", "square")}
"""What the types call, in the order of the macro `assembly`."""
LIMBS = range(2, 9)
MOST_SPARE_BITS = 1
"""What `plain.rs` folds: with more room there would be values below 2p, in Montgomery form."""


@cache
def plain_primes() -> tuple[Field, ...]:
    """The named primes whose types keep plain residues: those for which they are the fastest.

    The place of a prime here is that of its class after the last one of CLASSES.
    """
    return tuple(f for name in named_primes() if is_plain(f := find_field(name)))


def is_plain(f: Field) -> bool:
    """Whether the crate has plain residues for a prime, were it a named one."""
    c = (1 << f.bits) - f.p
    is_foldable = f.n in LIMBS and f.spare_bits <= MOST_SPARE_BITS and near_power(f).applies
    if not is_foldable or c << 2 * f.spare_bits >= f.base >> f.spare_bits:
        return False
    return judged(f, TARGETS["x86_64-linux"], FOUND_ON["mulx"])[0].representation is PLAIN


def class_number(f: Field) -> int:
    """The number of the class of a plain prime."""
    return len(CLASSES) + plain_primes().index(f)


def class_name(f: Field) -> str:
    """What stands in the names of its kernels, where others have their class."""
    return field_symbol(f).replace("_", "")


def plain_symbol(f: Field, operation: str, variant: str) -> str:
    """The name of a kernel's function."""
    return f"{operation}_{class_name(f)}_{variant}"


def modulus_list(primes: Sequence[Field]) -> str:
    """The primes as a constant of Rust."""
    rows = "".join(
        "    &[\n" + "".join(f"        {limb:#018x},\n" for limb in f.limbs(f.p)) + "    ],\n"
        for f in primes
    )
    says = "/// The primes whose types keep plain residues, least significant limb first.\n"
    numbers = f"\n{rows}" if rows else ""
    return f"{says}pub(crate) const PLAIN: [&[u64]; {len(primes)}] = [{numbers}];\n"


def plain_kernel(f: Field, operation: str, variant: str) -> str:
    """A kernel as a Rust function, as the model of its variant's processor decides."""
    decision = preferred(f, operation, TARGETS["x86_64-linux"], FOUND_ON[variant])
    choice = decision.unscheduled.variant(variant)
    kernel = plan_of(choice).compile(choice.expression, "kernel", CALLED_INLINE)
    name, condition = plain_symbol(f, operation, variant), f"p is {f.label}"
    constants = dict(constant(word) for word, _ in kernel.constants)
    return called_inline(kernel, choice.expression, name, variant, condition, constants)
