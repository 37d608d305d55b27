"""The types of operands and results: an element, or several of them under names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from fieldc.errors import counted
from fieldc.field import Field
from fieldc.formulas.element import Element, Recording
from fieldc.formulas.errors import SourceLine, wrong
from fieldc.formulas.refused import integer_in, is_of_python, remedy, said_type
from fieldc.operands import Range


@dataclass(frozen=True)
class ValueType:
    """A type of so many elements: how to make a value of them, and how to take it apart."""

    name: str
    count: int
    make: Callable[[Sequence[Element]], Any]
    parts: Callable[[Any], Sequence[Any] | None]
    """The parts of a value; None for a value of another type."""
    members: tuple[ValueType, ...] = ()
    checks: tuple[Callable[[Field], None], ...] = ()
    size: Range | None = None
    """Of a value that is no element."""
    taken: Callable[[object, Recording, str, SourceLine], Element] | None = None
    """The value of such a type as a recorded one. Raises FormulaError."""
    with_room: Callable[[int], ValueType] | None = None
    """Of a sum: the type of the same sum that so many products may still be added to."""

    def values(self, value: object, trace: Recording, what: str, at: SourceLine) -> list[Element]:
        """The elements of a value. Raises FormulaError for one of another type."""
        if self.taken is not None:
            return [self.taken(value, trace, what, at)]
        if not self.members:
            number = None if isinstance(value, bool) else integer_in(value)
            if number is not None:
                return [trace.constant(number)]
            if not isinstance(value, Element):
                raise wrong(f"{what} {_shown(value)}, which is not an element{remedy(value)}", at)
            return [value]
        parts = self.parts(value)
        if parts is not None and len(parts) != len(self.members):
            held, needed = counted(len(parts), "value"), counted(len(self.members), "value")
            raise wrong(f"{what} {self.name} of {held}, not of {needed}", at)
        if parts is None:
            raise wrong(f"{what} {_shown(value)}, not {self.name}", at)
        pairs = zip(self.members, parts, strict=True)
        return [one for kind, part in pairs for one in kind.values(part, trace, what, at)]


def _shown(value: object) -> str:
    return "nothing" if value is None else said_type(value)


ELEMENT = ValueType("Element", 1, lambda values: values[0], lambda value: (value,))


def kind_of(hint: Any, what: str, at: SourceLine) -> ValueType:
    """The kind of an annotation. Raises FormulaError for one that is not of elements."""
    if hint is Element:
        return ELEMENT
    if isinstance(own := getattr(hint, "kind", None), ValueType):
        return own
    if get_origin(hint) is tuple and get_args(hint) and Ellipsis not in get_args(hint):
        members = [kind_of(one, what, at) for one in get_args(hint)]
        return _group("a tuple", members, lambda *parts: parts, _tuple)
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        members = _named(hint, hint._fields, what, at)
        return _group(hint.__name__, members, hint, _tuple)
    if isinstance(hint, type) and is_dataclass(hint):
        names = [one.name for one in fields(hint)]
        if unset := [one.name for one in fields(hint) if not one.init]:
            raise wrong(
                f"{hint.__name__} is not made of its members: {unset[0]} has init=False", at
            )
        made = hint

        def make(*values: Any) -> Any:
            return made(**dict(zip(names, values, strict=True)))

        def parts(value: Any) -> Sequence[Any] | None:
            return [getattr(value, n) for n in names] if isinstance(value, made) else None

        return _group(hint.__name__, _named(hint, names, what, at), make, parts)
    if is_of_python(hint):
        raise wrong(f"{what} is of type fieldc.Element: import Element from fieldc.formulas", at)
    said = getattr(hint, "__name__", str(hint))
    raise wrong(f"{what} is of type {said}; a formula has Element, and tuples or classes of it", at)


def _tuple(value: Any) -> Sequence[Any] | None:
    return value if isinstance(value, tuple) else None


def _named(hint: type, names: Sequence[str], what: str, at: SourceLine) -> list[ValueType]:
    hints = get_type_hints(hint)
    if hint in hints.values():
        raise wrong(f"{hint.__name__} has a member of its own kind, without end", at)
    return [kind_of(hints.get(name), f"{name} of {what}", at) for name in names]


def _group(
    name: str,
    members: Sequence[ValueType],
    make: Callable[..., Any],
    parts: Callable[[Any], Sequence[Any] | None],
) -> ValueType:
    """A kind of other kinds side by side."""
    if any(kind.size for kind in members):
        raise wrong(f"an integer, mask or accumulator is an operand by itself, not in {name}")

    def made(values: Sequence[Element]) -> Any:
        rest = iter(values)
        return make(*(kind.make([next(rest) for _ in range(kind.count)]) for kind in members))

    count = sum(kind.count for kind in members)
    checks = tuple(check for kind in members for check in kind.checks)
    return ValueType(name, count, made, parts, tuple(members), checks)
