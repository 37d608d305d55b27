"""Instructions for programs of words in lanes: products of 32 bits, minima, sums under a mask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF, HALF_BITS, WORD, WORD_BITS
from fieldc.language import LanguageError
from fieldc.targets.vectors.instructions import INSTRUCTIONS, Fixed, Rows, VectorInstruction, number
from fieldc.targets.vectors.select import FLAG, Selection
from fieldc.targets.x86_64.operands import Operand, Virtual
from fieldc.words.operations import ADD, SUB, Kind
from fieldc.words.program import Step, Value

_ROWS = (
    VectorInstruction("vpminuq", memory=1, any_two=True),
    VectorInstruction("add_where", tied=True, memory=1, text="vpaddq {0} {{{2}}}, {0}, {1}"),
)
_HALF = HALF - 1


@dataclass(frozen=True)
class _Masked:
    """A constant where a step has a carry or a borrow, else 0."""

    step: Step
    constant: Value


@dataclass
class WordSelection(Selection):
    """The code of word programs. Neither low halves nor flags take an instruction of their own."""

    rows: ClassVar[Rows] = INSTRUCTIONS | {row.mnemonic: row for row in _ROWS}
    most: ClassVar[int] = WORD
    """Sums below it are told from negative differences without a comparison."""
    _halves: dict[int, Value] = field(default_factory=dict)
    """By the number of a word's low half: the word, whose low half a product reads."""
    _flags: dict[int, Step] = field(default_factory=dict)
    """By the number of a flag or of its mask: the sum or difference."""
    _masked: dict[int, _Masked] = field(default_factory=dict)

    def _mul(self, step: Step) -> None:
        a, b = (self._halves.get(v.number, v) for v in step.inputs)
        if max(v.high for v in step.inputs) > _HALF:
            raise LanguageError("a product of lanes has factors of 32 bits")
        if a.constant is not None:
            a, b = b, a
        self._set(step, "vpmuludq", self._in_register(a), self._read(b))

    def _and(self, step: Step) -> None:
        made = step.outputs[0].number
        for mask, other in (step.inputs, step.inputs[::-1]):
            if mask.constant == _HALF:
                self._halves[made] = other
                return
            if mask.number in self._flags:
                self._masked[made] = _Masked(self._flags[mask.number], other)
                return
        super()._and(step)

    def _funnel(self, step: Step) -> None:
        """A low half that is moved up is not cut first."""
        (high, low), k = step.inputs, step.attribute
        if low.constant == 0 and k <= HALF_BITS and high.number in self._halves:
            whole = self._in_register(self._halves[high.number])
            self._set(step, "vpsllq", whole, number(WORD_BITS - k))
        else:
            super()._funnel(step)

    def _read(self, value: Value) -> Operand:
        self._cut(value)
        return super()._read(value)

    def _in_register(self, value: Value) -> Virtual:
        self._cut(value)
        return super()._in_register(value)

    def _cut(self, value: Value) -> None:
        """Make a low half that something else than a product reads."""
        whole = self._halves.get(value.number)
        if whole is not None and value.number not in self._known:
            mask = self.tables.word(_HALF, hex(_HALF))
            register = self._in_register(whole)
            self._known[value.number] = self._put("vpandq", value.name, register, mask)

    def _sub(self, step: Step) -> None:
        super()._sub(step)
        self._flags[step.outputs[1].number] = step

    def _mask(self, step: Step) -> None:
        self._flags[step.outputs[0].number] = self._flags[step.inputs[0].number]

    def _select(self, step: Step) -> None:
        """a where a - b has a borrow, else a - b."""
        borrow, kept, difference = step.inputs
        made = self._flags[borrow.number]
        if made.inputs[0] != kept or made.outputs[0] != difference:
            raise LanguageError("words in lanes select t - c, or t where that is negative")
        self._if_negative(step, self._in_register(difference), self._read(kept), kept.high)

    def _if_negative(self, step: Step, word: Virtual, other: Operand, high: int) -> None:
        """The other word where a word is negative, which is up to `high` where it is not.

        It is the smaller one: a difference with a borrow is above all.
        """
        self._set(step, "vpminuq", word, other)

    def _add(self, step: Step) -> None:
        a, b, carry = step.inputs
        if carry.constant is None:
            if a.constant != 0 or b.constant != 0:
                raise LanguageError("words in lanes take no carry")
            one = Value(-1, Kind.WORD, 1, "1", 1)
            self._masked[step.outputs[0].number] = _Masked(self._flags[carry.number], one)
        elif a.number in self._masked or b.number in self._masked:
            self._add_masked(step, *((b, a) if a.number in self._masked else (a, b)))
        else:
            super()._add(step)
            self._flags[step.outputs[1].number] = step

    def _add_masked(self, step: Step, word: Value, masked: Value) -> None:
        given = self._masked[masked.number]
        constant = given.constant
        a, b = given.step.inputs[:2]
        is_correction = given.step.operation is SUB and given.step.outputs[0] == word
        high = a.high + constant.high
        if is_correction and b.high <= constant.high and high < self.most:
            # d + c is the smaller one where d is negative, and else d, since nothing wraps then.
            added = self._put("vpaddq", "corrected", self._in_register(word), self._read(constant))
            self._if_negative(step, self._in_register(word), added, high)
            return
        if given.step.operation is ADD:
            a, b = given.step.outputs[0], a  # the sum is below a where it has a carry
        self._add_where_less(step, word, constant, (a, b))

    def _add_where_less(
        self, step: Step, word: Value, constant: Value, compared: tuple[Value, Value]
    ) -> None:
        """The word, and a constant more where the first one of two words is less."""
        a, b = (self._in_register(each) for each in compared)
        self._do("less", None, Fixed(FLAG), a, b)
        register = self._in_register(word)
        self._set(step, "add_where", register, self._read(constant), Fixed(FLAG))
