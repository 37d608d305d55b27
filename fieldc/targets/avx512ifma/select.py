"""Products of digits by AVX-512 IFMA: one instruction adds a half."""

from __future__ import annotations

from typing import ClassVar

from fieldc.targets.vectors.instructions import INSTRUCTIONS, Rows, VectorInstruction, number
from fieldc.targets.vectors.select import DigitSelection
from fieldc.words.lane_steps import LaneStyle
from fieldc.words.program import Step, Value

_ROWS = (
    VectorInstruction("vpmadd52luq", tied=True, memory=2, any_two=True, is_product=True),
    VectorInstruction("vpmadd52huq", tied=True, memory=2, any_two=True, is_product=True),
    VectorInstruction("vpshrdq", memory=1),
)


class IfmaSelection(DigitSelection):
    """Adds each half of a product in one instruction, which reads 52 bits of both words."""

    rows: ClassVar[Rows] = INSTRUCTIONS | {row.mnemonic: row for row in _ROWS}
    style: ClassVar[LaneStyle] = LaneStyle(under_way=8)  # two start in a cycle and take four
    features = (*DigitSelection.features, "avx512ifma", "avx512vbmi2")

    def _shift_pair(self, step: Step, high: Value, low: Value, k: int) -> None:
        # The low word comes first here: vpshrdq shifts its last source in from above.
        self._set(step, "vpshrdq", self._in_register(low), self._read(high), number(k))

    def _add_low(self, step: Step) -> None:
        self._add_half(step, "vpmadd52luq")

    def _add_high(self, step: Step) -> None:
        self._add_half(step, "vpmadd52huq")

    def _add_half(self, step: Step, mnemonic: str) -> None:
        a, b, total = step.inputs
        self._set(step, mnemonic, self._in_register(total), self._in_register(a), self._read(b))
