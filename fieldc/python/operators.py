"""The operators of arrays of elements: each makes another array."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from fieldc.python.constants import check_modulus

if TYPE_CHECKING:
    from typing import Self

    from fieldc.python.arrays import ResidueArray


class ArrayOperators:
    """Operators on residues. A subclass says what an operand is, and makes arrays of its kind."""

    __slots__ = ()

    _residues: ResidueArray
    __array_ufunc__ = None
    """Numpy leaves operators to this class: otherwise it makes arrays of objects."""

    def _with(self, other: object) -> ResidueArray | None:
        """The other operand as residues of this field; None for what is no number of it."""
        raise NotImplementedError

    def _of(self, residues: ResidueArray) -> Self:
        """An array on residues."""
        raise NotImplementedError

    def _by(self, operation: str, other: object) -> Self:
        """An operation with another operand; NotImplemented for what is no number."""
        y = self._with(other)
        return NotImplemented if y is None else self._of(self._residues.computed(operation, y))

    def __add__(self, other: object) -> Self:
        return self._by("add", other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Self:
        return self._by("sub", other)

    def __rsub__(self, other: object) -> Self:
        x = self._with(other)
        return NotImplemented if x is None else self._of(x.computed("sub", self._residues))

    def __mul__(self, other: object) -> Self:
        return self._by("mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Self:
        y = self._with(other)
        if y is None:
            return NotImplemented
        return self._of(self._residues.computed("mul", y.inverse()))

    def __rtruediv__(self, other: object) -> Self:
        x = self._with(other)
        if x is None:
            return NotImplemented
        return self._of(x.computed("mul", self._residues.inverse()))

    def __neg__(self) -> Self:
        return self._of(self._residues.computed("neg"))

    def __pow__(self, exponent: SupportsIndex, modulus: None = None) -> Self:
        """The power of each element by one exponent; a negative one inverts."""
        check_modulus(modulus)
        return self._of(self._residues.power(index(exponent)))

    def double(self) -> Self:
        """x + x of each element."""
        return self._of(self._residues.computed("double"))

    def square(self) -> Self:
        """x*x of each element."""
        return self._of(self._residues.computed("square"))

    def mul_add(self, y: object, a: object) -> Self:
        """x*y + a of each element x, with one reduction.

        Takes arrays of this field and length, elements and integers. Raises LengthMismatch,
        FieldMismatch, TypeError.
        """
        by, added = self._with(y), self._with(a)
        if by is None or added is None:
            raise TypeError("mul_add takes arrays, elements and integers")
        return self._of(self._residues.computed("mul_add", by, added))

    def butterfly(self, y: object, w: object) -> tuple[Self, Self]:
        """x + y*w and x - y*w of each element x: the step of a number-theoretic transform.

        Takes arrays of this field and length, elements and integers. Raises LengthMismatch,
        FieldMismatch, TypeError.
        """
        by, twiddles = self._with(y), self._with(w)
        if by is None or twiddles is None:
            raise TypeError("a butterfly takes arrays, elements and integers")
        total, rest = self._residues.butterfly(by, twiddles)
        return self._of(total), self._of(rest)

    def inverse(self) -> Self:
        """1/x of each element: one inversion, and three products for each element.

        Raises ZeroDivisionError with the first position of a zero.
        """
        return self._of(self._residues.inverse())

    def ntt(self) -> Self:
        """The values at 1, r, r^2, ... of the polynomial whose coefficients these are.

        r is `field.root_of_unity(len(self))`. Raises LengthMismatch unless the length is 2^k and
        divides p - 1.
        """
        from fieldc.python.transform import transform

        return self._of(self._residues.like(transform(self._residues.in_limbs())))

    def intt(self) -> Self:
        """The coefficients of the polynomial with these values: undoes `ntt`.

        Raises LengthMismatch as `ntt` does.
        """
        from fieldc.python.transform import inverse_transform

        return self._of(self._residues.like(inverse_transform(self._residues.in_limbs())))

    def to_digits(self) -> Self:
        """The same elements as vectors compute with them, from one operation to the next.

        `words` are digits of 52 bits then. The array itself where this host has no such kernels.
        """
        from fieldc.python.digits import to_digits

        return self._of(to_digits(self._residues))

    def to_limbs(self) -> Self:
        """The same elements side by side in limbs: undoes `to_digits`."""
        return self._of(self._residues.in_limbs())
