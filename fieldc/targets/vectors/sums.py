"""Instructions for sums in columns of words, where a word of memory has two elements of 32 bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.targets.vectors.halves import HalfSelection
from fieldc.targets.vectors.instructions import Rows, number
from fieldc.targets.vectors.words import WordSelection
from fieldc.targets.x86_64.operands import Virtual
from fieldc.words.program import Step


@dataclass
class PairSumSelection(WordSelection):
    """Products of pairs of elements, each of which is a value.

    A product reads the lower half of a lane. So the vector is the first element of each lane, and
    what is shifted the second one. Another load instead of a shift takes no vector port, but 1.4
    times as long on Zen 4 where arrays do not begin on a cache line.
    """

    rows: ClassVar[Rows] = WordSelection.rows | {
        name: HalfSelection.rows[name] for name in ("mask", "load_some")
    }
    _wholes: dict[str, Virtual] = field(default_factory=dict)
    """Both elements of each lane, by the operand's name."""

    def _operand(self, step: Step, pointer: str) -> Virtual:
        name, index = step.operand, step.attribute
        if name == self.columns:
            return super()._operand(step, pointer)
        if name not in self._wholes:
            self._wholes[name] = self._load(pointer, 0, name)
        whole = self._wholes[name]
        return self._put("vpsrlq", f"{name} odd", whole, number(HALF_BITS)) if index else whole
