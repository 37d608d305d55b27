"""Which kernels on arrays there are: operations, layouts, and the expression of each."""

from __future__ import annotations

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


def conversions(f: Field) -> dict[str, tuple[Expression, Field, str, int]]:
    """Kernels that change the layout, by name: expression, the results' field, layouts, factor.

    An element keeps its value. Its Montgomery form is multiplied by the factor, which is the
    quotient of the two R.
    """
    digits, shift = in_lanes(f), spare(f)
    return {
        "to_digits": (to_digits.expression(f), digits, f"{ARRAY}-to-{CANONICAL}", 1 << shift),
        "from_digits": (
            from_digits.expression(digits),
            f,
            f"{CANONICAL}-to-{ARRAY}",
            pow(2, -shift, f.p),
        ),
    }


def layouts_of(f: Field, operation: str) -> list[str]:
    """The layouts that an operation has: arrays of 32-bit words have no digits."""
    if f.word == HALF_BITS:
        return [ARRAY]
    names = {k.operation for k in LANES}
    return [each for each in LAYOUTS if each != DIGITS or f"{operation}_lazy" in names]
