"""Products of digits by doubles: a fused multiplication rounds down to the high half.

For digits a and b below 2^52 (Emmart, Zheng, Weems, "Faster modular exponentiation using double
precision floating point arithmetic on the GPU", ARITH 2018):

    high = a*b + 2^104, rounded down     2^104 + 2^52*floor(a*b / 2^52): a double there has
                                         multiples of 2^52, and its lowest bits are the high half
    low  = a*b + (2^104 + 2^52 - high)   2^52 + a*b mod 2^52, exactly: its lowest bits are the low

The bits above are those of 2^104 and of 2^52. They are added to columns with the halves, and taken
off when a column is used: a lane is an integer modulo 2^64.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.targets.vectors.instructions import INSTRUCTIONS, Rows, VectorInstruction
from fieldc.targets.vectors.select import DigitSelection
from fieldc.targets.x86_64.operands import Operand, Virtual
from fieldc.words.lane_steps import LaneStyle
from fieldc.words.program import Step, Value

_ROWS = (
    VectorInstruction(
        "fma_down", tied=True, text="vfmadd231pd {0}, {1}, {2}, {{rz-sae}}", is_product=True
    ),
    VectorInstruction("vfmadd231pd", tied=True, is_product=True),
    VectorInstruction("vsubpd", memory=1),
    VectorInstruction("vcvtuqq2pd", memory=0),
)
MASK = (1 << DIGIT_BITS) - 1
RADIX = 1 << 64
ONE, HIGH_ONE = 1 << DIGIT_BITS, 1 << 2 * DIGIT_BITS
"""What is added to low and to high halves."""


def bits_of(value: int) -> int:
    """The 64 bits of an integer as a double, which must hold it exactly."""
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return bits


@dataclass
class DoubleSelection(DigitSelection):
    """Adds both halves of a product in five instructions."""

    rows: ClassVar[Rows] = INSTRUCTIONS | {row.mnemonic: row for row in _ROWS}
    style: ClassVar[LaneStyle] = LaneStyle(halves_together=True)
    _excess: dict[int, int] = field(default_factory=dict)
    """By a value's number what its register has more than the value, modulo 2^64."""
    _products: dict[tuple[int, int], tuple[Virtual, Virtual, Virtual]] = field(default_factory=dict)
    """By two numbers: the high half of their product, and both as doubles."""
    _lows: dict[int, Virtual] = field(default_factory=dict)
    """Low halves to which nothing is added: 2^52 more, as doubles."""
    _doubles: dict[int, Virtual] = field(default_factory=dict)
    _held: dict[int, Virtual] = field(default_factory=dict)

    def _read(self, value: Value) -> Operand:
        self._settle(value)
        return super()._read(value)

    def _in_register(self, value: Value) -> Virtual:
        self._settle(value)
        return super()._in_register(value)

    def _settle(self, value: Value) -> None:
        """Take off what a register has too much."""
        excess = self._excess.pop(value.number, 0)
        if excess:
            less = self.tables.word(-excess % RADIX, "less what halves carry")
            self._known[value.number] = self._put(
                "vpaddq", value.name, self._known[value.number], less
            )

    def _keep(self, step: Step, register: Virtual, excess: int) -> None:
        number = step.outputs[0].number
        self._known[number] = register
        if excess % RADIX:
            self._excess[number] = excess % RADIX

    def _add(self, step: Step) -> None:
        a, b = step.inputs[:2]
        if a.constant is not None:
            a, b = b, a
        excess = self._excess.get(a.number, 0)
        if b.constant is None:
            total = self._put(
                "vpaddq", step.outputs[0].name, self._known[a.number], self._known[b.number]
            )
            self._keep(step, total, excess + self._excess.get(b.number, 0))
        elif excess:
            self._keep(step, self._known[a.number], excess - b.constant)
        else:
            super()._add(step)

    def _add_low(self, step: Step) -> None:
        a, b, total = step.inputs
        if min(a.high, MASK) * min(b.high, MASK) <= MASK:  # there is no high half
            less, x, y = self._number(ONE), self._double(a), self._double(b)
        else:
            high, x, y = self._product(a, b)
            less = self._put("vsubpd", "less high", self._number(HIGH_ONE + ONE), high)
        low = self._put("vfmadd231pd", "low half", less, x, y)
        if total.constant == 0:
            self._lows[step.outputs[0].number] = low
        self._onto(step, total, low, bits_of(ONE))

    def _add_high(self, step: Step) -> None:
        a, b, total = step.inputs
        self._onto(step, total, self._product(a, b)[0], bits_of(HIGH_ONE))

    def _onto(self, step: Step, total: Value, half: Virtual, excess: int) -> None:
        if total.constant is not None:
            self._keep(step, half, excess - total.constant)
            return
        added = self._put("vpaddq", step.outputs[0].name, half, self._known[total.number])
        self._keep(step, added, excess + self._excess.get(total.number, 0))

    def _product(self, a: Value, b: Value) -> tuple[Virtual, Virtual, Virtual]:
        key = a.number, b.number
        if key not in self._products:
            x, y = self._double(a), self._double(b)
            high = self._put("fma_down", "high half", self._number(HIGH_ONE), x, y)
            self._products[key] = high, x, y
        return self._products[key]

    def _double(self, value: Value) -> Virtual:
        """The lowest 52 bits of a word as a double."""
        if value.constant is not None:
            digit = value.constant & MASK
            return self._constant(bits_of(digit), f"{value.name} as a double")
        if value.number not in self._doubles:
            self._doubles[value.number] = self._converted(value)
        return self._doubles[value.number]

    def _converted(self, value: Value) -> Virtual:
        name = f"{value.name} as a double"
        if value.number in self._lows:
            return self._put("vsubpd", name, self._lows[value.number], self._number(ONE))
        word = self._in_register(value)
        if value.high > MASK:
            word = self._put("vpandq", value.name, word, self.tables.word(MASK, "2^52 - 1"))
        return self._put("vcvtuqq2pd", name, word)

    def _number(self, value: int) -> Virtual:
        """A double that stays in a register while there is room."""
        if value not in self._held:
            self._held[value] = self._constant(bits_of(value), f"2^{value.bit_length() - 1}")
        return self._held[value]
