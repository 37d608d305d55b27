"""The algorithms: the mathematics, one short function each, on exact integers."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms import addition, montgomery, products, squaring
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Kernel, Trace

KERNELS: tuple[Kernel, ...] = (
    addition.add,
    addition.sub,
    addition.neg,
    addition.double,
    montgomery.multiply_log_jump,
    montgomery.multiply,
    squaring.square_log_jump,
    squaring.square,
    squaring.square_by_product,
    products.sum_log_jump,
    products.sum_cios,
    products.sum_without_spare_bits,
    montgomery.redc,
    montgomery.to_montgomery,
    montgomery.from_montgomery,
)
"""Every kernel; of one operation's algorithms the first that its bounds allow is the default."""

OPERATIONS: tuple[str, ...] = tuple(dict.fromkeys(k.operation for k in KERNELS))


class NoKernel(UserError, LookupError):
    """No algorithm of that name, or none whose bounds hold for the field; one line for the user."""


@dataclass(frozen=True)
class Applicability:
    """Whether an algorithm's bounds hold for a field, and what they are."""

    kernel: Kernel
    applies: bool
    bound: str
    """The largest value before the last subtraction, as a multiple of p."""
    reason: str
    """Why not; empty where it applies."""


def applicability(field: Field) -> list[Applicability]:
    """Every algorithm of every operation, with the bounds that the field gives it."""
    rows = []
    for kernel in KERNELS:
        try:
            rows.append(Applicability(kernel, True, field.in_p(kernel.trace(field).unreduced), ""))
        except BoundError as error:
            rows.append(Applicability(kernel, False, field.in_p(error.unreduced), str(error)))
    return rows


def kernels_for(operation: str) -> list[Kernel]:
    """The algorithms of an operation, preferred first."""
    return [k for k in KERNELS if k.operation == operation]


def choose(field: Field, operation: str, algorithm: str | None = None) -> Trace:
    """The operation's first algorithm whose bounds hold (or the named one), traced.

    Raises NoKernel for an algorithm that does not exist, BoundError for one that does not hold.
    """
    offered = kernels_for(operation)
    if algorithm is not None:
        offered = [k for k in offered if k.algorithm == algorithm]
    failure: BoundError | None = None
    for kernel in offered:
        try:
            return kernel.trace(field)
        except BoundError as error:
            failure = error
    if failure is not None:
        raise failure
    if operation not in OPERATIONS:
        raise NoKernel(f"no operation {operation!r}; there are: {', '.join(OPERATIONS)}")
    names = ", ".join(k.algorithm for k in kernels_for(operation)) or "none"
    raise NoKernel(f"{operation} has no algorithm {algorithm!r}; it has: {names}")
