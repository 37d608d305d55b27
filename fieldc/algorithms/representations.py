"""Representations of residues: which operation plays which part, and which a prime can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.field import Field
from fieldc.language import BoundError, Kernel
from fieldc.operations import Operation

SHARED = (
    "add",
    "sub",
    "neg",
    "double",
    "mul_by",
    "mul_u64",
    "mul_u128",
    "divstep_update",
    "divstep_de",
)
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
    lazy: Mapping[str, str] = field(hash=False)
    """The operations of values below 2p, for primes with 4p < R."""

    def stored(self, f: Field, x: int) -> int:
        """Return the residue that stands for x."""
        return f.to_montgomery(x % f.p) if "enter" in self.parts else x % f.p


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
    {"mul": "mul_lazy", "square": "square_lazy"},
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
    {"mul": "mul_plain_lazy", "square": "square_plain_lazy"},
)
REPRESENTATIONS = (MONTGOMERY, PLAIN)
PRODUCTS = tuple(MONTGOMERY.parts[part] for part in ("mul", "square"))
"""Products in Montgomery form."""
SAME = ("add", "sub", "neg", "double")
"""What is built for every representation."""


def representation_of(operation: Operation) -> Representation | None:
    """Return the representation that an operation works on; None if it is the same in all."""
    if operation.family in SHARED or operation.name == "reduce_lazy":
        return None
    is_plain = operation.name in (*PLAIN.parts.values(), *PLAIN.lazy.values())
    return PLAIN if is_plain else MONTGOMERY


@dataclass(frozen=True)
class Offer:
    """A representation for a prime: the algorithm of each part, or why it is not offered."""

    representation: Representation
    algorithms: Mapping[str, tuple[str, ...]]
    """For each part, the algorithms whose bounds hold, in the order of the catalogue."""
    reason: str = ""

    @property
    def applies(self) -> bool:
        """Return whether every part has an algorithm."""
        return not self.reason


def offers(f: Field, offered: Mapping[str, list[Kernel]]) -> list[Offer]:
    """Each representation for a prime, from the kernels offered for each operation."""
    return [_offer(f, representation, offered) for representation in REPRESENTATIONS]


def _offer(f: Field, representation: Representation, offered: Mapping[str, list[Kernel]]) -> Offer:
    found: dict[str, tuple[str, ...]] = {}
    reason = ""
    for part, operation in representation.parts.items():
        names, refusals = [], []
        for kernel in offered[operation]:
            try:
                kernel.expression(f)
                names.append(kernel.algorithm)
            except BoundError as error:
                refusals.append(str(error))
        found[part] = tuple(names)
        if not names and not reason:
            reason = refusals[0]  # of the algorithm that asks least of a prime
    return Offer(representation, found, reason)
