"""Instructions for words of lanes that hold whole numbers: products of 32 bits, unsigned minima."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.language import LanguageError
from fieldc.targets.vectors.instructions import INSTRUCTIONS, Rows, VectorInstruction
from fieldc.targets.vectors.select import Selection
from fieldc.targets.x86_64.operands import Operand, Virtual
from fieldc.words.program import Step, Value

_ROWS = (
    VectorInstruction("vpmuludq", memory=1, any_two=True, is_product=True),
    VectorInstruction("vpminuq", memory=1, any_two=True),
)
_HALF = (1 << HALF_BITS) - 1


@dataclass
class WordSelection(Selection):
    """The code of word programs. A flag is never made: it only chooses the smaller of two words."""

    rows: ClassVar[Rows] = INSTRUCTIONS | {row.mnemonic: row for row in _ROWS}
    _halves: dict[int, Value] = field(default_factory=dict)
    """By the number of a word's low half: the word, whose low half a product reads."""
    _differences: dict[int, Step] = field(default_factory=dict)
    """By the number of a borrow or of its mask: the subtraction."""
    _corrections: dict[int, tuple[Step, Value]] = field(default_factory=dict)
    """By a number: the constant that is added where a subtraction has a borrow."""

    def _mul(self, step: Step) -> None:
        a, b = (self._halves.get(v.number, v) for v in step.inputs)
        if max(v.high for v in step.inputs) > _HALF:
            raise LanguageError("a product of lanes has factors of 32 bits")
        if a.constant is not None:
            a, b = b, a
        self._set(step, "vpmuludq", self._in_register(a), self._read(b))

    def _and(self, step: Step) -> None:
        for mask, other in (step.inputs, step.inputs[::-1]):
            if mask.constant == _HALF:
                self._halves[step.outputs[0].number] = other
                return
            if mask.number in self._differences:
                number = step.outputs[0].number
                self._corrections[number] = self._differences[mask.number], other
                return
        super()._and(step)

    def _read(self, value: Value) -> Operand:
        self._cut(value)
        return super()._read(value)

    def _in_register(self, value: Value) -> Virtual:
        self._cut(value)
        return super()._in_register(value)

    def _cut(self, value: Value) -> None:
        """Make a low half that something else than a product reads."""
        whole = self._halves.pop(value.number, None)
        if whole is not None:
            mask = self.tables.word(_HALF, hex(_HALF))
            register = self._in_register(whole)
            self._known[value.number] = self._put("vpandq", value.name, register, mask)

    def _sub(self, step: Step) -> None:
        super()._sub(step)
        self._differences[step.outputs[1].number] = step

    def _mask(self, step: Step) -> None:
        self._differences[step.outputs[0].number] = self._differences[step.inputs[0].number]

    def _select(self, step: Step) -> None:
        """a where a - b has a borrow, else a - b: as a difference with a borrow is above a."""
        borrow, kept, difference = step.inputs
        made = self._differences[borrow.number]
        if made.inputs[0] != kept or made.outputs[0] != difference:
            raise LanguageError("lanes select t - c, or t where that is negative")
        self._smaller(step, self._in_register(kept), difference)

    def _add(self, step: Step) -> None:
        difference, masked = step.inputs[:2]
        if difference.number in self._corrections:
            difference, masked = masked, difference
        if masked.number not in self._corrections:
            super()._add(step)
            return
        made, constant = self._corrections[masked.number]
        a, b = made.inputs[:2]
        is_right = constant.constant is not None and a.high + constant.high < 1 << 64
        if made.outputs[0] != difference or not is_right or b.high > constant.high:
            raise LanguageError("lanes correct d by a constant where d is negative")
        corrected = self._put(
            "vpaddq", "corrected", self._in_register(difference), self._read(constant)
        )
        self._smaller(step, corrected, difference)

    def _smaller(self, step: Step, a: Virtual, b: Value) -> None:
        self._set(step, "vpminuq", a, self._read(b))
