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
from typing import TYPE_CHECKING, Any, SupportsIndex

from fieldc.errors import UserError, counted
from fieldc.field import Field as Constants
from fieldc.python.arithmetic import Arithmetic, arithmetic_of
from fieldc.python.constants import LIMB_BITS, constants_of, in_words

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

    __slots__ = ("_arithmetic", "_native", "constants")

    constants: Constants
    """Everything derived from the prime, for the words of arrays."""

    def __init__(
        self, prime: str | int | Field | Constants, *, native: bool | None = None, word: int = 64
    ) -> None:
        self.constants = in_words(constants_of(prime), word)
        self._native = native
        self._arithmetic: Arithmetic | None = None

    @property
    def p(self) -> int:
        """The prime."""
        return self.constants.p

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

        Raises FieldMismatch, TypeError as a call does.
        """
        from fieldc.python.arrays import array

        return ElementArray(self, array(self.constants, [int(self(value)) for value in values]))

    def array_of(self, buffer: Any) -> ElementArray:
        """An array on a buffer of limbs in Montgomery form, such as numpy's, without a copy.

        Values must be below p, which nothing checks: else results are wrong. Raises LengthMismatch
        for a buffer that holds no whole elements.
        """
        from fieldc.python.arrays import array_of

        return ElementArray(self, array_of(self.constants, buffer))

    def root_of_unity(self, order: int) -> Element:
        """An element of an order 2^k that divides p - 1, the one that transforms use.

        Raises LengthMismatch for another order.
        """
        from fieldc.python.transform import root_of_unity

        return self(root_of_unity(self.constants, order))

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

    __slots__ = ("_stored", "field")

    def __init__(self, field: Field, stored: Any) -> None:
        self.field = field
        self._stored = stored

    def _with(self, other: object) -> Element | None:
        """The other operand as an element of this field; None for what is no number of it."""
        if isinstance(other, Element):
            return other if other.field is self.field else self.field._own(other)
        return self.field(other) if isinstance(other, SupportsIndex) else None

    def __add__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self.field, self.field.arithmetic.add(self._stored, y._stored))

    __radd__ = __add__

    def __sub__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self.field, self.field.arithmetic.sub(self._stored, y._stored))

    def __rsub__(self, other: object) -> Element:
        x = self._with(other)
        return NotImplemented if x is None else x - self

    def __mul__(self, other: object) -> Element:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return Element(self.field, self.field.arithmetic.mul(self._stored, y._stored))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Element:
        y = self._with(other)
        return NotImplemented if y is None else self * y**-1

    def __rtruediv__(self, other: object) -> Element:
        x = self._with(other)
        return NotImplemented if x is None else x * self**-1

    def __pow__(self, exponent: SupportsIndex) -> Element:
        """The power, by Python's `pow`; a negative exponent inverts."""
        power, value = index(exponent), int(self)
        if power < 0 and value == 0:
            raise ZeroDivisionError(f"0 has no inverse modulo {self.field.constants.label}")
        return self.field(pow(value, power, self.field.p))

    def __neg__(self) -> Element:
        return Element(self.field, self.field.arithmetic.neg(self._stored))

    def __pos__(self) -> Element:
        return self

    def __int__(self) -> int:
        return self.field.arithmetic.leave(self._stored)

    def __bool__(self) -> bool:
        return int(self) != 0

    def __eq__(self, other: object) -> bool:
        """Compare with an element of the same field, or with an integer modulo p."""
        if isinstance(other, Element):
            return self.field == other.field and int(self) == int(other)
        if isinstance(other, SupportsIndex):
            return int(self) == index(other) % self.field.p
        return NotImplemented

    def __hash__(self) -> int:
        """That of the integer from 0 to p - 1. Others that are equal modulo p have another."""
        return hash(int(self))

    def __reduce__(self) -> tuple[object, ...]:
        return self.field, (int(self),)

    def __repr__(self) -> str:
        return f"{self.field!r}({int(self)})"

    def __str__(self) -> str:
        return str(int(self))


class ElementArray:
    """So many elements of one field. Made by Field.array and Field.array_of.

    `words` is a buffer of the limbs, one row for each element, which numpy takes without a copy.
    Operators take arrays of the same field and length, elements and integers. Raises LengthMismatch
    for another length, FieldMismatch for another field.
    """

    __slots__ = ("_residues", "field")

    def __init__(self, field: Field, residues: ResidueArray) -> None:
        self.field = field
        self._residues = residues

    @property
    def words(self) -> memoryview:
        """The limbs in Montgomery form, lowest first: a row of n words for each element."""
        return self._residues.words

    def __len__(self) -> int:
        return self._residues.count

    def __getitem__(self, place: SupportsIndex) -> Element:
        """The element at a place. Raises IndexError outside of the array."""
        if not -len(self) <= index(place) < len(self):
            raise IndexError(f"there is no element {index(place)}; the array has {len(self)}")
        at = index(place) % len(self)
        return self.field(self._residues.values(at, 1)[0])

    def __iter__(self) -> Iterator[Element]:
        return map(self.field, self.tolist())

    def tolist(self) -> list[int]:
        """The values, 0 <= value < p."""
        return self._residues.values(0, len(self))

    def _with(self, other: object) -> ResidueArray | None:
        """The other operand as an array of this field; None for what is no number of it."""
        if isinstance(other, ElementArray):
            if other.field != self.field:
                self.field(other.field(0))  # raises FieldMismatch
            return self._residues.like(other._residues)
        if isinstance(other, Element | SupportsIndex):
            every = self.field.array([other])._residues.repeated(len(self))
            return self._residues.like(every)
        return None

    def to_digits(self) -> ElementArray:
        """The same elements as vectors compute with them, from one operation to the next.

        `words` are digits of 52 bits then. The array itself where this host has no such kernels.
        """
        from fieldc.python.digits import to_digits

        return ElementArray(self.field, to_digits(self._residues))

    def to_limbs(self) -> ElementArray:
        """The same elements side by side in limbs: undoes `to_digits`."""
        return ElementArray(self.field, self._residues.in_limbs())

    def _as_this(self, made: ResidueArray) -> ElementArray:
        """An array in limbs as this one is."""
        return ElementArray(self.field, self._residues.like(made))

    def _by(self, operation: str, other: object) -> ElementArray:
        """An operation with another operand; NotImplemented for what is no number."""
        y = self._with(other)
        return NotImplemented if y is None else self._made(operation, y)

    def _made(self, operation: str, *others: ResidueArray) -> ElementArray:
        return ElementArray(self.field, self._residues.computed(operation, *others))

    def __add__(self, other: object) -> ElementArray:
        return self._by("add", other)

    __radd__ = __add__

    def __sub__(self, other: object) -> ElementArray:
        return self._by("sub", other)

    def __rsub__(self, other: object) -> ElementArray:
        x = self._with(other)
        return NotImplemented if x is None else ElementArray(self.field, x) - self

    def __mul__(self, other: object) -> ElementArray:
        return self._by("mul", other)

    __rmul__ = __mul__

    def __neg__(self) -> ElementArray:
        return self._made("neg")

    def square(self) -> ElementArray:
        """x*x of each element."""
        return self._made("square")

    def butterfly(self, y: object, w: object) -> tuple[ElementArray, ElementArray]:
        """x + y*w and x - y*w of each element x: the step of a number-theoretic transform.

        Takes arrays of this field and length, elements and integers. Raises LengthMismatch,
        FieldMismatch, TypeError.
        """
        by, twiddles = self._with(y), self._with(w)
        if by is None or twiddles is None:
            raise TypeError("a butterfly takes arrays, elements and integers")
        total, rest = self._residues.butterfly(by, twiddles)
        return ElementArray(self.field, total), ElementArray(self.field, rest)

    def __pow__(self, exponent: SupportsIndex) -> ElementArray:
        """The power of each element by one exponent; a negative one inverts."""
        power = index(exponent)
        base, result = (self.inverse() if power < 0 else self), None
        for bit in bin(abs(power))[2:]:
            result = None if result is None else result.square()
            if bit == "1":
                result = base if result is None else result * base
        return (
            self._as_this(self.field.array([1] * len(self))._residues) if result is None else result
        )

    def __matmul__(self, other: object) -> Element:
        """The inner product."""
        y = self._with(other)
        return NotImplemented if y is None else self.field(self._residues.inner_product(y))

    def sum(self) -> Element:
        """The sum of all elements."""
        return self.field(self._residues.sum())

    def inverse(self) -> ElementArray:
        """1/x of each element: one inversion, and three products for each element.

        Raises ZeroDivisionError with the first position of a zero.
        """
        return ElementArray(self.field, self._residues.inverse())

    def ntt(self) -> ElementArray:
        """The values at 1, r, r^2, ... of the polynomial whose coefficients these are.

        r is `field.root_of_unity(len(self))`. Raises LengthMismatch unless the length is 2^k and
        divides p - 1.
        """
        from fieldc.python.transform import transform

        return self._as_this(transform(self._residues.in_limbs()))

    def intt(self) -> ElementArray:
        """The coefficients of the polynomial with these values: undoes `ntt`.

        Raises LengthMismatch as `ntt` does.
        """
        from fieldc.python.transform import inverse_transform

        return self._as_this(inverse_transform(self._residues.in_limbs()))

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
