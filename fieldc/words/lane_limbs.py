"""Between limbs of 64 bits and digits of 52, in the words of a lane."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.algorithms.lanes import DIGIT_BITS, LIMB_BITS
from fieldc.words.lane_steps import LaneBuilder
from fieldc.words.program import Value


def digit_of(build: LaneBuilder, limbs: Sequence[Value], at: int) -> Value:
    """A word whose lowest 52 bits are those of a number from bit `at` on, perhaps from below 0."""
    zero = build.constant(0)
    index, shift = divmod(at, LIMB_BITS)
    low, high = (limbs[i] if 0 <= i < len(limbs) else zero for i in (index, index + 1))
    if not shift:
        return low
    return build.funnel(high if shift + DIGIT_BITS > LIMB_BITS else zero, low, shift)


def limbs_of(build: LaneBuilder, digits: Sequence[Value], count: int) -> list[Value]:
    """The limbs of a number, from its digits."""
    return [_limb(build, digits, *divmod(LIMB_BITS * i, DIGIT_BITS)) for i in range(count)]


def _limb(build: LaneBuilder, digits: Sequence[Value], index: int, shift: int) -> Value:
    """64 bits from a place in a digit on; what lies above a digit's bits is shifted out."""
    zero = build.constant(0)
    if index >= len(digits):
        return zero
    above = digits[index + 1] if index + 1 < len(digits) else zero
    spare = LIMB_BITS - DIGIT_BITS
    if shift + spare > DIGIT_BITS and index + 2 < len(digits):
        above = _limb(build, digits, index + 1, 0)
    raised = build.funnel(digits[index], zero, DIGIT_BITS)  # times 2^12
    if shift + spare <= DIGIT_BITS or index + 2 < len(digits):
        return build.funnel(above, raised, shift + spare)
    return build.funnel(build.cut(above), raised, shift + spare)
