"""The formulas that the tests of packages build, and the file that they stand in."""

from __future__ import annotations

from pathlib import Path

SMALL = "2^61-1"
"""One limb with room for values below a few p: kernels and proofs take little time."""
TEXT = '''"""Formulas of every kind of step."""

from fieldc.formulas import Element, formula

Point = tuple[Element, Element]


@formula
def chain(a: Point, b: Point) -> Point:
    """Products of products, and values that are used twice."""
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)


@formula
def turned(new: Point, fn: Point) -> tuple[Element, Element, Element]:
    """Results that are operands, constants, and names that languages keep for themselves."""
    x, y = new
    return fn[1], ((x * x - y) * y - 1000) * y + 7, x


@formula
def multiples(to: Element, words: Element, Some: Element) -> Element:
    """No product of two elements, and names that packages use themselves."""
    return -5 * to + 100 * to + (Some - Some)
'''
MIXED = """
from fieldc.formulas import I64, I128, U64, U128, Mask, accumulator, choose

One, Three, Many = accumulator(1), accumulator(3), accumulator(65536)
Scaled = accumulator(3, U64)
Signed, ManySigned = accumulator(3, I64), accumulator(65536, I64)


@formula
def scaled(x: Element, y: Element, k: U64) -> Element:
    t = (x * y - x) * k
    return t * t + 1


@formula
def two_more(s: One, x: Point, y: Point) -> Many:
    return s.plus(x[0], y[0]).plus(x[1], y[1])


@formula
def wider(s: One) -> Many:
    return s


@formula
def whole(s: Three, k: U128) -> Element:
    return s.reduced() * k


@formula
def scaled_sum(s: Scaled) -> Element:
    return s.reduced()


@formula
def signed_product(x: Element, y: Element, k: I64) -> Element:
    t = (x * y - x) * k
    return t * t + t


@formula
def signed_128(x: Element, k: I128) -> Element:
    return x * k


@formula
def signed_step(s: Signed, x: Element, k: I64) -> ManySigned:
    return s.plus(x, k)


@formula
def picked(m: Mask, a: Element, words: Element) -> Element:
    return choose(m, a * words, 5) - 3
"""
"""Formulas with operands and results that are no elements."""
NAMES = ("chain", "turned", "multiples")
MIXED_NAMES = (
    *("scaled", "two_more", "wider", "whole", "scaled_sum"),
    *("signed_product", "signed_128", "signed_step", "picked"),
)
ALL_NAMES = NAMES + MIXED_NAMES


def written(folder: Path, text: str = TEXT) -> Path:
    """The file of formulas, in a folder."""
    path = folder / "some.py"
    path.write_text(text)
    return path
