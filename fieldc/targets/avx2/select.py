"""Products by doubles in vectors of four lanes: two vectors hold a word of eight elements.

The products are those of avx512f. What AVX2 lacks is made otherwise:

    rounding to zero    MXCSR says so while the kernel runs
    a digit's double    2^52 is added to its bits, and then taken off
    a shifted sign      carries are raised until they have none; a selection reads the sign itself
    masks               words in vectors, from a table: as many are ones as the tail has words
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF
from fieldc.language import LanguageError
from fieldc.targets.avx512f.select import MASK, ONE, DoubleSelection
from fieldc.targets.vectors.instructions import (
    YMM,
    Rows,
    VectorInstruction,
    VectorSet,
    VirtualVector,
)
from fieldc.targets.vectors.select import TAIL_MASKS, Selection
from fieldc.targets.vectors.words import WordSelection
from fieldc.targets.x86_64.operands import Memory, Operand, Virtual
from fieldc.words.lane_steps import LaneStyle
from fieldc.words.program import Step, Value

LIMB_BYTES = 8
_PAIR = 16
"""Bytes of two limbs."""
_ROWS = (
    VectorInstruction("vmovdqu64", text="vmovdqu {0}, {1}", ports=0),
    VectorInstruction("vmovdqa64", text="vmovdqa {0}, {1}", ports=0),
    VectorInstruction("vpbroadcastq", memory=0, ports=0, bytes=LIMB_BYTES),
    VectorInstruction("vpxorq", text="vpxor {0}, {0}, {0}", ports=0),
    VectorInstruction("vpaddq", memory=1, any_two=True),
    VectorInstruction("vpsubq", memory=1),
    VectorInstruction("vpandq", text="vpand {0}, {1}, {2}", memory=1, any_two=True),
    VectorInstruction("vpsrlq"),
    VectorInstruction("vpsllq"),
    VectorInstruction(
        "fma_down",
        tied=True,
        text="vfmadd231pd {0}, {1}, {2}",
        memory=2,
        any_two=True,
        is_product=True,
        rounds_to_zero=True,
    ),
    VectorInstruction("vfmadd231pd", tied=True, memory=2, any_two=True, is_product=True),
    VectorInstruction("vsubpd", memory=1),
    VectorInstruction("vblendvpd", memory=1, ports=2),
    VectorInstruction("vpunpcklqdq", memory=1),
    VectorInstruction("vpunpckhqdq", memory=1),
    VectorInstruction("load_pair", text="vmovdqu {x0}, {1}", ports=0, bytes=_PAIR),
    VectorInstruction("add_pair", text="vinserti128 {0}, {1}, {2}, 1", bytes=_PAIR),
    VectorInstruction("join_pairs", text="vinserti128 {0}, {1}, {x2}, 1"),
    VectorInstruction("upper_pair", text="vextracti128 {x0}, {1}, 1"),
    VectorInstruction("load_some", text="vpmaskmovq {0}, {1}, {2}"),
    VectorInstruction("load_some_pair", text="vpmaskmovq {x0}, {x1}, {2}", bytes=_PAIR),
    VectorInstruction("store", text="vmovdqu {0}, {1}", ports=0),
    VectorInstruction("store_pair", text="vmovdqu {0}, {x1}", ports=0, bytes=_PAIR),
    VectorInstruction("store_upper", text="vextracti128 {0}, {1}, 1", ports=0, bytes=_PAIR),
    VectorInstruction("store_some", text="vpmaskmovq {0}, {2}, {1}"),
    VectorInstruction("store_some_pair", text="vpmaskmovq {0}, {x2}, {x1}", bytes=_PAIR),
)
_WORD_ROWS = (
    VectorInstruction("vpmuludq", memory=1, any_two=True, is_product=True),
    VectorInstruction("vpminuq", text="vpminud {0}, {1}, {2}", memory=1, any_two=True),
    VectorInstruction("vpcmpgtq"),
)
LANES = 4
SIGN = 1 << 63
LOWER, UPPER, WHOLE = range(3)
"""Which part of a vector is stored."""


def _pairs(limbs: int) -> Iterable[int]:
    """Where pairs of limbs begin that cover an element; the last two may overlap."""
    return sorted({*range(0, limbs - 1, 2), limbs - 2})


@dataclass
class FourLanes(Selection):
    """The code of eight elements, in two vectors for each word.

    Instructions of both halves take turns: products of one fill the time that carries of the other
    take (measured on Zen 4: 10 % for 6 limbs, 17 % for 4).
    """

    rows: ClassVar[Rows] = {row.mnemonic: row for row in _ROWS}
    features = ("avx2", "fma")
    registers: ClassVar[VectorSet] = YMM
    constant_bytes: ClassVar[int] = 32
    first: int = 0
    """The number of the first element."""

    def run(self) -> list[VirtualVector]:
        """Select all for four elements and for the other four, in turns."""
        code = super().run()
        if self.first:
            return code
        given = self.program, self.tables, self.in_digits, self.out_array, self.results
        more = self.tail, self.columns, self.adds_to_columns
        second = type(self)(*given, *more, shared=self.shared, first=LANES)
        second._count = self._count
        return [line for both in zip(code, second.run(), strict=True) for line in both]

    def _digits(self, pointer: str, index: int, name: str = "") -> Memory:
        place = super()._digits(pointer, index, name)
        return Memory(pointer, place.offset + LIMB_BYTES * self.first, name)

    def _limbs(self, pointer: str, count: int, name: str) -> list[Virtual]:
        if count == 1:
            return [self._load(pointer, LIMB_BYTES * self.first, name)]
        found: dict[int, Virtual] = {}
        for limb in _pairs(count):
            even, odd = (
                self._two_elements(pointer, self._at(count, element, limb), count, name)
                for element in range(2)
            )
            found[limb] = self._put("vpunpcklqdq", f"{name}[{limb}]", even, odd)
            found[limb + 1] = self._put("vpunpckhqdq", f"{name}[{limb + 1}]", even, odd)
        return [found[limb] for limb in range(count)]

    def _at(self, count: int, element: int, limb: int) -> int:
        return LIMB_BYTES * (count * (self.first + element) + limb)

    def _two_elements(self, pointer: str, at: int, count: int, name: str) -> Virtual:
        """Two limbs of an element, and above them those of the next but one."""
        name, other = f"{name} pairs", at + 2 * LIMB_BYTES * count
        lower = self._load_pair(pointer, at, name)
        if self.tail:
            return self._put("join_pairs", name, lower, self._load_pair(pointer, other, name))
        return self._put("add_pair", name, lower, Memory(pointer, other))

    def _load_pair(self, pointer: str, at: int, name: str) -> Virtual:
        if not self.tail:
            return self._put("load_pair", name, Memory(pointer, at))
        mask = self._put("load_pair", "mask", Memory(TAIL_MASKS, at))
        return self._put("load_some_pair", name, mask, Memory(pointer, at))

    def _load(self, pointer: str, index: int, name: str) -> Virtual:
        memory = Memory(pointer, index)
        if not self.tail:
            return self._put("vmovdqu64", name, memory)
        mask = self._put("vmovdqu64", "mask", Memory(TAIL_MASKS, index))
        return self._put("load_some", name, mask, memory)

    def _stores(self, pointer: str, words: list[Virtual]) -> list[tuple[Memory, int, Virtual]]:
        count = len(words)
        if not self.out_array:
            return [(self._digits(pointer, i, f"z {i}"), WHOLE, v) for i, v in enumerate(words)]
        if count == 1:
            return [(Memory(pointer, LIMB_BYTES * self.first, "z"), WHOLE, words[0])]
        found = []
        for limb in _pairs(count):
            low, high = words[limb : limb + 2]
            for element, mnemonic in enumerate(("vpunpcklqdq", "vpunpckhqdq")):
                pairs = self._put(mnemonic, "z pairs", low, high)
                at = self._at(count, element, limb)
                found.append((Memory(pointer, at, f"z {limb}"), LOWER, pairs))
                upper = at + 2 * LIMB_BYTES * count
                found.append((Memory(pointer, upper, f"z {limb}"), UPPER, pairs))
        return found

    def _store(self, memory: Memory, index: int, vector: Virtual) -> None:
        if not self.tail or not self.out_array:
            self._do(("store_pair", "store_upper", "store")[index], None, memory, vector)
            return
        load = "vmovdqu64" if index == WHOLE else "load_pair"
        mask = self._put(load, "mask", Memory(TAIL_MASKS, memory.offset))
        if index == UPPER:
            vector = self._put("upper_pair", "z pair", vector)
        store = "store_some" if index == WHOLE else "store_some_pair"
        self._do(store, None, memory, vector, mask)

    def _constant(self, word: int, name: str) -> Virtual:
        return self._put("vmovdqu64", name, self.tables.word(word, name))


@dataclass
class YmmSelection(FourLanes, DoubleSelection):
    """The code of numbers in digits."""

    style: ClassVar[LaneStyle] = LaneStyle(
        halves_together=True, by_columns=True, shifts_signs=False
    )
    _signs: dict[int, Virtual] = field(default_factory=dict)
    """By a mask's number: the word whose sign it is."""

    def _converted(self, value: Value) -> Virtual:
        if value.number in self._lows:
            return super()._converted(value)
        word = self._in_register(value)
        if value.high > MASK:
            word = self._put("vpandq", value.name, word, self._mask())
        raised = self._put("vpaddq", "2^52 and a digit", word, self._number(ONE))
        return self._put("vsubpd", f"{value.name} as a double", raised, self._number(ONE))

    def _mask(self) -> Operand:
        return self.tables.word(MASK, "2^52 - 1")

    def _shift_signed(self, step: Step) -> None:
        """A mask by a sign, which takes no instruction: a selection reads the sign."""
        self._signs[step.outputs[0].number] = self._in_register(step.inputs[0])

    def _merge(self, step: Step) -> None:
        mask, taken, other = step.inputs
        register = self._in_register(other)
        self._set(step, "vblendvpd", register, self._read(taken), self._signs[mask.number])


@dataclass
class YmmWordSelection(FourLanes, WordSelection):
    """The code of words of primes below 2^31, of 2^61 - 1 and of Goldilocks.

    Below 2^31 the smaller one of t and t - p is that of their lower halves: upper ones are 0, or
    ones where a difference is negative. Longer words are chosen by the sign of a difference, or by
    a comparison.
    """

    rows: ClassVar[Rows] = FourLanes.rows | {row.mnemonic: row for row in _WORD_ROWS}
    most: ClassVar[int] = SIGN

    def _if_negative(self, step: Step, word: Virtual, other: Operand, high: int) -> None:
        if high < HALF:
            super()._if_negative(step, word, other, high)
        elif high < self.most:
            self._set(step, "vblendvpd", word, other, word)
        else:
            raise LanguageError("the sign of a difference of 64 bits tells nothing")

    def _add_where_less(
        self, step: Step, word: Value, constant: Value, compared: tuple[Value, Value]
    ) -> None:
        """By a comparison in two's complement of both words less 2^63."""
        half = self._constant(SIGN, "2^63")
        a, b = (self._put("vpsubq", "less 2^63", self._in_register(v), half) for v in compared)
        mask = self._put("vpcmpgtq", "less", b, a)
        added = self._put("vpandq", "added", mask, self._read(constant))
        self._set(step, "vpaddq", self._in_register(word), added)
