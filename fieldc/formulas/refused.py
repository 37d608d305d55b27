"""What Python can write and no value of a formula has: refused with the line and what works."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, ClassVar, NoReturn, cast

from fieldc.errors import quote, with_article
from fieldc.formulas.errors import FormulaError, wrong

if TYPE_CHECKING:
    from typing import Self, SupportsIndex


class NoMember(FormulaError, AttributeError):
    """A value of a formula has nothing of that name."""


class FormulaValue:
    """A value while a formula is recorded: it has what its class defines, and nothing else."""

    __slots__ = ()
    __array_ufunc__ = None
    """An integer of numpy leaves its operations to a value of a formula."""
    has: ClassVar[str]
    """What its class defines, for messages."""
    members: ClassVar[tuple[str, ...]]
    """What it is made of, set once."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _itself(self, *_: object) -> Self:
        return self

    __copy__ = __deepcopy__ = _itself
    """It cannot be changed: a copy, as `dataclasses.astuple` makes of members, is the same one."""

    def _refused(self, *_: object) -> NoReturn:
        raise wrong(f"{with_article(type(self).__name__)} has {self.has}, and nothing else")

    if not TYPE_CHECKING:  # else each name of each value would have a type
        __pos__ = __invert__ = __abs__ = __round__ = __call__ = _refused
        __neg__ = __int__ = __index__ = __float__ = __complex__ = __len__ = _refused
        __getitem__ = __setitem__ = __delitem__ = _refused
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
        __truediv__ = __floordiv__ = __mod__ = __divmod__ = __matmul__ = __pow__ = _refused
        __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = __rmatmul__ = __rpow__ = _refused
        __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = _refused
        __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _refused
        __lt__ = __le__ = __gt__ = __ge__ = _refused

        def __setattr__(self, name: str, value: object) -> None:
            if name not in self.members or _is_set(self, name):
                self._changed()
            object.__setattr__(self, name, value)

        def _changed(self, *_: object) -> NoReturn:
            kind = with_article(type(self).__name__)
            raise wrong(f"{kind} cannot be changed: give a new value a name of its own")

        __delattr__ = _changed

        def __getattr__(self, name: str) -> NoReturn:
            kind = with_article(type(self).__name__)
            if name.startswith("__"):  # Python itself asks
                raise AttributeError(f"{kind} has no {quote(name)}")
            raise NoMember(str(wrong(f"{kind} has no {quote(name)}: it has {self.has}")))


def integer_in(value: object) -> int | None:
    """The integer that a value is, such as one of numpy's; None for what is none."""
    if isinstance(value, (int, FormulaValue)):
        return value if isinstance(value, int) else None
    try:
        return index(cast("SupportsIndex", value))
    except TypeError:
        return None


def said_type(value: object) -> str:
    """The type of a value that does not fit, as text."""
    kind = type(value)
    return with_article("fieldc.Element" if is_of_python(kind) else kind.__name__)


def remedy(value: object) -> str:
    """What works in place of a `fieldc.Element`; nothing for any other value."""
    return ": convert it with int()" if is_of_python(type(value)) else ""


def is_of_python(kind: object) -> bool:
    """Whether a type is `fieldc.Element`, whose values are numbers and no values of a formula."""
    names = getattr(kind, "__module__", ""), getattr(kind, "__qualname__", "")
    return names == ("fieldc.python.elements", "Element")


def _is_set(value: object, name: str) -> bool:
    try:
        object.__getattribute__(value, name)
    except AttributeError:
        return False
    return True
