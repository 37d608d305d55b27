"""Instructions for sums in columns of words, where a word of memory has two elements of 32 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.targets.vectors.halves import HalfSelection
from fieldc.targets.vectors.instructions import Rows, VectorInstruction, number
from fieldc.targets.vectors.words import WordSelection
from fieldc.targets.x86_64.operands import Memory, Virtual
from fieldc.words.program import Step

# From memory the duplicate takes no vector port.
_ODD = VectorInstruction("load_odd", text="vmovshdup {0}, {1}", ports=0)


@dataclass
class PairSumSelection(WordSelection):
    """Products of pairs of elements, each of which is a value.

    A product reads the lower half of a lane. So the vector is the first element of each lane.
    """

    rows: ClassVar[Rows] = (
        WordSelection.rows
        | {_ODD.mnemonic: _ODD}
        | {name: HalfSelection.rows[name] for name in ("mask", "load_some")}
    )

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
