"""Instructions for elements of 32 bits: sixteen in a vector, whose products take two registers.

A product of 32 bits reads the lower halves of eight lanes. So the elements with even numbers are
multiplied where they lie, and those with odd numbers after a shift. Everything else is computed in
all sixteen at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF, HALF_BITS
from fieldc.language import LanguageError
from fieldc.targets.vectors.instructions import INSTRUCTIONS, Fixed, Rows, VectorInstruction, number
from fieldc.targets.vectors.select import Selection
from fieldc.targets.x86_64.operands import Operand, Virtual
from fieldc.words.program import Step, Value

_ROWS = (
    VectorInstruction("vpaddd", memory=1, any_two=True),
    VectorInstruction("vpsubd", memory=1),
    VectorInstruction("vpminud", memory=1, any_two=True),
    VectorInstruction("upper_halves", tied=True, text="vmovshdup {0} {{{2}}}, {1}"),
    VectorInstruction("mask", text="kmovw {0}, {1}"),
    VectorInstruction("load_some", text="vmovdqu32 {0} {{{2}}}{{z}}, {1}", ports=0),
    VectorInstruction("store_some", text="vmovdqu32 {0} {{{2}}}, {1}", ports=0),
)
LOWER_HALVES = 0x5555
"""The mask of the elements with even numbers."""
EvenAndOdd = tuple[Virtual, Virtual]
"""Of the elements with even numbers, and of those with odd ones."""


@dataclass
class HalfSelection(Selection):
    """The code of word programs of 32 bits, which have one word for each number but products."""

    rows: ClassVar[Rows] = INSTRUCTIONS | {row.mnemonic: row for row in _ROWS}
    _pairs: dict[int, EvenAndOdd] = field(default_factory=dict)
    """By a number: two registers, the lower halves of whose lanes have the word."""
    _carries: dict[int, tuple[Value, Value, EvenAndOdd]] = field(default_factory=dict)
    """By a carry of two lower words: these, and the sums of the whole products."""
    _differences: dict[int, Step] = field(default_factory=dict)
    """By the number of a borrow or of its mask: the subtraction."""
    _corrections: dict[int, tuple[Step, Value]] = field(default_factory=dict)
    _upper: dict[int, Value] = field(default_factory=dict)
    """By the number of a product's lower word: its upper word, which may be no more than 0."""

    def _constant(self, word: int, name: str) -> Virtual:
        return super()._constant(word << HALF_BITS | word, name)

    def _read(self, value: Value) -> Operand:
        return self._in_register(value)

    def _pair(self, value: Value) -> EvenAndOdd:
        """Where products read a word."""
        if value.number not in self._pairs:
            whole = self._in_register(value)
            odd = whole
            if value.constant is None:
                odd = self._put("vpsrlq", f"{value.name} odd", whole, number(HALF_BITS))
            self._pairs[value.number] = whole, odd
        return self._pairs[value.number]

    def _products(self, step: Step) -> EvenAndOdd:
        (a, c), (b, d) = map(self._pair, step.inputs)
        name = step.outputs[0].name
        return self._put("vpmuludq", name, b, a), self._put("vpmuludq", f"{name} odd", d, c)

    def _mul(self, step: Step) -> None:
        low, high = step.outputs
        self._pairs[low.number] = self._products(step)
        self._upper[low.number] = high

    def _mul_low(self, step: Step) -> None:
        self._pairs[step.outputs[0].number] = self._products(step)

    def _add(self, step: Step) -> None:
        a, b, carry = step.inputs
        if a.number in self._pairs and b.number in self._pairs and a.number not in self._known:
            self._add_products(step)
        elif carry.number in self._carries:
            self._add_above(step)
        elif a.number in self._corrections or b.number in self._corrections:
            self._correct(step, *((b, a) if a.number in self._corrections else (a, b)))
        else:
            self._set(step, "vpaddd", self._in_register(a), self._read(b))

    def _add_products(self, step: Step) -> None:
        """Both words of two products at once: of the upper ones and the carry, see `_add_above`."""
        a, b, _ = step.inputs
        pairs = zip(self._pairs[a.number], self._pairs[b.number], strict=True)
        even, odd = (self._put("vpaddq", "total", x, y) for x, y in pairs)
        self._pairs[step.outputs[0].number] = even, odd
        self._carries[step.outputs[1].number] = a, b, (even, odd)

    def _add_above(self, step: Step) -> None:
        a, b, carry = step.inputs
        x, y, (even, odd) = self._carries[carry.number]
        upper = [self._upper[v.number] for v in (x, y)]
        needed = {v.number for v in upper if v.high}
        if not needed <= {v.number for v in (a, b) if v.constant != 0} <= {v.number for v in upper}:
            raise LanguageError("a carry of products goes to their upper words")
        mask = self.tables.blend(LOWER_HALVES)
        if mask is None:
            raise LanguageError("no register is left for a mask")
        self._set(step, "upper_halves", odd, even, Fixed(mask))

    def _sub(self, step: Step) -> None:
        a, b = step.inputs[:2]
        self._set(step, "vpsubd", self._in_register(a), self._read(b))
        self._differences[step.outputs[1].number] = step

    def _mask(self, step: Step) -> None:
        self._differences[step.outputs[0].number] = self._differences[step.inputs[0].number]

    def _and(self, step: Step) -> None:
        mask, constant = step.inputs
        self._corrections[step.outputs[0].number] = self._differences[mask.number], constant

    def _select(self, step: Step) -> None:
        """t where t - c has a borrow, else t - c: the smaller one, without signs."""
        borrow, kept, difference = step.inputs
        made = self._differences[borrow.number]
        if made.inputs[0] != kept or made.outputs[0] != difference:
            raise LanguageError("words in lanes select t - c, or t where that is negative")
        self._set(step, "vpminud", self._in_register(kept), self._read(difference))

    def _correct(self, step: Step, word: Value, masked: Value) -> None:
        """d + c where d has a borrow, else d: the smaller one, where nothing wraps."""
        made, constant = self._corrections[masked.number]
        a, b = made.inputs[:2]
        if made.outputs[0] != word or b.high > constant.high or a.high + constant.high >= HALF:
            raise LanguageError("words in lanes correct a difference by a constant")
        added = self._put("vpaddd", "corrected", self._in_register(word), self._read(constant))
        self._set(step, "vpminud", added, self._read(word))
