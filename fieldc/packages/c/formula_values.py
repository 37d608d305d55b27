"""Operands and results of formulas as C has them: their types, their words, their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.field import Field
from fieldc.formulas.sizes import said_terms
from fieldc.operands import Range
from fieldc.packages.c.constants import limbs

WORD = 64


@dataclass(frozen=True)
class CValue:
    """An operand or a result of a formula over a field whose type is `type`.

    A plain integer of one word is passed by value, a mask as an int. What has more words and is
    made of no elements is an array of words.
    """

    name: str
    bound: Range
    field: Field
    type: str

    @property
    def words(self) -> int:
        """The words that kernels have of it."""
        return self.bound.width(self.field)

    @property
    def is_mask(self) -> bool:
        """Whether it is 0 or 1."""
        return not self.bound.powers and self.bound.bits == 1

    @property
    def is_signed(self) -> bool:
        """Whether it is an integer in two's complement."""
        return self.bound.is_signed

    @property
    def is_passed(self) -> bool:
        """Whether it is passed by value, as one word."""
        return not self.bound.powers and self.bound.bits <= WORD

    @property
    def shape(self) -> tuple[str, int]:
        """What it is an array of, and of how many; 0 where it is passed by value."""
        if self.is_passed:
            return "int" if self.is_mask else "int64_t" if self.is_signed else "uint64_t", 0
        if self.bound.is_residue:
            return self.type, self.bound.count
        return "uint64_t", self.words

    @property
    def result(self) -> str:
        """The parameter that points to a result."""
        kind, count = self.shape
        is_one = self.bound.is_residue and count == 1
        return f"{kind} *{self.name}" if is_one else f"{kind} {self.name}[{count}]"

    @property
    def operand(self) -> str:
        """The parameter of an operand."""
        return f"{self.shape[0]} {self.name}" if self.is_passed else f"const {self.result}"

    @property
    def local(self) -> str:
        """A variable of this type."""
        kind, count = self.shape
        return f"{kind} {self.name}[{count}]"

    @property
    def word(self) -> str:
        """The word that it is, where it is passed by value."""
        if self.is_signed:
            return f"(uint64_t){self.name}"
        return f"(uint64_t)({self.name} != 0)" if self.is_mask else self.name

    @property
    def says(self) -> str:
        """What a caller must know; nothing of elements."""
        if self.is_mask:
            return f"Any {self.name} but 0 counts as 1."
        if self.bound.is_residue or self.is_passed:
            return ""
        if self.is_signed:
            return f"{self.name} is in two's complement, the lower word first."
        text = said_terms(self.bound) if self.bound.powers else self.bound.bound
        return f"{self.name} < {text}."

    def declared(self, name: str, rows: Sequence[Sequence[int]]) -> str:
        """A table of values, each as its numbers."""
        kind, count = self.shape
        size = f"[{len(rows)}]" + (f"[{count}]" if count else "")
        lines = (f"    {self._written(row)},\n" for row in rows)
        return f"static const {kind} {name}{size} = {{\n{''.join(lines)}}};\n"

    def _written(self, numbers: Sequence[int]) -> str:
        if self.is_mask:
            return str(numbers[0])
        if self.bound.is_residue:
            inside = (f"{{{{{limbs(self.field, number)}}}}}" for number in numbers)
            return f"{{{', '.join(inside)}}}"
        if self.is_signed and self.is_passed:
            number = self.bound.signed(numbers[0])
            below = f"-INT64_C({-number - 1:#x}) - 1"  # a literal has no sign
            return below if number < 0 else f"INT64_C({number:#x})"
        count = max(1, self.shape[1])
        parts = (numbers[0] >> WORD * i & (1 << WORD) - 1 for i in range(count))
        text = ", ".join(f"UINT64_C({part:#x})" for part in parts)
        return text if self.is_passed else f"{{{text}}}"
