"""Up to which modulus an algorithm is proved. Larger ones are refused before they are compiled.

The one table of limits; SOUNDNESS.md, "Not proved yet", repeats it. An algorithm that is not here
is proved up to `field.MAX_BITS`, with any number of spare bits, or the prover says at once why not.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from fieldc.algorithms import every_kernel_for
from fieldc.decisions.decision import Decision
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Kernel


@dataclass(frozen=True)
class Limit:
    """The largest modulus, in bits, for which an algorithm's kernels are proved; 0 for none."""

    algorithm: str
    operations: tuple[str, ...]
    bits: int
    why: str


LAST_CARRY = "that the sum of both accumulators has no carry is not followed on x86-64"
SLOW = "a proof takes more than ten seconds"
LIMITS = (
    Limit("half-limbs", ("mul", "square"), 0, LAST_CARRY),
    Limit("solinas", ("mul_plain", "square_plain", "reduce"), 256, SLOW),
)


class AboveLimit(UserError):
    """A kernel that is not proved for a modulus of this size; names the limit and what works."""


def limit_of(kernel: Kernel, field: Field) -> Limit | None:
    """Return the limit that a kernel is above, or None."""
    for limit in LIMITS:
        is_of = kernel.algorithm == limit.algorithm and kernel.operation in limit.operations
        if is_of and field.bits > limit.bits:
            return limit
    return None


def within_limits(decision: Decision) -> Decision:
    """The decision without kernels that are above their limit. Raises AboveLimit if none is left.

    Only kernels of our own must be proved: the decision of another target stays as it is.
    """
    if not decision.target.is_own:
        return decision
    field = decision.expression.field
    kept = [c for c in decision.candidates if limit_of(c.choice.expression.kernel, field) is None]
    if not kept:
        raise _above(decision.expression.kernel, field)
    return replace(decision, candidates=tuple(kept))


def _above(kernel: Kernel, field: Field) -> AboveLimit:
    limit = limit_of(kernel, field)
    most = f"up to {limit.bits} bits only" if limit and limit.bits else "for no modulus yet"
    instead = _instead(kernel.operation, field)
    what = f"{kernel.operation} by {kernel.algorithm} is proved {most}"
    return AboveLimit(f"{what}, this one has {field.bits}; {instead}")


def _instead(operation: str, field: Field) -> str:
    """What is proved or built instead."""
    for kernel in every_kernel_for(operation):
        if limit_of(kernel, field) is None:
            with suppress(BoundError):
                kernel.expression(field)
                return f"use --algorithm {kernel.algorithm}"
    return "use --target x86_64-linux-llvm, where it is tested"
