"""From what stands for a field in Python to its derived constants."""

from __future__ import annotations

from operator import index
from typing import Protocol, SupportsIndex, cast, runtime_checkable

from fieldc.catalogue import find_field
from fieldc.errors import UserError, shorten, with_article
from fieldc.field import Field as Constants

LIMB_BITS, HALF_BITS = 64, 32


class WordError(UserError, ValueError):
    """Arrays of words that there are not."""


@runtime_checkable
class HasConstants(Protocol):
    """A field as Python has it."""

    @property
    def constants(self) -> Constants:
        """Everything derived from the prime."""


def constants_of(prime: str | int | HasConstants | Constants) -> Constants:
    """The derived constants of what stands for a field, 64-bit limbs.

    Raises ModulusError, and TypeError for another type.
    """
    if isinstance(prime, HasConstants):
        prime = prime.constants
    if isinstance(prime, Constants):
        return prime if prime.word == LIMB_BITS else Constants(prime.p, LIMB_BITS, prime.name)
    if isinstance(prime, str):
        return find_field(prime)
    if (number := integer_of(prime)) is None:
        kind = with_article(type(prime).__name__)
        raise TypeError(f"a field is an integer, a field, or text with a prime, not {kind}")
    return find_field(hex(number))


def integer_of(value: object) -> int | None:
    """The integer that a value is; None for what is none, such as an array of numpy's."""
    try:
        return index(cast("SupportsIndex", value))
    except TypeError:
        return None


def check_modulus(modulus: object) -> None:
    """Raise TypeError where `pow` was given a modulus: elements have their own."""
    if modulus is not None:
        raise TypeError("elements have a modulus; leave out the third argument of pow")


def in_words(constants: Constants, word: int) -> Constants:
    """The constants for arrays of words of 64 bits, or of 32. Raises WordError."""
    if integer_of(word) not in (LIMB_BITS, HALF_BITS):
        raise WordError(f"arrays have words of 64 or 32 bits, not of {shorten(repr(word))}")
    if word == LIMB_BITS:
        return constants
    from fieldc.algorithms.lane_words import check_halves
    from fieldc.integers import DoesNotApply

    made = Constants(constants.p, HALF_BITS, constants.name)
    try:
        check_halves(made)
    except DoesNotApply as error:
        raise WordError(str(error)) from None
    return made
