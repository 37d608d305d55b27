"""Extensions as data: Fp2, Fp6 and Fp12 are what u^2, v^3 and w^2 are.

Fp2 = extend(Element, 2, -1)            # u^2 = -1
Fp6 = extend(Fp2, 3, Fp2(1, 1))         # v^3 = 1 + u
Fp12 = extend(Fp6, 2, Fp6(0, 1, 0))     # w^2 = v
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NoReturn, cast

from fieldc.field import Field
from fieldc.formulas.element import Element, left_to, small_power
from fieldc.formulas.errors import place, wrong
from fieldc.formulas.kinds import ELEMENT, ValueType
from fieldc.formulas.refused import FormulaValue, integer_in, remedy, said_type
from fieldc.formulas.tower_fields import Numbers, numbers, power, why_no_field

MOST_FROBENIUS = 12
"""Powers of p in one step; more of them are their remainder by the tower's degree."""
Coefficient = Any
"""An Element, an int, or a value of the extension below."""


class Extension(FormulaValue):
    """A value c0 + c1*u + ... of an extension of degree 2 or 3; the power of u is `root`."""

    base: ClassVar[Any]
    degree: ClassVar[int]
    root: ClassVar[Any]
    kind: ClassVar[ValueType]
    members = ("coefficients",)
    has = "+ - * **, [i], square(), conjugate(), frobenius(), norm() and inverse(n)"

    def __init__(self, *coefficients: Coefficient) -> None:
        if len(coefficients) > self.degree:
            raise wrong(f"{len(coefficients)} coefficients of an extension of degree {self.degree}")
        missing = (0,) * (self.degree - len(coefficients))
        self.coefficients = tuple(lifted(self.base, c) for c in (*coefficients, *missing))

    def __getitem__(self, index: int) -> Coefficient:
        return self.coefficients[index]

    def _other(self, other: object) -> Extension | None:
        if isinstance(other, type(self)):
            return other
        is_below = isinstance(other, (Element, self.base)) or integer_in(other) is not None
        return type(self)(other) if is_below else None

    def _left_to(self, other: object) -> Extension:
        found: Extension = left_to(other, type(self).__name__)
        return found

    def __add__(self, other: object) -> Extension:
        if (b := self._other(other)) is None:
            return self._left_to(other)
        return type(self)(*(x + y for x, y in zip(self.coefficients, b.coefficients, strict=True)))

    def __radd__(self, other: object) -> Extension:
        return self._last_asked(self.__add__(other), other)

    def _last_asked(self, found: Extension, other: object) -> Extension:
        """What an operation found that the other value left to this one."""
        if found is NotImplemented:
            names = f"{type(other).__name__} and {type(self).__name__}"
            raise wrong(f"{names} have no sum, difference or product: neither extends the other")
        return found

    def __neg__(self) -> Extension:
        return type(self)(*(-x for x in self.coefficients))

    def __pos__(self) -> Extension:
        return self

    def __sub__(self, other: object) -> Extension:
        if (b := self._other(other)) is None:
            return self._left_to(other)
        return type(self)(*(x - y for x, y in zip(self.coefficients, b.coefficients, strict=True)))

    def __rsub__(self, other: object) -> Extension:
        return -self + other

    def __mul__(self, other: object) -> Extension:
        is_below = isinstance(other, Element) or (
            isinstance(other, Extension) and isinstance(other, self.base)
        )
        if is_below or (number := integer_in(other)) is not None:
            factor = other if is_below else number
            return type(self)(*(x * factor for x in self.coefficients))
        if not isinstance(other, type(self)):
            return self._left_to(other)
        if self.degree == 2:
            return self._multiply_2(other)
        return self._multiply_3(other)

    def __rmul__(self, other: object) -> Extension:
        # `self * other` would ask the other one again, without end
        return self._last_asked(self.__mul__(other), other)

    def __pow__(self, power: int, modulus: None = None) -> Extension:
        found: Extension = small_power(self, power, modulus)
        return found

    def __bool__(self) -> NoReturn:
        raise wrong("a formula has no branch: an element has no value that `if` could ask for")

    def __eq__(self, other: object) -> bool:
        raise wrong("a formula has no comparison: elements have no values here")

    def __hash__(self) -> int:
        raise wrong("an element has no value here: it is no key of a dictionary and in no set")

    def square(self) -> Extension:
        """This value times itself."""
        if self.degree == 3:
            return self * self
        a, b = self.coefficients
        if self.base is Element and self.root == -1:
            return type(self)((a + b) * (a - b), 2 * a * b)
        if self.base is Element:
            return type(self)(a * a + self._times_root(b * b), 2 * a * b)
        both = a * b
        rest = both + self._times_root(both)
        return type(self)((a + b) * (a + self._times_root(b)) - rest, 2 * both)

    def cyclotomic_square(self) -> Extension:
        """This value times itself, where x^(q^4 - q^2 + 1) = 1: three squares of pairs.

        Of a tower of degree 2 over 3 with w^2 = v, as Fp12 is over a field of q elements. For other
        values the result is another one. Granger, Scott, "Faster squaring in the cyclotomic
        subgroup of sixth degree extensions" (2010), 3.
        """
        if not self._is_of_sixth_degree:
            raise wrong("a cyclotomic square is of degree 2 over 3, with w^2 = v")
        (a, b, c), (d, e, g) = (half.coefficients for half in self.coefficients)
        first, second = self._squared_pair(a, e)
        third, fourth = self._squared_pair(d, c)
        fifth, sixth = self._squared_pair(b, g)
        low = (3 * first - 2 * a, 3 * third - 2 * b, 3 * fifth - 2 * c)
        high = (3 * self.base._times_root(sixth) + 2 * d, 3 * second + 2 * e, 3 * fourth + 2 * g)
        return type(self)(self.base(*low), self.base(*high))

    @property
    def _is_of_sixth_degree(self) -> bool:
        below = self.base
        if self.degree != 2 or below is Element or below.degree != 3:
            return False
        zero, one, two = self.root.coefficients
        return is_zero(zero) and is_zero(two) and not is_zero(one) and is_zero(one - 1)

    def _squared_pair(self, x: Coefficient, y: Coefficient) -> tuple[Coefficient, Coefficient]:
        """The coefficients of (x + y*s)^2, s^2 = v^3."""
        both = x * y
        rest = both + self.base._times_root(both)
        return (x + y) * (x + self.base._times_root(y)) - rest, 2 * both

    def conjugate(self) -> Extension:
        """c0 - c1*u, of degree 2."""
        if self.degree != 2:
            raise wrong("only an extension of degree 2 has this conjugate")
        return type(self)(self[0], -self[1])

    def frobenius(self, count: int = 1) -> Extension:
        """This value to the power p^count, by the tower's constants modulo p.

        (c*u^i)^q = c^q * u^(q*i), and u^d is the root.
        """
        number = None if isinstance(count, bool) else integer_in(count)
        if number is None or not 1 <= number <= MOST_FROBENIUS:
            raise wrong(f"Frobenius is applied 1 to {MOST_FROBENIUS} times, not {count!r}")
        one = next((leaf for leaf in leaves(self) if isinstance(leaf, Element)), None)
        if one is None:
            raise wrong("Frobenius is of a value that is made of elements")
        f = one.trace.asked_field()
        if f is None:
            return self  # it is recorded again when the field is known
        total: list[Coefficient] = [0] * self.degree
        for i, c in enumerate(self.coefficients):
            raised = c.frobenius(number) if isinstance(c, Extension) else c
            turns, place = divmod(f.p**number * i, self.degree)
            total[place] = times(raised, constant_power(f, self.base, self.root, turns))
        return type(self)(*total)

    def norm(self) -> Coefficient:
        """The product of all conjugates, an Element: 0 for 0 only."""
        return self._adjoint_and_norm()[1]

    def inverse(self, norm_inverse: Coefficient) -> Extension:
        """The inverse of this value, given that of its norm, an Element."""
        found: Extension = self._adjoint_and_norm()[0] * norm_inverse
        return found

    def _adjoint_and_norm(self) -> tuple[Extension, Coefficient]:
        """What times this value is the norm, and the norm."""
        if self.degree == 2:
            a, b = self.coefficients
            other = type(self)(a, -b)
            norm = squared(a) - self._times_root(squared(b))
        else:
            a, b, c = self.coefficients
            x = squared(a) - self._times_root(b * c)
            y = self._times_root(squared(c)) - a * b
            z = squared(b) - a * c
            other = type(self)(x, y, z)
            norm = a * x + self._times_root(c * y + b * z)
        if not isinstance(norm, Extension):
            return other, norm
        below, whole = norm._adjoint_and_norm()
        return other * below, whole

    @classmethod
    def _times_root(cls, x: Coefficient) -> Coefficient:
        """x times the root, which the coefficients below know how to do cheaply."""
        return times(x, cls.root)

    def _multiply_2(self, other: Extension) -> Extension:
        (a, b), (c, d) = self.coefficients, other.coefficients
        if self.base is Element:  # two sums of products, a reduction each
            return type(self)(a * c + self._times_root(b * d), a * d + b * c)
        low, high = a * c, b * d
        return type(self)(low + self._times_root(high), (a + b) * (c + d) - low - high)

    def _multiply_3(self, other: Extension) -> Extension:
        """Karatsuba's six products. Devegili and others (2006), 4."""
        (a, b, c), (d, e, f) = self.coefficients, other.coefficients
        p, q, r = a * d, b * e, c * f
        return type(self)(
            p + self._times_root((b + c) * (e + f) - q - r),
            (a + b) * (d + e) - p - q + self._times_root(r),
            (a + c) * (d + f) - p - r + q,
        )


def lifted(base: Any, value: Coefficient) -> Coefficient:
    """A value as one of an extension, or of the field itself."""
    if base is Element:
        number = None if isinstance(value, bool) else integer_in(value)
        if isinstance(value, Element) or number is not None:
            return value if number is None else number
        raise wrong(f"{said_type(value)} is not an element{remedy(value)}")
    return value if isinstance(value, base) else base(value)


def times(x: Coefficient, root: Coefficient) -> Coefficient:
    """x * root for a root of integers: sums and differences, no product of elements."""
    if isinstance(x, (Element, int)) or not isinstance(root, Extension):
        return x * root
    if not isinstance(root, type(x)):
        return type(x)(*(times(c, root) for c in x.coefficients))
    total: Coefficient = None
    moved = x
    for coefficient in root.coefficients:
        if not is_zero(coefficient):
            is_one = isinstance(coefficient, int) and coefficient == 1
            term = moved if is_one else times(moved, coefficient)
            total = term if total is None else total + term
        moved = _turned(moved)
    return type(x)() if total is None else total


def _turned(x: Extension) -> Extension:
    """x times its own extension's generator."""
    *lower, last = x.coefficients
    return type(x)(times(last, x.root), *lower)


def squared(x: Coefficient) -> Coefficient:
    """x times itself."""
    return x * x if isinstance(x, int) else x.square()


def leaves(value: Coefficient) -> Iterator[Coefficient]:
    """The elements and integers that a value is made of."""
    if isinstance(value, Extension):
        for c in value.coefficients:
            yield from leaves(c)
    else:
        yield value


def constant_power(f: Field, base: Any, root: Coefficient, exponent: int) -> Coefficient:
    """root^exponent in the field below, of integers between -p/2 and p/2."""

    def made(kind: Any, value: Numbers) -> Coefficient:
        if kind is Element:
            return value - f.p if 2 * value > f.p else value
        return kind(*(made(kind.base, v) for v in value))

    return made(base, power(f, base, numbers(f, base, root), exponent))


def is_zero(value: Coefficient) -> bool:
    """Whether a constant of a tower is 0."""
    if isinstance(value, Extension):
        return all(map(is_zero, value.coefficients))
    return isinstance(value, int) and value == 0


def extend(base: Any, degree: int, root: Coefficient) -> type[Extension]:
    """The extension of `base` by a root: u^degree = root. Raises FormulaError.

    That it is a field is checked when a prime is known.
    """
    at = place()
    is_known = base is Element or (isinstance(base, type) and issubclass(base, Extension))
    if not is_known:
        raise wrong("an extension is of Element or of another extension", at)
    number = integer_in(degree)
    if number not in (2, 3):
        raise wrong(f"an extension has degree 2 or 3, not {degree!r}", at)
    degree = number
    below: ValueType = ELEMENT if base is Element else base.kind
    lowest = lifted(base, root)
    if not _is_constant(lowest):
        raise wrong("a root is made of integers", at)
    name = f"Fp{below.count * degree}"
    members = {"base": base, "degree": degree, "root": lowest}
    made = cast(type[Extension], type(name, (Extension,), members))

    def make(values: Sequence[Element]) -> Extension:
        size = below.count
        return made(*(below.make(values[i * size : (i + 1) * size]) for i in range(degree)))

    def parts(value: Any) -> Sequence[Any] | None:
        return value.coefficients if isinstance(value, made) else None

    @lru_cache(maxsize=8)
    def why_not(f: Field) -> str:
        return why_no_field(f, made)

    def check(f: Field) -> None:
        if why := why_not(f):
            raise wrong(f"{name} is no field modulo {f.short}: {why}", at)

    made.kind = ValueType(
        name, below.count * degree, make, parts, (below,) * degree, (*below.checks, check)
    )
    return made


def _is_constant(value: Coefficient) -> bool:
    if isinstance(value, Extension):
        return all(map(_is_constant, value.coefficients))
    return isinstance(value, int)
