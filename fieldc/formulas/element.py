"""Elements of a field, recorded: each operation becomes a step of a formula.

An element has no value and no size while a formula is recorded. What a person might write that
needs a value (a branch, a comparison, a division) is refused with the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn, SupportsIndex

from fieldc.errors import with_article
from fieldc.field import Field
from fieldc.formulas.errors import place, wrong
from fieldc.formulas.refused import FormulaValue, integer_in, remedy, said_type
from fieldc.operands import Range

MOST_STEPS = 4000
"""Operations of one formula. It is refused while it is recorded, so that a long loop ends."""
MOST_POWER = 64
"""The largest exponent of `**`."""
MOST_BITS = 4096
"""Of a constant."""


_FIELD: ContextVar[Field | None] = ContextVar("_FIELD", default=None)


@contextmanager
def recording_over(f: Field) -> Iterator[None]:
    """Record formulas with the constants of a field."""
    before = _FIELD.set(f)
    try:
        yield
    finally:
        _FIELD.reset(before)


@dataclass(frozen=True)
class Step:
    """One operation on earlier values, which have numbers: inputs first, then the steps.

    `kind` is add, sub and mul of two values, scale of one by the integer `number`, or constant,
    the element `number`. Of values that are no elements there are times (x, k), product (x, k),
    which is not reduced, choose (mask, a, b), sum (s, x, y) and, of a sum, divide or reduce.
    """

    kind: str
    args: tuple[int, ...]
    number: int = 0


@dataclass
class Recording:
    """The steps of one formula while it is recorded. Equal steps are one step."""

    inputs: int
    steps: list[Step] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line of each step."""
    known: dict[Step, int] = field(default_factory=dict)
    sizes: dict[int, Range] = field(default_factory=dict)
    """Of the values that are no elements."""
    has_field_constants: bool = False
    """Whether steps depend on the field."""

    def asked_field(self) -> Field | None:
        """The field whose constants a formula asks for; None until it is known."""
        self.has_field_constants = True
        return _FIELD.get()

    def element(self, kind: str, *args: Element, number: int = 0) -> Element:
        """The element that a step gives."""
        for other in args:
            if other.trace is not self:
                raise wrong("an element of another formula")
        numbers = tuple(a.number for a in args)
        step = Step(kind, tuple(sorted(numbers)) if kind in ("add", "mul") else numbers, number)
        if step not in self.known:
            if len(self.steps) == MOST_STEPS:
                raise wrong(f"more than {MOST_STEPS} steps: a formula is one kernel, not a program")
            self.known[step] = self.inputs + len(self.steps)
            self.steps.append(step)
            self.lines.append(place()[1])
        return Element(self, self.known[step])

    def constant(self, number: int) -> Element:
        """An integer as an element. Raises FormulaError for a truth value and for one too long."""
        return self.element("constant", number=_integer(number))


class Element(FormulaValue):
    """A field element inside a formula: `+ - *`, `**` and integers; no comparison, no branch."""

    __slots__ = ("number", "trace")
    members = ("trace", "number")
    has = "+ - * with elements and integers, ** with an integer, square() and double()"

    def __init__(self, trace: Recording | None = None, number: int | None = None) -> None:
        if not isinstance(trace, Recording) or number is None:
            raise wrong("an integer is an element as it is: write 3 for what Element(3) would be")
        self.trace, self.number = trace, number

    def __add__(self, other: Element | SupportsIndex) -> Element:
        if (y := self._element(other)) is None:
            return self._left_to(other)
        return self.trace.element("add", self, y)

    def __radd__(self, other: SupportsIndex) -> Element:
        return self + other

    def __sub__(self, other: Element | SupportsIndex) -> Element:
        if (y := self._element(other)) is None:
            return self._left_to(other)
        return self.trace.element("sub", self, y)

    def __rsub__(self, other: SupportsIndex) -> Element:
        if (y := self._element(other)) is None:
            return self._left_to(other)
        return y - self

    def __mul__(self, other: Element | PlainInteger | SupportsIndex) -> Element:
        if isinstance(other, PlainInteger):
            return other * self
        if isinstance(other, Element):
            return self.trace.element("mul", self, other)
        if (number := integer_in(other)) is None:
            return self._left_to(other)
        return self.trace.element("scale", self, number=_integer(number))

    def __rmul__(self, other: PlainInteger | SupportsIndex) -> Element:
        return self * other

    def __neg__(self) -> Element:
        return self * -1

    def __pos__(self) -> Element:
        return self

    def __pow__(self, power: int, modulus: None = None) -> Element:
        found: Element = small_power(self, power, modulus)
        return found

    def square(self) -> Element:
        """This element times itself."""
        return self * self

    def double(self) -> Element:
        """Twice this element."""
        return self * 2

    def _element(self, other: object) -> Element | None:
        """A value as an element; None for what is none and no integer."""
        if isinstance(other, Element):
            return other
        number = integer_in(other)
        return None if number is None else self.trace.constant(number)

    def _left_to(self, other: object) -> Element:
        found: Element = left_to(other)
        return found

    def __bool__(self) -> NoReturn:
        raise wrong("a formula has no branch: an element has no value that `if` could ask for")

    def __eq__(self, other: object) -> bool:
        raise wrong("a formula has no comparison: elements have no values here")

    def __hash__(self) -> int:
        raise wrong("an element has no value here: it is no key of a dictionary and in no set")

    def _compared(self, other: object) -> NoReturn:
        raise wrong("a formula has no comparison: elements have no values here")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared

    def _divided(self, other: object) -> NoReturn:
        raise wrong("a formula has no division: multiply by an inverse that is an operand")

    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __divmod__ = _divided
    __rfloordiv__ = __rmod__ = __rdivmod__ = _divided

    def _no_number(self) -> NoReturn:
        raise wrong("an element has no value here: it is no number, index or sequence")

    __int__ = __index__ = __float__ = __complex__ = __len__ = __iter__ = _no_number


class PlainInteger(FormulaValue):
    """An operand that is a number below 2^bits and no element: a factor, or a mask."""

    __slots__ = ("value",)
    members = ("value",)
    has = "* with an element"
    called = "a plain integer"
    """What messages call it."""
    use = "is a factor of an element, and nothing else"

    def __init__(self, value: Element | None = None) -> None:
        if not isinstance(value, Element):
            name = type(self).__name__
            raise wrong(f"{name} is the type of an operand, not a function: write k: {name}")
        self.value = value

    def __mul__(self, other: object) -> Element:
        if not isinstance(other, Element):
            self._no_other(other)
        trace = other.trace
        if not (size := trace.sizes[self.value.number]).is_signed:
            return trace.element("times", other, self.value)
        held = trace.element("product", other, self.value)
        trace.sizes[held.number] = Range(bits=size.bits)
        return trace.element("reduce", held)

    __rmul__ = __mul__

    def _no_other(self, other: object) -> NoReturn:
        raise wrong(f"{self.called} {self.use}")

    __add__ = __radd__ = __sub__ = __rsub__ = __truediv__ = __eq__ = _no_other
    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _no_other

    def __hash__(self) -> int:
        raise wrong(f"{self.called} has no value here: it is no key and in no set")

    def __bool__(self) -> NoReturn:
        raise wrong("a formula has no branch: write choose(mask, a, b)")


def left_to(other: object, one: str = "Element") -> Any:
    """Leave an operation to a type of this room. Raises FormulaError for any other value."""
    if getattr(type(other), "kind", None) is not None:
        return NotImplemented
    said = repr(other) if isinstance(other, (float, complex)) else said_type(other)
    this = "an element" if one == "Element" else with_article(one)
    raise wrong(f"{this} has + - * with elements and integers, not with {said}{remedy(other)}")


def small_power(x: Any, power: object, modulus: object = None) -> Any:
    """x to a small power, by squares and products. Raises FormulaError for another power."""
    if modulus is not None:
        raise wrong("elements have a modulus: leave out the third argument of pow")
    times = integer_in(power)
    if times is None or isinstance(power, bool) or not 1 <= times <= MOST_POWER:
        is_number = isinstance(power, (int, float))
        said = "an element" if isinstance(power, Element) else said_type(power)
        said = repr(power) if is_number else said
        raise wrong(f"a power is a whole number from 1 to {MOST_POWER}, not {said}")
    result = x
    for bit in f"{times:b}"[1:]:
        result = result.square()
        result = result * x if bit == "1" else result
    return result


def square(x: Element) -> Element:
    """x times itself."""
    return x * x


def _integer(number: int) -> int:
    if isinstance(number, bool):
        raise wrong(f"{number} is not an element: write 0 or 1")
    if number.bit_length() > MOST_BITS:
        raise wrong(f"a constant has at most {MOST_BITS} bits; reduce it modulo p")
    return number
