"""Operands and results of formulas as Rust has them: types, how steps take them, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.field import Field
from fieldc.formulas.sizes import said_terms
from fieldc.operands import Range

CONVERTED = "to_montgomery_limbs"


@dataclass(frozen=True)
class RustValue:
    """An operand or a result of a formula over a field whose type is `type`.

    Plain integers and masks are passed by value; a sum that is not reduced is an array of words.
    """

    bound: Range
    field: Field
    type: str

    @property
    def words(self) -> int:
        """The words that kernels have of it."""
        return self.bound.width(self.field)

    @property
    def is_passed(self) -> bool:
        """Whether it is passed by value."""
        return not self.bound.powers

    @property
    def of(self) -> str:
        """Its type, without a reference."""
        if self.is_passed:
            letter = "i" if self.bound.is_signed else "u"
            return "bool" if self.bound.bits == 1 else f"{letter}{self.bound.bits}"
        if not self.bound.is_residue:
            return f"[u64; {self.words}]"
        return self.type if self.bound.count == 1 else f"[{self.type}; {self.bound.count}]"

    @property
    def operand(self) -> str:
        """The type of a parameter."""
        return self.of if self.is_passed else f"&{self.of}"

    @property
    def zero(self) -> str:
        """A result before it is written."""
        if not self.bound.is_residue:
            return f"[0; {self.words}]"
        zero = f"{self.type}::ZERO"
        return zero if self.bound.count == 1 else f"[{zero}; {self.bound.count}]"

    def address(self, name: str) -> str:
        """A pointer to the words of an operand. That of a mask lasts for one statement."""
        if self.of == "bool":
            return f"core::ptr::from_ref(&u64::from({name})).cast()"
        return f"core::ptr::from_ref({'&' * self.is_passed}{name}).cast()"

    def names(self, name: str) -> list[str]:
        """The values of an operand as steps name them."""
        if self.bound.is_residue and self.bound.count > 1:
            return [f"{name}[{k}]" for k in range(self.bound.count)]
        return [name if self.is_passed else f"*{name}"]

    @property
    def says(self) -> str:
        """What a sum is below, for the text of the function."""
        if self.bound.is_residue or self.is_passed:
            return ""
        return said_terms(self.bound)

    def read(self, text: str) -> str:
        """An operand of a test from its values' texts in hexadecimal."""
        if self.of == "bool":
            return f'{text}[0] != "0"'
        if self.is_passed:
            number = f'u{self.bound.bits}::from_str_radix({text}[0], 16).expect("a number")'
            return f"{number} as {self.of}" if self.bound.is_signed else number
        if not self.bound.is_residue:
            return f"&words({text}[0])"
        if self.bound.count == 1:
            return f"&values(&{text})[0]"
        return f'values(&{text}).as_slice().try_into().expect("so many")'


def limbs_text(bound: Range, name: str) -> str:
    """A value as the limbs that a step takes, by reference."""
    if bound.is_residue:
        return f"&{name.removeprefix('*')}.{CONVERTED}()"
    if bound.powers:
        return f"&{name}" if not name.startswith("*") else name[1:]
    if bound.bits <= 64:
        return f"&[{name} as u64]" if bound.is_signed else f"&[{name}]"
    return f"&[{name} as u64, ({name} >> 64) as u64]"


def texts(values: Sequence[int]) -> str:
    """Numbers as an array of texts in hexadecimal."""
    return f"&[{', '.join(f'{chr(34)}{value:x}{chr(34)}' for value in values)}]"
