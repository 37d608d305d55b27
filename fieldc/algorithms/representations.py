"""Representations of residues: which operation plays which part, and which a prime can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.field import Field
from fieldc.language import BoundError, Kernel
from fieldc.operations import Operation

SHARED = ("add", "sub", "neg", "double", "mul_by")
"""Families that are the same in every representation."""


@dataclass(frozen=True)
class Representation:
    """How a residue stands for a number.

    `parts` names the operation for each part: mul, square, sum_of_products, reduce (of a product
    of 2n limbs), enter and leave. A part that is not there costs nothing: it is the identity.
    """

    name: str
    says: str
    parts: Mapping[str, str] = field(hash=False)


MONTGOMERY = Representation(
    "montgomery",
    "x stands as x*R mod p",
    {
        "mul": "mul",
        "square": "square",
        "sum_of_products": "sum_of_products",
        "reduce": "redc",
        "enter": "to_montgomery",
        "leave": "from_montgomery",
    },
)
PLAIN = Representation(
    "plain",
    "x stands as x",
    {
        "mul": "mul_plain",
        "square": "square_plain",
        "sum_of_products": "sum_of_products_plain",
        "reduce": "reduce",
    },
)
REPRESENTATIONS = (MONTGOMERY, PLAIN)
SAME = ("add", "sub", "neg", "double")
"""What is built beside the parts of either."""


def representation_of(operation: Operation) -> Representation | None:
    """The representation whose residues an operation takes; None where it is the same in all."""
    if operation.family in SHARED:
        return None
    return PLAIN if operation.name in PLAIN.parts.values() else MONTGOMERY


@dataclass(frozen=True)
class Offer:
    """A representation for a prime: the algorithm of each part, or why it is not offered."""

    representation: Representation
    algorithms: Mapping[str, tuple[str, ...]]
    """By part, the algorithms whose bounds hold, in the order of the catalogue."""
    reason: str = ""

    @property
    def applies(self) -> bool:
        """Whether every part has an algorithm."""
        return not self.reason


def offers(f: Field, offered: Mapping[str, list[Kernel]]) -> list[Offer]:
    """Each representation for a prime, from the kernels offered for each operation."""
    return [_offer(f, representation, offered) for representation in REPRESENTATIONS]


def _offer(f: Field, representation: Representation, offered: Mapping[str, list[Kernel]]) -> Offer:
    found: dict[str, tuple[str, ...]] = {}
    reason = ""
    for part, operation in representation.parts.items():
        names = []
        for kernel in offered[operation]:
            try:
                kernel.expression(f)
                names.append(kernel.algorithm)
            except BoundError as error:
                refusal = str(error)
        found[part] = tuple(names)
        if not names and not reason:
            reason = refusal
    return Offer(representation, found, reason)
