"""Which kernels on arrays there are: operations, layouts, and the expression of each."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import LANES, from_digits, in_lanes, in_lanes_by, spare, to_digits
from fieldc.field import Field
from fieldc.language import Expression

DIGITS, CANONICAL, ARRAY = "digits", "canonical-digits", "array"
LAYOUTS = (DIGITS, CANONICAL, ARRAY)
BATCHED = tuple(dict.fromkeys(k.operation for k in LANES if not k.computes.is_lazy))
"""Operations that have kernels on arrays."""


def array_expression(f: Field, operation: str, layout: str) -> Expression:
    """The expression of an operation for a layout. Raises NoLanes, BoundError.

    In digits, R is 2^52 to the number of digits. In `digits`, values below 2p stay there.
    """
    named = f"{operation}_lazy" if layout == DIGITS else operation
    return in_lanes_by(f if layout == ARRAY else in_lanes(f), named)


@dataclass(frozen=True)
class Conversion:
    """A kernel that changes the layout: an element keeps its value."""

    expression: Expression
    result: Field
    """Of the words of the results."""
    layout: str
    """Both layouts."""
    factor: int
    """What a Montgomery form is multiplied by: the quotient of the two R."""
    lazy: int = 0
    """Operands are below (lazy + 1)*p."""

    @property
    def parameters(self) -> dict[str, int]:
        """What the prover knows of it: a multiple of x."""
        return {"factor": self.factor} | ({"lazy": self.lazy} if self.lazy else {})


def conversions(f: Field) -> dict[str, Conversion]:
    """Kernels that change the layout, by name."""
    digits, factor = in_lanes(f), 1 << spare(f)
    into, back = to_digits.expression(f), from_digits.expression(digits)
    return {
        "to_digits": Conversion(into, digits, f"{ARRAY}-to-{CANONICAL}", factor),
        "from_digits": Conversion(back, f, f"{DIGITS}-to-{ARRAY}", pow(factor, -1, f.p), 1),
    }


def layouts_of(f: Field, operation: str) -> list[str]:
    """The layouts that an operation has: arrays of 32-bit words have no digits."""
    if f.word == HALF_BITS:
        return [ARRAY]
    names = {k.operation for k in LANES}
    return [each for each in LAYOUTS if each != DIGITS or f"{operation}_lazy" in names]
