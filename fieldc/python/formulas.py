"""Formulas as functions of elements, by a kernel of this process."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

from fieldc.artifacts.host import OperandError, native_formula
from fieldc.errors import counted
from fieldc.python.elements import Element, Field

if TYPE_CHECKING:
    from fieldc.formulas.formula import Formula
    from fieldc.operands import Range

    Number = Element | SupportsIndex
    Operand = Number | Iterable[Number]


def _numbers(operand: object) -> Iterator[object]:
    """The numbers of an operand: of a sequence or a data class, and of those inside it."""
    if is_dataclass(operand) and not isinstance(operand, type):
        operand = tuple(getattr(operand, one.name) for one in fields(operand))
    if not isinstance(operand, Iterable) or isinstance(operand, str):
        yield operand
    else:
        for one in operand:
            yield from _numbers(one)


class CompiledFormula:
    """A formula over one field, called with elements or integers, as its operands say.

    An operand of several elements is a value of its class, or a sequence of them in the order of
    that class, such as a tuple. A result of several is a tuple. A plain integer, a mask and a sum
    that is not reduced are integers; 0 is an empty sum.
    """

    def __init__(self, formula: Formula, field: Field) -> None:
        """Compile the formula. Raises FormulaError, BoundError and ProcessorError."""
        formula = formula.over(field.constants)
        self.formula, self.field = formula, field
        self._native = Field(field.constants, native=True)
        self._kernel = native_formula(field.constants, formula)
        self._bytes = 8 * field.constants.n
        self._memory = ctypes.c_uint64 * formula.result.width(field.constants)
        kinds = [ctypes.c_void_p] * (1 + len(formula.operands))
        address = self._kernel.library.address(self._kernel.symbol)
        self._call = ctypes.CFUNCTYPE(None, *kinds)(address)

    def __call__(self, *operands: Operand) -> Any:
        """The formula's value: one element, or a tuple of elements.

        Raises OperandError for another number of operands or elements and for an integer beyond
        its size, FieldMismatch for elements of another field, TypeError for what is no number.
        """
        expected = self.formula.operands
        if len(operands) != len(expected):
            names = ", ".join(name for name, _ in expected)
            got = counted(len(operands), "operand")
            raise OperandError(f"{self.formula.name} takes {names}, not {got}")
        given = [
            self._limbs(name, bound.count, operand)
            if bound.is_residue
            else self._words(name, bound, operand)
            for (name, bound), operand in zip(self.formula.ranges, operands, strict=True)
        ]
        result = self._memory()
        self._call(result, *given)
        if self.formula.held is not None:
            return int.from_bytes(bytes(result), "little")
        found = tuple(self._element(result, i) for i in range(len(self.formula.results)))
        return found if len(found) > 1 else found[0]

    def _limbs(self, name: str, count: int, operand: Operand) -> bytes:
        """The limbs of an operand in Montgomery form, one element after the other."""
        values = tuple(_numbers(operand))
        is_several = len(values) != 1 or values[0] is not operand
        if len(values) != count or is_several != (count > 1):
            needs = f"{count} elements" if count > 1 else "one element"
            given = f"{len(values)} in a sequence" if is_several else "one"
            raise OperandError(f"{self.formula.name}: {name} is {needs}; {given} came")
        elements = [self._native(cast("Number", value)) for value in values]
        return b"".join(bytes(element._stored) for element in elements)

    def _words(self, name: str, bound: Range, operand: Operand) -> bytes:
        """The words of a number that is no element."""
        number, size = index(cast("SupportsIndex", operand)), 8 * bound.width(self.field.constants)
        high = bound.high(self.field.constants)
        low = 0
        if bound.is_signed:
            low, high = bound.signed(high + 1 >> 1), high >> 1
        if not low <= number <= high:
            wanted = bound.wanted(number)
            raise OperandError(f"{self.formula.name}: {name} must be {wanted}, not {number:#x}")
        return number.to_bytes(size, "little", signed=bound.is_signed)

    def _element(self, result: ctypes.Array[ctypes.c_uint64], number: int) -> Element:
        one = ctypes.c_uint64 * self.field.constants.n
        stored = one.from_buffer_copy(result, number * self._bytes)
        return self.field(Element(self._native, stored))

    def __copy__(self) -> CompiledFormula:
        return self

    def __deepcopy__(self, _: object) -> CompiledFormula:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a formula of this process cannot be pickled; compile it again")

    def __repr__(self) -> str:
        return f"<{self.formula.name} modulo {self.field.constants.label}>"
