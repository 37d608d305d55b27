"""Prime fields and their elements, for use from Python.

    F = Field("bn254-p")
    a = F(3)
    print(int(a * a / 2), a**-1)

`fieldc.field.Field` is the record of derived constants that the compiler works with; the Field of
this module wraps one and makes elements. Sums, differences, products and negations run on kernels
of this process where the host runs them, on Python's integers elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex

from fieldc.catalogue import find_field
from fieldc.errors import UserError
from fieldc.field import Field as Constants

if TYPE_CHECKING:
    from fieldc.element_arrays import ElementArray


class FieldMismatch(UserError, ValueError):
    """An operation on elements of two different fields."""


Binary = Callable[[Any, Any], Any]


class Arithmetic(Protocol):
    """How elements are stored, and what computes with them. What is stored is never changed."""

    def enter(self, value: int) -> Any:
        """Store a value, 0 <= value < p."""

    def leave(self, stored: Any) -> int:
        """The value that is stored."""

    @property
    def add(self) -> Binary:
        """x + y."""

    @property
    def sub(self) -> Binary:
        """x - y."""

    @property
    def mul(self) -> Binary:
        """x * y."""

    @property
    def neg(self) -> Callable[[Any], Any]:
        """-x."""


class PythonArithmetic:
    """Values are stored as Python's integers."""

    def __init__(self, p: int) -> None:
        self.p = p

    def enter(self, value: int) -> int:
        """The value itself."""
        return value

    def leave(self, stored: int) -> int:
        """The value itself."""
        return stored

    def add(self, x: int, y: int) -> int:
        """x + y mod p."""
        return (x + y) % self.p

    def sub(self, x: int, y: int) -> int:
        """x - y mod p."""
        return (x - y) % self.p

    def mul(self, x: int, y: int) -> int:
        """x * y mod p."""
        return x * y % self.p

    def neg(self, x: int) -> int:
        """-x mod p."""
        return -x % self.p


class Field:
    """The integers modulo an odd prime; call it to make an element.

    `prime` is a name, an expression or a file as on the command line, an integer, or a field.
    `native` asks for kernels (True) or for Python's integers (False); by default kernels are used
    where this host runs them. Raises ModulusError for what is no such prime, and ProcessorError
    for `native=True` on a host that runs no kernels.
    """

    __slots__ = ("_arithmetic", "_native", "constants")

    constants: Constants
    """Everything derived from the prime, for 64-bit limbs."""

    def __init__(self, prime: str | int | Field | Constants, *, native: bool | None = None) -> None:
        self.constants = constants_of(prime)
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
            self._arithmetic = arithmetic_of(self.constants, self._native)
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
        from fieldc.element_arrays import array

        return array(self, values)

    def array_of(self, buffer: Any) -> ElementArray:
        """An array on a buffer of limbs in Montgomery form, such as numpy's, without a copy.

        Values must be below p. Raises LengthMismatch for a buffer that holds no whole elements.
        """
        from fieldc.element_arrays import array_of

        return array_of(self, buffer)

    def _own(self, element: Element) -> Element:
        if element.field is self:
            return element
        if element.field != self:
            raise FieldMismatch(
                f"an element modulo {element.field.constants.label} is none modulo "
                f"{self.constants.label}; convert it with int()"
            )
        return Element(self, self.arithmetic.enter(int(element)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self.p == other.p

    def __hash__(self) -> int:
        return hash(("fieldc.Field", self.p))

    def __repr__(self) -> str:
        return f"Field({self.constants.label!r})" if self.name else f"Field({self.p:#x})"


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
        if isinstance(other, Element):
            return self.field == other.field and int(self) == int(other)
        if isinstance(other, SupportsIndex):
            return int(self) == index(other) % self.field.p
        return NotImplemented

    def __hash__(self) -> int:
        return hash(int(self))

    def __repr__(self) -> str:
        return f"{self.field!r}({int(self)})"

    def __str__(self) -> str:
        return str(int(self))


def constants_of(prime: str | int | Field | Constants) -> Constants:
    """The derived constants of what stands for a field, 64-bit limbs. Raises ModulusError."""
    if isinstance(prime, Field):
        return prime.constants
    if isinstance(prime, Constants):
        return prime if prime.word == 64 else Constants(prime.p, 64, prime.name)
    return find_field(prime if isinstance(prime, str) else hex(index(prime)))


def arithmetic_of(constants: Constants, native: bool | None) -> Arithmetic:
    """Choose kernels or Python integers. Raises ProcessorError if kernels are asked for in vain."""
    if native is False:
        return PythonArithmetic(constants.p)
    from fieldc.machine.processor import ProcessorError, host_architecture
    from fieldc.native_arithmetic import NativeArithmetic

    if host_architecture():
        return NativeArithmetic(constants)
    if native:
        raise ProcessorError("this host runs no kernels in-process; leave out native=True")
    return PythonArithmetic(constants.p)
