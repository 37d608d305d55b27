"""Elements with plain integers, choices, and sums that are reduced once.

fieldc build bn254-r --formula examples/integers.py -o out
"""

from __future__ import annotations

from typing import NamedTuple

from fieldc.formulas import I64, I128, U64, U128, Element, Mask, accumulator, choose, formula

Sum6, Sum7, Sum8 = accumulator(6), accumulator(7), accumulator(8)
Scaled7, Scaled8 = accumulator(7, U64), accumulator(8, U64)
Signed7, Signed8 = accumulator(7, I64), accumulator(8, I64)


@formula
def scaled(x: Element, k: U64) -> Element:
    """x times a number below 2^64."""
    return x * k


@formula
def scaled_128(x: Element, k: U128) -> Element:
    """x times a number below 2^128."""
    return x * k


@formula
def scaled_signed(x: Element, k: I64) -> Element:
    """x times a number from -2^63 to 2^63 - 1."""
    return x * k


@formula
def scaled_signed_128(x: Element, k: I128) -> Element:
    """x times a number from -2^127 to 2^127 - 1."""
    return x * k


@formula
def chosen(m: Mask, a: Element, b: Element) -> Element:
    """a where m is 1, b where m is 0."""
    return choose(m, a, b)


@formula
def step(s: Sum7, x: Element, y: Element) -> Sum8:
    """A sum of products and one product more, not reduced."""
    return s.plus(x, y)


class Two(NamedTuple):
    """Two elements."""

    first: Element
    second: Element


@formula
def two_steps(s: Sum6, x: Two, y: Two) -> Sum8:
    """A sum of products and two products more: a call for two terms of an inner product."""
    return s.plus(x.first, y.first).plus(x.second, y.second)


@formula
def ended(s: Sum8) -> Element:
    """The sum of at most eight products as an element."""
    return s.reduced()


@formula
def scaled_step(s: Scaled7, x: Element, k: U64) -> Scaled8:
    """A sum of elements times numbers, and one more."""
    return s.plus(x, k)


@formula
def scaled_ended(s: Scaled8) -> Element:
    """That sum as an element."""
    return s.reduced()


@formula
def signed_step(s: Signed7, x: Element, k: I64) -> Signed8:
    """A sum of elements times signed numbers, and one more."""
    return s.plus(x, k)


@formula
def signed_ended(s: Signed8) -> Element:
    """That sum as an element."""
    return s.reduced()
