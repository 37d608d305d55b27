"""Arrays of elements of a prime field, for use from Python.

    F = Field("bls12-381-r")
    a, b = F.array([1, 2, 3]), F.array([4, 5, 6])
    print((a * b).tolist(), int(a @ b))

Elements lie side by side, n limbs of 64 bits each, in Montgomery form. Kernels on arrays compute
where the processor has AVX-512, Python's integers elsewhere.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from fieldc.algorithms.lanes import ARRAY_OPERATIONS, MOST_BITS
from fieldc.artifacts.host import SYMBOL
from fieldc.errors import UserError
from fieldc.field import Field as Constants
from fieldc.machine.arrays import ArrayFunction, packed, size, unpacked
from fieldc.targets.array_targets import fastest_here
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.offers import ARRAY, array_expression

if TYPE_CHECKING:
    from fieldc.elements import Element, Field

LINE = 64
"""Bytes of a cache line, on which arrays of our own begin."""


class LengthMismatch(UserError, ValueError):
    """An operation on arrays of two lengths, or a buffer that holds no whole elements."""


class ElementArray:
    """So many elements of one field. Made by Field.array and Field.array_of.

    `words` is a buffer of the limbs, one row for each element, which numpy takes without a copy.
    Operators take arrays of the same field and length, elements and integers. Raises LengthMismatch
    for another length, FieldMismatch for another field.
    """

    __slots__ = ("_address", "_held", "count", "field")

    def __init__(self, field: Field, count: int, address: int, held: object) -> None:
        self.field, self.count = field, count
        self._address, self._held = address, held

    @property
    def words(self) -> memoryview:
        """The limbs in Montgomery form, lowest first: `count` rows of n words, not a copy."""
        f = self.field.constants
        if not self.count:
            return memoryview(b"").cast("Q")
        kind: Any = type("Words", (ctypes.c_char * size(f, self.count),), {})
        memory: Any = kind.from_address(self._address)
        memory.held = self  # keeps what owns the memory
        return memoryview(memory).cast("B").cast("Q", (self.count, f.n))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: SupportsIndex) -> Element:
        at = range(self.count)[index(place)]
        return self.field(self._values(at, 1)[0])

    def __iter__(self) -> Iterator[Element]:
        return map(self.field, self.tolist())

    def tolist(self) -> list[int]:
        """The values, 0 <= value < p."""
        return self._values(0, self.count)

    def _values(self, first: int, count: int) -> list[int]:
        f = self.field.constants
        data = ctypes.string_at(self._address + size(f, first), size(f, count))
        return [f.from_montgomery(form) for form in unpacked(f, data, count)]

    def __add__(self, other: object) -> ElementArray:
        return self._by("add", other)

    __radd__ = __add__

    def __sub__(self, other: object) -> ElementArray:
        return self._by("sub", other)

    def __rsub__(self, other: object) -> ElementArray:
        x = self._same(other)
        return NotImplemented if x is None else x - self

    def __mul__(self, other: object) -> ElementArray:
        return self._by("mul", other)

    __rmul__ = __mul__

    def __neg__(self) -> ElementArray:
        return self._made("neg", self)

    def square(self) -> ElementArray:
        """x*x of each element."""
        return self._made("square", self)

    def butterfly(self, y: object, w: object) -> tuple[ElementArray, ElementArray]:
        """x + y*w and x - y*w of each element x: the step of a number-theoretic transform.

        Takes arrays of this field and length, elements and integers. Raises LengthMismatch,
        FieldMismatch, TypeError.
        """
        others = self._same(y), self._same(w)
        if others[0] is None or others[1] is None:
            raise TypeError("a butterfly takes arrays, elements and integers")
        total, rest = self._new(self.count), self._new(self.count)
        addresses = (each._address for each in (total, rest, self, *others) if each is not None)
        _run(self.field.constants, "butterfly", self.count, *addresses)
        return total, rest

    def __pow__(self, exponent: SupportsIndex) -> ElementArray:
        """The power of each element by one exponent; a negative one inverts."""
        power = index(exponent)
        base, result = (self.inverse() if power < 0 else self), None
        for bit in bin(abs(power))[2:]:
            result = None if result is None else result.square()
            if bit == "1":
                result = base if result is None else result * base
        return self.field.array([1] * self.count) if result is None else result

    def __matmul__(self, other: object) -> Element:
        """The inner product."""
        return self._by("mul", other).sum()

    def sum(self) -> Element:
        """The sum of all elements."""
        if not self.count:
            return self.field(0)
        total, left, f = self._copy(), self.count, self.field.constants
        while left > 1:
            half = (left + 1) // 2
            at = total._address
            _run(f, "add", left - half, at, at, at + size(f, half))
            left = half
        return total[0]

    def inverse(self) -> ElementArray:
        """1/x of each element: one inversion, and three products for each element.

        The product of the halves is inverted first, and so on (Montgomery's trick as a tree).
        Raises ZeroDivisionError with the first position of a zero.
        """
        f, levels = self.field.constants, [self]
        while (count := levels[-1].count) > 1:
            half = (count + 1) // 2
            below, product = levels[-1]._address, self._new(half)
            ctypes.memmove(product._address, below, size(f, half))
            _run(f, "mul", count - half, product._address, below, below + size(f, half))
            levels.append(product)
        values = levels[-1].tolist()
        if values == [0]:
            zero = self.tolist().index(0)
            raise ZeroDivisionError(f"element {zero} is 0, which has no inverse")
        inverse = self.field.array([pow(value, -1, f.p) for value in values])
        for level in reversed(levels[:-1]):
            half = inverse.count
            above, others = inverse._address, level._address
            next_one = self._new(level.count)
            ctypes.memmove(next_one._address, above, size(f, half))
            place, upper = next_one._address, level.count - half
            _run(f, "mul", upper, place, above, others + size(f, half))
            _run(f, "mul", upper, place + size(f, half), above, others)
            inverse = next_one
        return inverse

    def _by(self, operation: str, other: object) -> ElementArray:
        y = self._same(other)
        return NotImplemented if y is None else self._made(operation, self, y)

    def _same(self, other: object) -> ElementArray | None:
        """The other operand as an array of this length; None for what is no number."""
        if isinstance(other, ElementArray):
            if other.field != self.field:
                self.field(other.field(0))  # raises FieldMismatch
            if other.count != self.count:
                raise LengthMismatch(f"arrays of {self.count} and of {other.count} elements")
            return other
        if isinstance(other, SupportsIndex) or hasattr(other, "field"):
            value = int(self.field(other))  # type: ignore[arg-type]
            return self.field.array([value]).repeated(self.count)
        return None

    def repeated(self, count: int) -> ElementArray:
        """An array with the first element of this one `count` times."""
        made, f = self._new(count), self.field.constants
        data = ctypes.string_at(self._address, size(f, 1)) * count
        ctypes.memmove(made._address, data, len(data))
        return made

    def _made(self, operation: str, *operands: ElementArray) -> ElementArray:
        result = self._new(self.count)
        addresses = (each._address for each in operands)
        _run(self.field.constants, operation, self.count, result._address, *addresses)
        return result

    def _new(self, count: int) -> ElementArray:
        return empty(self.field, count)

    def _copy(self) -> ElementArray:
        made = self._new(self.count)
        ctypes.memmove(made._address, self._address, size(self.field.constants, self.count))
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ElementArray):
            return NotImplemented
        return self.field == other.field and self.tolist() == other.tolist()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.count} elements of {self.field!r}>"


def empty(field: Field, count: int) -> ElementArray:
    """An array of zeros."""
    bytes_ = size(field.constants, count)
    memory = ctypes.create_string_buffer(bytes_ + LINE)
    address = ctypes.addressof(memory)
    return ElementArray(field, count, address + -address % LINE, memory)


def array(field: Field, values: Iterable[SupportsIndex | Element]) -> ElementArray:
    """An array of integers or elements, each taken modulo p."""
    f = field.constants
    forms = [f.to_montgomery(int(field(value))) for value in values]
    made = empty(field, len(forms))
    ctypes.memmove(made._address, packed(f, forms), size(f, len(forms)))
    return made


def array_of(field: Field, buffer: Any) -> ElementArray:
    """An array on a buffer of limbs in Montgomery form, of values below p.

    It is not copied unless it is read-only. Raises LengthMismatch for a buffer that holds no whole
    elements or is not contiguous.
    """
    f, view = field.constants, memoryview(buffer)
    if not view.c_contiguous or view.nbytes % size(f, 1):
        raise LengthMismatch(
            f"a buffer of {view.nbytes} bytes holds no whole elements of {size(f, 1)}; give one "
            "without gaps"
        )
    count = view.nbytes // size(f, 1)
    if not count:
        return empty(field, 0)
    if view.readonly:
        view = memoryview(bytearray(view))
    address = ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view))
    return ElementArray(field, count, address, view)


def _run(f: Constants, operation: str, count: int, *addresses: int) -> None:
    """An operation on arrays at addresses, results first: by a kernel, or by Python's integers."""
    if not count:
        return
    function = _function(f, operation)
    if function is not None:
        function.at(count, *addresses)
        return
    computes = ARRAY_OPERATIONS[operation]
    given = addresses[computes.result.count :]
    data = [ctypes.string_at(address, size(f, count)) for address in given]
    operands: Sequence[list[int]] = [unpacked(f, each, count) for each in data]
    numbers = [computes(f, *values) for values in zip(*operands, strict=True)]
    results = [computes.result.values(f, number) for number in numbers]
    for address, forms in zip(addresses, zip(*results, strict=True), strict=False):
        ctypes.memmove(address, packed(f, forms), size(f, count))


@lru_cache(maxsize=64)
def _function(f: Constants, operation: str) -> ArrayFunction | None:
    """The kernel of this process; None where the processor has none, or the modulus is too long."""
    target = fastest_here()
    if target is None or f.bits > MOST_BITS:
        return None
    expression = array_expression(f, operation, ARRAY)
    return ArrayFunction(compile_array(target, expression, SYMBOL).object, SYMBOL, expression)
