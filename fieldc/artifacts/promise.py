"""What a kernel on arrays takes and gives, whatever target it is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.algorithms.columns import ACCUMULATE, Columns
from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.targets.header import field_symbol

TRANSFORM = "transform"
"""The layout where some arrays are in digits, others in limbs."""


@dataclass(frozen=True)
class ArrayPromise:
    """An expression, and how its operands and results lie in memory."""

    name: str
    """What its symbol has between the field and the target."""
    expression: Expression
    result_field: Field
    """Of the words of the results."""
    layout: str
    role: str = ""
    """Its name among kernels that are used together, if it is one of them."""
    columns: Columns | None = None
    """Those of the operand t, where it lies in some."""
    in_digits: tuple[str, ...] = ()
    """The operands that are in digits, of a field in limbs."""
    shared: tuple[str, ...] = ()
    """The operands that have one element, which serves for all."""

    def symbol(self, target: str) -> str:
        """The name of a target's kernel."""
        return f"fieldc_{field_symbol(self.expression.field)}_{self.name}_{target}"

    @property
    def operation(self) -> str:
        """What it computes."""
        return self.expression.kernel.operation

    @property
    def field(self) -> Field:
        """The field in words as its elements have in memory."""
        f = self.expression.field
        return f if self.columns is None else Field(f.p, self.columns.word, f.name)

    @property
    def adds(self) -> bool:
        """Whether it adds to columns, which stay where they are."""
        return self.operation == ACCUMULATE

    @property
    def reads_digits(self) -> bool:
        """Whether it adds products of elements in digits."""
        return self.adds and self.expression.field.word == DIGIT_BITS

    @property
    def is_conversion(self) -> bool:
        """Whether it changes the layout."""
        return self.result_field != self.expression.field and not self.in_transform

    @property
    def in_transform(self) -> bool:
        """Whether it is one of the kernels of transforms."""
        return self.layout == TRANSFORM

    @property
    def operands(self) -> Sequence[str]:
        """The names of the arrays of operands."""
        return [name for name, _ in self.expression.kernel.operands]

    @property
    def results(self) -> Sequence[str]:
        """The names of the arrays of results."""
        count = 1 if self.adds else self.expression.kernel.result.count
        return ["z"] if count == 1 else [f"z{i}" for i in range(count)]

    @property
    def operands_in_digits(self) -> Sequence[str]:
        """The operands in digits, whatever the field's words are."""
        return self.operands if self.expression.field.word == DIGIT_BITS else self.in_digits
