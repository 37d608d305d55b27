"""The algorithms: the mathematics, one short function each, on exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.algorithms import (
    addition,
    divsteps,
    extension,
    half_limbs,
    integers,
    jumps,
    karatsuba,
    lazy,
    montgomery,
    one_limb,
    plain,
    powers,
    products,
    pseudo_mersenne,
    scanning,
    signed_limbs,
    solinas,
    squaring,
    top_first,
)
from fieldc.algorithms.representations import REPRESENTATIONS, Offer, offers
from fieldc.errors import UserError, enumerated, nearest, quote
from fieldc.field import Field
from fieldc.language import BoundError, DoesNotApply, Expression, Kernel

KERNELS: tuple[Kernel, ...] = (
    addition.add,
    addition.sub,
    addition.neg,
    addition.double,
    montgomery.multiply_log_jump,
    montgomery.multiply_complement,
    montgomery.multiply,
    squaring.square_log_jump,
    squaring.square_complement,
    squaring.square,
    squaring.square_by_product,
    products.sum_log_jump,
    products.sum_cios,
    products.sum_without_spare_bits,
    montgomery.redc,
    montgomery.to_montgomery,
    montgomery.from_montgomery,
)
"""The algorithms that are built. The default is the first whose bounds hold."""

FUSED: tuple[Kernel, ...] = (
    *products.SUMS,
    *products.DIFFERENCES,
    *products.MULTIPLY_ADD,
    *extension.EXTENSIONS,
    *lazy.LAZY,
    *pseudo_mersenne.LAZY_FOLDS,
    *powers.SMALL_PRODUCTS,
    *powers.POWERS,
    *integers.INTEGER_PRODUCTS,
    *divsteps.DIVSTEPS,
)
"""Optional operations for use inside larger formulas. Built only when named with `--op`."""

STUDIED: tuple[Kernel, ...] = (
    *addition.ALTERNATIVES,
    scanning.multiply_sos,
    scanning.multiply_fios,
    scanning.multiply_fips,
    scanning.multiply_cihs,
    jumps.multiply_serial,
    jumps.multiply_pairs,
    jumps.multiply_halves,
    jumps.multiply_unrolled,
    jumps.multiply_two_limb_quotients,
    karatsuba.multiply_karatsuba,
    karatsuba.multiply_karatsuba_limbs,
    *half_limbs.HALF_LIMBS,
    plain.multiply_by_division,
    squaring.square_sos,
    montgomery.multiply_near_radix,
    montgomery.multiply_last_difference,
    squaring.square_last_difference,
    squaring.square_near_radix,
    *signed_limbs.SIGNED_LIMBS,
    *one_limb.ONE_LIMB,
    *pseudo_mersenne.PSEUDO_MERSENNE,
    *pseudo_mersenne.NEXT_MULTIPLE,
    *top_first.TOP_FIRST,
    *solinas.SOLINAS,
    *plain.BARRETT,
    *plain.DIVISION,
)
"""Algorithms to compare with. Built and raced only when named."""

FUSED_STUDIED: tuple[Kernel, ...] = extension.BY_PARTS
"""Optional operations to compare with. AArch64's model chooses among them too."""

OFFERED: tuple[Kernel, ...] = (
    *addition.ALTERNATIVES,
    montgomery.multiply_near_radix,
    squaring.square_near_radix,
    *signed_limbs.SIGNED_LIMBS,
    *one_limb.ONE_LIMB,
    *pseudo_mersenne.PSEUDO_MERSENNE,
    *pseudo_mersenne.NEXT_MULTIPLE,
    *top_first.TOP_FIRST,
)
"""Studied algorithms that a build may choose: for a prime's shape, or by a processor's model."""

OPERATIONS: tuple[str, ...] = tuple(dict.fromkeys(k.operation for k in KERNELS))
STUDIED_OPERATIONS: tuple[str, ...] = tuple(
    dict.fromkeys(k.operation for k in (*FUSED, *STUDIED) if k.operation not in OPERATIONS)
)
"""Operations that are built and raced only when named."""


class NoKernel(UserError, LookupError):
    """No algorithm has that name, or none has bounds that hold for the field."""


@dataclass(frozen=True)
class Applicability:
    """An algorithm's bounds for a field, and whether they hold."""

    kernel: Kernel
    applies: bool
    bound: str
    """Return the largest value before the last subtraction, as a multiple of p."""
    reason: str
    """Why it does not apply; empty if it does."""
    hint: str = ""
    """The reason in a few words."""


def applicability(field: Field, kernels: Sequence[Kernel] = KERNELS) -> list[Applicability]:
    """Return the algorithms of an operation with their bounds for the field."""
    rows = []
    for kernel in kernels:
        try:
            rows.append(
                Applicability(kernel, True, field.in_p(kernel.expression(field).unreduced), "")
            )
        except DoesNotApply as error:
            rows.append(Applicability(kernel, False, "-", str(error), str(error)))
        except BoundError as error:
            bound, hint = field.in_p(error.unreduced), "one subtraction needs less than 2p"
            rows.append(Applicability(kernel, False, bound, str(error), hint))
    return rows


def kernels_for(operation: str) -> list[Kernel]:
    """Return the algorithms of an operation that are built by default, preferred first."""
    return [k for k in (*KERNELS, *FUSED) if k.operation == operation]


def offered_for(operation: str) -> list[Kernel]:
    """Return the algorithms that a build may choose without being told."""
    return [*kernels_for(operation), *(k for k in OFFERED if k.operation == operation)]


def representations(field: Field) -> list[Offer]:
    """Each representation of residues, with the algorithms that a build may choose for its parts.

    Plain residues are offered where the prime has a shape for them.
    """
    operations = {o for r in REPRESENTATIONS for o in r.parts.values()}
    return offers(field, {operation: offered_for(operation) for operation in operations})


def every_kernel_for(operation: str) -> list[Kernel]:
    """Return all algorithms of an operation, studied ones last."""
    kernels = (*KERNELS, *FUSED, *STUDIED, *FUSED_STUDIED)
    return [kernel for kernel in kernels if kernel.operation == operation]


def choose(field: Field, operation: str, algorithm: str | None = None) -> Expression:
    """Return the expression of the first algorithm whose bounds hold, or of the named one.

    Raises NoKernel for an algorithm that does not exist, BoundError for one that does not hold.
    """
    offered = kernels_for(operation)
    if algorithm is not None or not offered:
        offered = [k for k in every_kernel_for(operation) if algorithm in (None, k.algorithm)]
    failure: BoundError | None = None
    for kernel in offered:
        try:
            return kernel.expression(field)
        except BoundError as error:
            failure = error
    if failure is not None:
        raise failure
    raise unknown_algorithm(operation, algorithm)


def unknown_algorithm(operation: str, algorithm: str | None) -> NoKernel:
    """Return the error for an operation or algorithm that does not exist."""
    known = (*OPERATIONS, *STUDIED_OPERATIONS)
    if operation not in known:
        return NoKernel(f"no operation {quote(operation)}; {_hint(operation, known, 'there are')}")
    names = [k.algorithm for k in every_kernel_for(operation)]
    if not names:
        return NoKernel(f"no kernel computes {operation}: add one to FUSED in fieldc/algorithms")
    hint = _hint(algorithm or "", names, "it has")
    return NoKernel(f"{operation} has no algorithm {quote(algorithm or '')}; {hint}")


def _hint(text: str, names: Sequence[str], otherwise: str) -> str:
    near = nearest(text, names)
    return f"the nearest: {near[0]}" if near else f"{otherwise}: {enumerated(names)}"
