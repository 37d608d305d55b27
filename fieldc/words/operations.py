"""The operations on w-bit words: one table, which every reader uses.

Each row states the integer equation that its outputs satisfy, and computes them at any word
width. The interpreter runs a row, printers and instruction selection look a row up by name, and
bounds of outputs are exact integers taken from the equation.

A word is an integer in [0, 2^w); a flag is 0 or 1. Flags are ordinary values: nothing here knows
of a flag register.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a value of a word program holds."""

    WORD = "word"
    FLAG = "flag"


@dataclass(frozen=True)
class WordOperation:
    """One row of the table.

    `compute(w, inputs, attribute)` returns the outputs; `equation` is the same statement as text.
    It has no branch, so that it also runs on arrays of integers, element by element.
    """

    name: str
    inputs: tuple[Kind, ...]
    outputs: tuple[Kind, ...]
    equation: str
    compute: Callable[[int, tuple[int, ...], int], tuple[int, ...]]


def _add(w: int, v: tuple[int, ...], _: int) -> tuple[int, ...]:
    total = v[0] + v[1] + v[2]
    return total % (1 << w), total >> w


def _sub(w: int, v: tuple[int, ...], _: int) -> tuple[int, ...]:
    difference = v[0] - v[1] - v[2]
    return difference % (1 << w), (difference < 0) * 1


def _mul(w: int, v: tuple[int, ...], _: int) -> tuple[int, ...]:
    product = v[0] * v[1]
    return product % (1 << w), product >> w


def _funnel(w: int, v: tuple[int, ...], k: int) -> tuple[int, ...]:
    return ((((v[0] << w) + v[1]) >> k) % (1 << w),)


def _load(w: int, v: tuple[int, ...], k: int) -> tuple[int, ...]:
    raise TypeError("a load takes its limb from an operand, not from words")


def _multiply_low(w: int, v: tuple[int, ...], k: int) -> tuple[int, ...]:
    digit = 1 << k
    return ((v[2] + (v[0] % digit) * (v[1] % digit) % digit) % (1 << w),)


def _multiply_high(w: int, v: tuple[int, ...], k: int) -> tuple[int, ...]:
    digit = 1 << k
    return ((v[2] + ((v[0] % digit) * (v[1] % digit) >> k)) % (1 << w),)


def _shift_signed(w: int, v: tuple[int, ...], k: int) -> tuple[int, ...]:
    signed = v[0] - ((v[0] >> (w - 1)) << w)
    return ((signed >> k) % (1 << w),)


_W, _F = Kind.WORD, Kind.FLAG

ADD = WordOperation("add", (_W, _W, _F), (_W, _F), "carry_out*2^w + sum = a + b + carry_in", _add)
SUB = WordOperation(
    "sub", (_W, _W, _F), (_W, _F), "difference - borrow_out*2^w = a - b - borrow_in", _sub
)
MUL = WordOperation("mul", (_W, _W), (_W, _W), "hi*2^w + lo = a * b", _mul)
MUL_LOW = WordOperation(
    "mul_low", (_W, _W), (_W,), "lo = a * b mod 2^w", lambda w, v, _: (v[0] * v[1] % (1 << w),)
)
SELECT = WordOperation(
    "select",
    (_F, _W, _W),
    (_W,),
    "out = flag*a + (1 - flag)*b",
    lambda w, v, _: (v[0] * v[1] + (1 - v[0]) * v[2],),
)
MASK = WordOperation(
    "mask", (_F,), (_W,), "out = flag * (2^w - 1)", lambda w, v, _: (v[0] * ((1 << w) - 1),)
)
AND = WordOperation(
    "and", (_W, _W), (_W,), "out = a & b, bit by bit", lambda w, v, _: (v[0] & v[1],)
)
FUNNEL = WordOperation(
    "funnel",
    (_W, _W),
    (_W,),
    "out = ((high*2^w + low) >> k) mod 2^w, 0 < k < w the step's attribute",
    _funnel,
)
LOAD = WordOperation(
    "load",
    (),
    (_W,),
    "out = limb number `attribute` of the step's operand",
    _load,
)

OPERATIONS: dict[str, WordOperation] = {
    row.name: row for row in (ADD, SUB, MUL, MUL_LOW, SELECT, MASK, AND, FUNNEL, LOAD)
}

ADD_LOW = WordOperation(
    "add_low",
    (_W, _W, _W),
    (_W,),
    "out = c + (a mod 2^k)*(b mod 2^k) mod 2^k, modulo 2^w; k the step's attribute",
    _multiply_low,
)
ADD_HIGH = WordOperation(
    "add_high",
    (_W, _W, _W),
    (_W,),
    "out = c + ((a mod 2^k)*(b mod 2^k) >> k), modulo 2^w; k the step's attribute",
    _multiply_high,
)
SHIFT_SIGNED = WordOperation(
    "shift_signed",
    (_W,),
    (_W,),
    "out = a >> k, a and out in two's complement; k the step's attribute",
    _shift_signed,
)
MERGE = WordOperation(
    "merge",
    (_W, _W, _W),
    (_W,),
    "out = a where the mask has ones, b where it has zeros, bit by bit",
    lambda w, v, _: (v[0] & v[1] | ~v[0] & v[2],),
)

LANE_OPERATIONS: dict[str, WordOperation] = {
    row.name: row for row in (ADD_LOW, ADD_HIGH, SHIFT_SIGNED, MERGE)
}
"""What lanes have besides: words of vectors, whose products are of digits of k bits."""
