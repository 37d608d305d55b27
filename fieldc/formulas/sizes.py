"""Operands and results that are no elements: plain integers, masks, and sums that wait.

    def scaled(x: Element, k: U64) -> Element: return x * k
    def turned(x: Element, k: I64) -> Element: return x * k
    def chosen(m: Mask, a: Element, b: Element) -> Element: return choose(m, a, b)
    def step(s: Sum7, x: Element, y: Element) -> Sum8: return s.plus(x, y)
    def ended(s: Sum8) -> Element: return s.reduced()

with Sum7 = accumulator(7) and Sum8 = accumulator(8): so many products, not reduced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NoReturn, SupportsIndex, cast

from fieldc.errors import with_article
from fieldc.field import Field
from fieldc.formulas.element import Element, PlainInteger, Recording
from fieldc.formulas.errors import SourceLine, TooManyProducts, place, wrong
from fieldc.formulas.kinds import ValueType
from fieldc.formulas.refused import FormulaValue, integer_in, remedy, said_type
from fieldc.operands import Range, plain_integer

MOST_TERMS = 1 << 16
"""Products in one sum."""


class U64(PlainInteger):
    """A number below 2^64."""

    kind: ClassVar[ValueType]


class U128(PlainInteger):
    """A number below 2^128."""

    kind: ClassVar[ValueType]


class I64(PlainInteger):
    """A number from -2^63 to 2^63 - 1."""

    kind: ClassVar[ValueType]


class I128(PlainInteger):
    """A number from -2^127 to 2^127 - 1."""

    kind: ClassVar[ValueType]


class Mask(PlainInteger):
    """The number 0 or 1, for `choose`."""

    kind: ClassVar[ValueType]
    has = "choose(mask, a, b)"
    called = "a mask"
    use = "is for choose, and nothing else: write choose(m, b, a) for choose(1 - m, a, b)"

    def __mul__(self, other: object) -> Element:
        raise wrong("a mask is no factor: write choose(mask, x, 0)")

    __rmul__ = __mul__


def choose(mask: Mask, a: Element | SupportsIndex, b: Element | SupportsIndex) -> Element:
    """a where the mask is 1, b where it is 0, without a branch."""
    if not isinstance(mask, Mask):
        raise wrong(f"choose takes a Mask first, not {with_article(type(mask).__name__)}")
    trace = mask.value.trace

    def element(x: object) -> Element:
        if isinstance(x, Element):
            return x
        if (number := integer_in(x)) is None:
            works = remedy(x) or ": choose its members"
            raise wrong(f"choose takes elements, not {said_type(x)}{works}")
        return trace.constant(number)

    return trace.element("choose", mask.value, element(a), element(b))


class Accumulator(FormulaValue):
    """A sum of so many products that are not reduced: of elements, or of elements and integers."""

    terms: ClassVar[int]
    factor: ClassVar[Any]
    kind: ClassVar[ValueType]
    members = ("value", "held", "of")
    has = "plus(x, y) and reduced()"

    def __init__(self, value: Element | None = None, terms: int = 0, factor: Any = None) -> None:
        if not isinstance(value, Element):
            raise wrong("the type of a sum is that of an operand or a result, not a function")
        self.value, self.held, self.of = value, terms, factor

    def plus(self, x: Element, y: Element | PlainInteger) -> Accumulator:
        """One product more."""
        if not isinstance(y, self.of) or not isinstance(x, Element):
            raise wrong(f"this sum is of products of Element and {self.of.__name__}")
        other = y.value if isinstance(y, PlainInteger) else cast(Element, y)
        value = self.value.trace.element("sum", self.value, x, other)
        self.value.trace.sizes[value.number] = size_of(self.held + 1, self.of)
        return Accumulator(value, self.held + 1, self.of)

    def reduced(self) -> Element:
        """The element that the sum is."""
        kind = "divide" if self.of is Element else "reduce"
        return self.value.trace.element(kind, self.value)

    def __bool__(self) -> NoReturn:
        raise wrong("a formula has no branch: a sum has no value here")

    def __eq__(self, other: object) -> bool:
        raise wrong("a formula has no comparison: a sum has no value here")

    def __hash__(self) -> int:
        raise wrong("a sum has no value here: it is no key of a dictionary and in no set")


def size_of(terms: int, factor: Any) -> Range:
    """What a sum of so many products is below."""
    if factor is Element:
        return Range(multiple=terms, powers=2)
    return Range(multiple=terms, bits=SIZES[factor])


def said_terms(bound: Range) -> str:
    """The bound of a sum with the products it holds, as text."""
    count = "1 product" if bound.multiple == 1 else f"{bound.multiple} products"
    return f"{bound.bound}, at most {count}"


def accumulator(terms: int, factor: Any = Element) -> type[Accumulator]:
    """The type of a sum of so many products of elements, or of elements and k of U64 or I64.

    Raises FormulaError for another factor, and for too many products.
    """
    at = place()
    number = None if isinstance(terms, bool) else integer_in(terms)
    if number is None or not 1 <= number <= MOST_TERMS:
        raise wrong(f"an accumulator holds 1 to {MOST_TERMS} products, not {terms!r}", at)
    terms = number
    if factor not in (Element, U64, I64):
        raise wrong("an accumulator is of products with Element, U64 or I64", at)
    members = {"terms": terms, "factor": factor}
    made = cast(type[Accumulator], type(f"Accumulator{terms}", (Accumulator,), members))

    def taken(value: object, trace: Recording, what: str, at: SourceLine) -> Element:
        if not isinstance(value, Accumulator) or value.of is not factor:
            raise wrong(f"{what} {said_type(value)}, not {made.__name__}", at)
        if (over := value.held - terms) > 0:
            held = f"a sum of {value.held} products"
            said = wrong(f"{what} {held}, {over} more than {made.__name__} holds", at)
            error = TooManyProducts(str(said))
            error.over = over
            raise error
        return value.value

    def with_room(more: int) -> ValueType:
        if more >= terms:
            raise wrong(f"{made.__name__} has no room for {more} products more", at)

        def is_as_long(f: Field) -> None:
            if said := _why_not_as_long(f, terms, more, factor):
                raise wrong(said, at)

        return replace(accumulator(terms - more, factor).kind, checks=(is_as_long,))

    made.kind = ValueType(
        made.__name__,
        1,
        lambda values: Accumulator(values[0], terms, factor),
        lambda value: None,
        size=size_of(terms, factor),
        taken=taken,
        with_room=with_room,
    )
    return made


def _why_not_as_long(f: Field, terms: int, more: int, factor: Any) -> str:
    """Why a sum has not the limbs of one with `more` products less, and what has; else nothing."""

    def limbs(n: int) -> int:
        return size_of(n, factor).limbs(f)

    less = terms - more
    if limbs(terms) == limbs(less):
        return ""
    larger = range(terms + 1, min(terms + more, MOST_TERMS) + 1)
    works = next((n for n in larger if limbs(n) == limbs(n - more)), 0)
    best = f"take a sum of {works}" if works else "choose another number"
    found = f"a sum of {terms} products has {limbs(terms)} limbs, one of {less} has {limbs(less)}"
    return f"{found}: {best}"


SIZES: dict[Any, int] = {U64: 64, U128: 128, I64: 64, I128: 128, Mask: 1}
"""Bits of each plain integer."""
SIGNED = (I64, I128)


def _integer(made: Any, bits: int) -> ValueType:
    def make(values: Sequence[Element]) -> Any:
        return made(values[0])

    def taken(value: object, trace: Recording, what: str, at: SourceLine) -> Element:
        raise wrong(f"{what} {made.called}, which is no result", at)

    size = plain_integer(bits, made in SIGNED)
    return ValueType(made.__name__, 1, make, lambda value: None, size=size, taken=taken)


for _made, _bits in SIZES.items():
    _made.kind = _integer(_made, _bits)
