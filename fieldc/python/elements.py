"""Prime fields, their elements and arrays of elements, for use from Python.

    F = Field("bn254-p")
    a = F(3)
    print(int(a * a / 2), a**-1)
    print((F.array([1, 2, 3]) * a).tolist())

`fieldc.field.Field` is the record of derived constants that the compiler works with; the Field of
this module wraps one and makes elements and arrays. Sums, differences, products and negations run
on kernels of this process where the host runs them, on Python's integers elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

from fieldc.errors import UserError, counted
from fieldc.field import Field as Constants
from fieldc.python.arithmetic import Arithmetic, arithmetic_of
from fieldc.python.constants import (
    LIMB_BITS,
    check_modulus,
    constants_of,
    in_words,
    integer_of,
)
from fieldc.python.operators import ArrayOperators

if TYPE_CHECKING:
    from fieldc.python.arrays import ResidueArray


class FieldMismatch(UserError, ValueError):
    """An operation on elements of two different fields."""


class Field:
    """The integers modulo an odd prime; call it to make an element.

    `prime` is a name, an expression or a file as on the command line, an integer, or a field.
    `native` asks for kernels (True) or for Python's integers (False); by default kernels are used
    where this host runs them. `word` is the bits of a word of arrays: 64, or 32 for a prime below
    2^31. Raises ModulusError for what is no such prime, WordError for one that has no arrays of
    such words, and ProcessorError for `native=True` on a host that runs no kernels.
    """

    __slots__ = ("_arithmetic", "_constants", "_native")

    def __init__(
        self, prime: str | int | Field | Constants, *, native: bool | None = None, word: int = 64
    ) -> None:
        if native is not None and not isinstance(native, bool):
            raise TypeError(f"native is True, False or None, not {native!r}")
        self._constants = in_words(constants_of(prime), word)
        self._native = native
        self._arithmetic: Arithmetic | None = None

    @property
    def constants(self) -> Constants:
        """Everything derived from the prime, for the words of arrays."""
        return self._constants

    @property
    def p(self) -> int:
        """The prime."""
        return self._constants.p

    @property
    def name(self) -> str:
        """The prime's name; empty where it has none."""
        return self.constants.name

    @property
    def arithmetic(self) -> Arithmetic:
        """What computes with this field's elements. Raises ProcessorError."""
        if self._arithmetic is None:
            self._arithmetic = arithmetic_of(constants_of(self), self._native)
        return self._arithmetic

    def __call__(self, value: SupportsIndex | Element) -> Element:
        """The element of an integer, which may be negative or larger than p.

        Raises FieldMismatch for an element of another field, TypeError for what is no integer.
        """
        if isinstance(value, Element):
            return self._own(value)
        return Element(self, self.arithmetic.enter(index(value) % self.p))

    def array(self, values: Iterable[SupportsIndex | Element]) -> ElementArray:
        """An array of elements from integers, which may be negative or larger than p, or elements.

        Raises FieldMismatch, TypeError as a call does, and TypeError for a numpy array of rows.
        """
        from fieldc.python.arrays import array

        if (dimensions := getattr(values, "ndim", 1)) != 1:
            raise TypeError(f"an array of elements has one dimension, not {dimensions}")

        return ElementArray(self, array(self.constants, [int(self(value)) for value in values]))

    def array_of(self, buffer: Any) -> ElementArray:
        """An array on a buffer of limbs in Montgomery form, such as numpy's, without a copy.

        One that is read-only is copied. Values must be below p, which nothing checks: else results
        are wrong. Raises LengthMismatch for a buffer that holds no whole elements, TypeError for
        one of other items than bytes or words.
        """
        from fieldc.python.arrays import array_of

        return ElementArray(self, array_of(self.constants, buffer))

    def array_from_bytes(self, data: Any, byteorder: Literal["little", "big"]) -> ElementArray:
        """An array of elements that lie side by side in bytes, as many as p has for each.

        Raises LengthMismatch for bytes that hold no whole elements, ValueError with the first
        position of a number that is not below p, TypeError for what has no bytes.
        """
        from fieldc.python.arrays import array_from_bytes

        return ElementArray(self, array_from_bytes(self.constants, data, byteorder))

    def root_of_unity(self, order: int) -> Element:
        """An element of an order 2^k that divides p - 1, the one that transforms use.

        Raises LengthMismatch for another order.
        """
        from fieldc.python.transform import root_of_unity

        return self(root_of_unity(self.constants, index(order)))

    def _own(self, element: Element) -> Element:
        if element.field is self:
            return element
        if element.field != self:
            one, other = element.field.constants.label, self.constants.label
            raise FieldMismatch(
                f"elements modulo {one} and {other} do not mix; convert one with int()"
            )
        return Element(self, self.arithmetic.enter(int(element)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self.p == other.p

    def __hash__(self) -> int:
        return hash(("fieldc.Field", self.p))

    def __reduce__(self) -> tuple[object, ...]:
        return _field, (self.p, self.name, self._native, self.constants.word)

    def __repr__(self) -> str:
        prime = repr(self.name) if self.name else hex(self.p)
        word = self.constants.word
        return f"Field({prime})" if word == LIMB_BITS else f"Field({prime}, word={word})"


class Element:
    """A number modulo p. Immutable. Operators take elements of the same field and integers.

    Made by calling a Field. `int(a)` is its value, 0 <= int(a) < p. Raises FieldMismatch for an
    element of another field and ZeroDivisionError for the inverse of zero.
    """

    __slots__ = ("_field", "_stored")

    def __init__(self, field: Field, stored: Any) -> None:
        self._field = field
        self._stored = stored

    @property
    def field(self) -> Field:
        """The field that it is an element of."""
        return self._field

    def _with(self, other: object) -> Element | None:
        """The other operand as an element of this field; None for what is no number of it."""
        if isinstance(other, Element):
            return other if other._field is self._field else self._field._own(other)
        number = integer_of(other)
        return None if number is None else self._field(number)

    def __add__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self._field, self._field.arithmetic.add(self._stored, y._stored))

    __radd__ = __add__

    def __sub__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self._field, self._field.arithmetic.sub(self._stored, y._stored))

    def __rsub__(self, other: object) -> Element:
        x = self._with(other)
        return NotImplemented if x is None else x - self

    def __mul__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self._field, self._field.arithmetic.mul(self._stored, y._stored))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Element:
        y = self._with(other)
        return NotImplemented if y is None else self * y**-1

    def __rtruediv__(self, other: object) -> Element:
        x = self._with(other)
        return NotImplemented if x is None else x * self**-1

    def __pow__(self, exponent: SupportsIndex, modulus: None = None) -> Element:
        """The power, by Python's `pow`; a negative exponent inverts."""
        check_modulus(modulus)
        power, value = index(exponent), int(self)
        if power < 0 and value == 0:
            raise ZeroDivisionError(f"0 has no inverse modulo {self.field.constants.short}")
        return self.field(pow(value, power, self.field.p))

    def __neg__(self) -> Element:
        return Element(self._field, self._field.arithmetic.neg(self._stored))

    def __pos__(self) -> Element:
        return self

    def __int__(self) -> int:
        return self._field.arithmetic.leave(self._stored)

    def __bool__(self) -> bool:
        return int(self) != 0

    def __eq__(self, other: object) -> bool:
        """Compare with an element of the same field, or with an integer modulo p."""
        if isinstance(other, Element):
            return self.field == other.field and int(self) == int(other)
        number = integer_of(other)
        return NotImplemented if number is None else int(self) == number % self.field.p

    def __hash__(self) -> int:
        """That of the integer from 0 to p - 1. Others that are equal modulo p have another."""
        return hash(int(self))

    def __reduce__(self) -> tuple[object, ...]:
        return self.field, (int(self),)

    def __repr__(self) -> str:
        return f"{self.field!r}({int(self)})"

    def __str__(self) -> str:
        return str(int(self))

    def __format__(self, spec: str) -> str:
        return format(int(self), spec)


class ElementArray(ArrayOperators):
    """So many elements of one field. Made by Field.array and Field.array_of.

    `words` is a buffer of the limbs, one row for each element, which numpy takes without a copy.
    Operators take arrays of the same field and length, elements and integers. Raises LengthMismatch
    for another length, FieldMismatch for another field.
    """

    __slots__ = ("_field", "_residues")

    def __init__(self, field: Field, residues: ResidueArray) -> None:
        self._field = field
        self._residues = residues

    @property
    def field(self) -> Field:
        """The field of all elements."""
        return self._field

    @property
    def words(self) -> memoryview:
        """The limbs in Montgomery form, lowest first: a row of n words for each element."""
        return self._residues.words

    def __len__(self) -> int:
        return self._residues.count

    @overload
    def __getitem__(self, place: SupportsIndex) -> Element: ...

    @overload
    def __getitem__(self, place: slice) -> ElementArray: ...

    def __getitem__(self, place: SupportsIndex | slice) -> Element | ElementArray:
        """The element at a place, or a copy of those in a slice. Raises IndexError outside."""
        if isinstance(place, slice):
            places = range(*place.indices(len(self)))
            return self._of(self._residues.like(self._residues.in_limbs().part(places)))
        if not -len(self) <= index(place) < len(self):
            raise IndexError(f"there is no element {index(place)}; the array has {len(self)}")
        at = index(place) % len(self)
        return self.field(self._residues.values(at, 1)[0])

    def __iter__(self) -> Iterator[Element]:
        return map(self.field, self.tolist())

    def tolist(self) -> list[int]:
        """The values, 0 <= value < p."""
        return self._residues.values(0, len(self))

    def to_bytes(self, byteorder: Literal["little", "big"]) -> bytes:
        """The values side by side, in as many bytes each as p has: undoes `array_from_bytes`."""
        each = -(-self.field.constants.bits // 8)
        nothing = (0).to_bytes(0, byteorder)  # it is also refused where there are no values
        return nothing.join(value.to_bytes(each, byteorder) for value in self.tolist())

    def _with(self, other: object) -> ResidueArray | None:
        """The other operand as an array of this field; None for what is no number of it."""
        if isinstance(other, ElementArray):
            if other.field != self.field:
                self.field(other.field(0))  # raises FieldMismatch
            return self._residues.like(other._residues)
        number = other if isinstance(other, Element) else integer_of(other)
        if number is None and hasattr(other, "__array_interface__"):
            raise TypeError(
                "what numpy has are no elements; F.array(values) makes them of integers"
            )
        if number is None:
            return None
        return self._residues.like(self.field.array([number])._residues.repeated(len(self)))

    def _of(self, residues: ResidueArray) -> ElementArray:
        return ElementArray(self._field, residues)

    def __matmul__(self, other: object) -> Element:
        """The inner product of two arrays."""
        y = self._with(other) if isinstance(other, ElementArray) else None
        return NotImplemented if y is None else self.field(self._residues.inner_product(y))

    def sum(self) -> Element:
        """The sum of all elements."""
        return self.field(self._residues.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ElementArray):
            return NotImplemented
        return self.field == other.field and self.tolist() == other.tolist()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return self.field.array, (self.tolist(),)

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'element')} of {self.field!r}>"


def _field(p: int, name: str, native: bool | None, word: int = 64) -> Field:
    """A field that was pickled or copied."""
    return Field(Constants(p, LIMB_BITS, name), native=native, word=word)
