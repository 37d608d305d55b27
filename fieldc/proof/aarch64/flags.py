"""The flags of AArch64, and whether a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from capstone import arm64_const as arm

from fieldc.proof.aarch64.words import Words, tabulate
from fieldc.proof.algebra.equations import Polynomial, add_to, constant


@dataclass(frozen=True)
class Flags:
    """Flags as polynomials that are 0 or 1, or None where nothing is known.

    C after a subtraction is 1 less the borrow.
    """

    zero: Polynomial | None = None
    carry: Polynomial | None = None
    negative: Polynomial | None = None
    overflow: Polynomial | None = None
    result: Polynomial | None = None
    """The word that Z and N are about, where they are not known: foreign code may ask."""
    compared: tuple[Polynomial, Polynomial] | None = None
    """Two words whose difference set the flags."""


CERTIFIED_CONDITIONS = frozenset(
    (arm.ARM64_CC_EQ, arm.ARM64_CC_NE, arm.ARM64_CC_HS, arm.ARM64_CC_LO)
)
"""What crates/check knows too."""
INVERSE = {
    arm.ARM64_CC_NE: arm.ARM64_CC_EQ,
    arm.ARM64_CC_LO: arm.ARM64_CC_HS,
    arm.ARM64_CC_PL: arm.ARM64_CC_MI,
    arm.ARM64_CC_VC: arm.ARM64_CC_VS,
    arm.ARM64_CC_LS: arm.ARM64_CC_HI,
    arm.ARM64_CC_LT: arm.ARM64_CC_GE,
    arm.ARM64_CC_LE: arm.ARM64_CC_GT,
}
"""Each pair of conditions of which one holds."""


def inverted(flag: Polynomial) -> Polynomial:
    """1 - flag."""
    return tabulate(lambda value: 1 - value, flag)


def condition(flags: Flags, cc: int, words: Words, where: str) -> Polynomial | None:
    """Whether a condition of a certificate holds; None where nothing is known of its flag."""
    value = flags.zero if INVERSE.get(cc, cc) == arm.ARM64_CC_EQ else flags.carry
    if value is None:
        return None
    return inverted(value) if cc in INVERSE else value


def foreign_condition(flags: Flags, cc: int, words: Words, where: str) -> Polynomial | None:
    """Whether any condition holds, by flags that are found when they are asked for."""
    ask = ASKED.get(INVERSE.get(cc, cc))
    value = ask(flags, words, where) if ask else None
    if value is None:
        return None
    return inverted(value) if cc in INVERSE else value


Ask = Callable[[Flags, Words, str], Polynomial | None]


def _zero(flags: Flags, words: Words, where: str) -> Polynomial | None:
    if flags.zero is not None or flags.result is None:
        return flags.zero
    return words.is_zero(flags.result, where)


def _carry(flags: Flags, words: Words, where: str) -> Polynomial | None:
    return flags.carry


def _negative(flags: Flags, words: Words, where: str) -> Polynomial | None:
    if flags.negative is not None or flags.result is None:
        return flags.negative
    return words.high(flags.result, constant(2), where)


def _overflow(flags: Flags, words: Words, where: str) -> Polynomial | None:
    return flags.overflow


def _higher(flags: Flags, words: Words, where: str) -> Polynomial | None:
    """Whether the first of two words is larger: then the second less the first borrows."""
    if flags.compared is None:
        return _joined(words, flags.carry, flags.zero, lambda carry, zero: carry & 1 - zero)
    first, second = flags.compared
    right = dict(words.word(second, where))
    add_to(right, words.word(first, where), -1)
    return words.row(right, -1, where)[1]


def _not_less(flags: Flags, words: Words, where: str) -> Polynomial | None:
    return _joined(words, flags.negative, flags.overflow, lambda n, v: int(n == v))


def _greater(flags: Flags, words: Words, where: str) -> Polynomial | None:
    not_less = _not_less(flags, words, where)
    return _joined(words, not_less, flags.zero, lambda ge, zero: ge & 1 - zero)


def _joined(
    words: Words, a: Polynomial | None, b: Polynomial | None, function: Callable[[int, int], int]
) -> Polynomial | None:
    if a is None or b is None or not words.are_bits(a, b):
        return None
    return tabulate(function, a, b)


ASKED: dict[int, Ask] = {
    arm.ARM64_CC_EQ: _zero,
    arm.ARM64_CC_HS: _carry,
    arm.ARM64_CC_MI: _negative,
    arm.ARM64_CC_VS: _overflow,
    arm.ARM64_CC_HI: _higher,
    arm.ARM64_CC_GE: _not_less,
    arm.ARM64_CC_GT: _greater,
}
