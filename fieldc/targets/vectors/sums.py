"""Instructions for sums in columns of words, which stay in registers while the loop runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.targets.vectors.halves import HalfSelection
from fieldc.targets.vectors.instructions import Rows, VectorInstruction, number
from fieldc.targets.vectors.words import WordSelection
from fieldc.targets.x86_64.operands import Memory, Virtual
from fieldc.words.program import Step

_ROWS = (
    VectorInstruction("add_onto", tied=True, memory=1, text="vpaddq {0}, {0}, {1}"),
    # From memory the duplicate takes no vector port.
    VectorInstruction("load_odd", text="vmovshdup {0}, {1}", ports=0),
)
HELD = tuple(f"zmm{i}" for i in range(31, -1, -1))
"""The registers of columns, in their order."""


@dataclass
class SumSelection(WordSelection):
    """The code of columns t, in registers, to which products of elements are added."""

    rows: ClassVar[Rows] = WordSelection.rows | {row.mnemonic: row for row in _ROWS}
    _sums: set[int] = field(default_factory=set)
    """The numbers of values that are in the registers of columns."""

    def _operand(self, step: Step, pointer: str) -> Virtual:
        if step.operand != self.columns:
            return super()._operand(step, pointer)
        virtual = self._new(f"t[{step.attribute}]")
        self.held[virtual] = HELD[step.attribute]
        self._sums.add(step.outputs[0].number)
        return virtual

    def _add(self, step: Step) -> None:
        a, b, _ = step.inputs
        if a.number not in self._sums:
            super()._add(step)
            return
        self._sums.add(step.outputs[0].number)
        self._set(step, "add_onto", self._in_register(a), self._read(b))

    def _results(self) -> None:
        results = (self._known[value.number] for value in self.program.results)
        self.kept = dict(zip(results, HELD, strict=False))


@dataclass
class PairSumSelection(SumSelection):
    """The same where a word of memory has two elements of 32 bits, each of which is a value.

    A product reads the lower half of a lane. So the vector is the first element of each lane.
    """

    rows: ClassVar[Rows] = SumSelection.rows | {
        name: HalfSelection.rows[name] for name in ("mask", "load_some")
    }

    def _operand(self, step: Step, pointer: str) -> Virtual:
        name, index = step.operand, step.attribute
        if name == self.columns:
            return super()._operand(step, pointer)
        if not index:
            return self._load(pointer, 0, f"{name} even")
        if not self.tail:
            return self._put("load_odd", f"{name} odd", Memory(pointer, 0))
        whole = self._load(pointer, 0, name)
        return self._put("vpsrlq", f"{name} odd", whole, number(HALF_BITS))
