"""Primes with kernels of their own: those with plain residues, and some of Montgomery form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from fieldc.algorithms import choose, representations
from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.representations import PLAIN, Representation
from fieldc.algorithms.shapes import near_power
from fieldc.catalogue import find_field, named_primes
from fieldc.decisions.preferred import preferred
from fieldc.decisions.representation import OF_PACKAGES, judged
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import CLASSES, LAZY_CLASSES
from fieldc.packages.rust.schedules import FOUND_ON
from fieldc.packages.rust.text import constant
from fieldc.targets.header import field_symbol
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Target
from fieldc.targets.x86_64.conventions import CALLED_INLINE
from fieldc.targets.x86_64.targets import plan_of

PLAIN_OPERATIONS = {part: PLAIN.parts[part] for part in ("mul", "sum_of_products", "square")}
"""What the types call, in the order of the macro `assembly`."""
PLAIN_LAZY = PLAIN.lazy
"""What they call too where values below 2p stay there, in the order of `lazy_assembly`."""
SHAPE = "signed-limbs"
"""For this algorithm primes of Montgomery form have kernels of their own: it reads limbs of p."""
SHAPED_OPERATIONS = ("mul", "square")
"""What these kernels are of; sums of products are those of the class."""
LIMBS = range(2, 13)
"""Of one limb a type of the crate has kernels on arrays, which are of Montgomery form."""


@cache
def plain_primes() -> tuple[Field, ...]:
    """The named primes whose types keep plain residues: those for which they are the fastest.

    The place of a prime here is that of its class after the last one of CLASSES, and of its class
    for values below 2p after LAZY_CLASSES.
    """
    return tuple(f for name in named_primes() if is_plain(f := find_field(name)))


@cache
def shaped_primes() -> tuple[Field, ...]:
    """The named primes of Montgomery form for which products by SHAPE are the fastest.

    They have no room for values below 2p. Their classes come after those of the plain primes.
    """
    fields = (find_field(name) for name in named_primes())
    return tuple(f for f in fields if f.n in LIMBS and not is_plain(f) and _is_shaped(f))


def _is_shaped(f: Field) -> bool:
    """Whether each limb of the quotient is the lowest one as it is, too.

    With a product for it, a chain of products modulo secp256k1's order took a quarter longer. By
    shifts one modulo P-384 took the time of its class, where independent products took 0.86.
    """
    if f.n0 != 1:
        return False
    decision = preferred(f, "mul", TARGETS["x86_64-linux"], OF_PACKAGES)
    return decision.unscheduled.modelled.expression.kernel.algorithm == SHAPE and f.spare_bits == 0


def own_primes() -> tuple[Field, ...]:
    """The primes that have kernels of their own, by the numbers of their classes."""
    return (*plain_primes(), *shaped_primes())


def own_parts(f: Field) -> Mapping[str, str]:
    """What its own kernels are called for, and their operations."""
    return {part: part for part in SHAPED_OPERATIONS} if f in shaped_primes() else PLAIN_OPERATIONS


def own_variants(f: Field, variants: Sequence[str]) -> tuple[str, ...]:
    """The variant whose kernel each variant of such a prime runs.

    By the model rows with few products take longer with two carry chains: one kernel serves all.
    """
    return (variants[0],) * len(variants) if f in shaped_primes() else tuple(variants)


def own_expression(f: Field, operation: str) -> Expression:
    """The text for an operation of such a prime where no model decides."""
    return choose(f, operation, *([SHAPE] if f in shaped_primes() else []))


def own_says(f: Field) -> str:
    """What its kernels are, for a comment."""
    return "rows of the reduction by its limbs" if f in shaped_primes() else "plain residues"


def is_plain(f: Field) -> bool:
    """Whether the crate has plain residues for a prime, were it a named one."""
    can_be = f.n in LIMBS and not why_not_plain(f)  # judging takes much longer
    return can_be and fastest(f, TARGETS["x86_64-linux"], OF_PACKAGES) is PLAIN


def fastest(f: Field, target: Target, processor: str | None) -> Representation:
    """The representation that is the fastest on a target, of those that Rust has for the prime.

    Raises UnknownProcessor.
    """
    return next(
        j.representation
        for j in judged(f, target, processor)
        if j.representation is not PLAIN or not why_not_plain(f)
    )


def why_not_plain(f: Field) -> str:
    """Why a prime cannot have plain residues in Rust; nothing if it can.

    Portable Rust has one way to reduce them: the fold of `plain.rs`, whose bound this is.
    """
    shape = near_power(f)
    if not shape.applies:
        return shape.reason
    folded = (1 << f.bits) - f.p << f.spare_bits
    if folded >= f.base or folded * (folded + 1) + (folded >> f.spare_bits) > 1 << f.bits:
        return f"2^{f.word * f.n} modulo {f.short} is {folded}, too much for one fold"
    refusals = (o.reason for o in representations(f) if o.representation is PLAIN)
    return next(refusals, "")


def lazy_parts_of(f: Field) -> Mapping[str, str]:
    """The operation of each part, for the macro `lazy_assembly`; none without room."""
    return PLAIN_LAZY if has_two_spare_bits(f) else {}


def own_operations(f: Field) -> list[str]:
    """The operations that a prime has kernels of its own for."""
    return [*own_parts(f).values(), *lazy_parts_of(f).values()]


def class_number(place: int, is_lazy: bool = False) -> int:
    """The number of the class of one of `own_primes`, by its place."""
    return len(LAZY_CLASSES if is_lazy else CLASSES) + place


def class_name(f: Field) -> str:
    """What stands in the names of its kernels, where others have their class."""
    return field_symbol(f).replace("_", "")


def own_symbol(f: Field, operation: str, variant: str) -> str:
    """The name of a kernel's function."""
    return f"{operation}_{class_name(f)}_{variant}"


def modulus_lists(plain: Sequence[Field], shaped: Sequence[Field]) -> str:
    """Both kinds of primes as constants of Rust."""
    return _modulus_list("PLAIN", "types keep plain residues", plain) + _modulus_list(
        "SHAPED", "residues of Montgomery form have kernels of their own", shaped
    )


def _modulus_list(name: str, what: str, primes: Sequence[Field]) -> str:
    rows = "".join(
        "    &[\n" + "".join(f"        {limb:#018x},\n" for limb in f.limbs(f.p)) + "    ],\n"
        for f in primes
    )
    says = f"/// The primes whose {what}, least significant limb first.\n"
    numbers = f"\n{rows}" if rows else ""
    return f"{says}pub(crate) const {name}: [&[u64]; {len(primes)}] = [{numbers}];\n"


def own_kernel(f: Field, operation: str, variant: str) -> str:
    """A kernel as a Rust function, as the model of its variant's processor decides."""
    decision = preferred(f, operation, TARGETS["x86_64-linux"], FOUND_ON[variant])
    choice = decision.unscheduled.variant(variant)
    kernel = plan_of(choice).compile(choice.expression, "kernel", CALLED_INLINE)
    name, condition = own_symbol(f, operation, variant), f"p is {f.label}"
    constants = dict(constant(word) for word, _ in kernel.constants)
    return called_inline(kernel, choice.expression, name, variant, condition, constants)
