"""Whether u^d = root makes a field, and if not, a root near it that does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fieldc.errors import shorten
from fieldc.field import Field
from fieldc.formulas.element import Element

Numbers = Any
"""A constant of a tower modulo p: an int, or a tuple of those below."""
Tower = Any
"""Element, or an extension of degree 2 or 3 by a root of the tower below, `base`."""
MOST_TRIED = 1000
"""Of numbers modulo p, half are no squares; the least of them is small."""
MOST_TRIED_ABOVE = 12
"""Of an extension's values: a power there takes milliseconds."""


def why_no_field(f: Field, made: Tower) -> str:
    """What is wrong with the root, and one that makes a field; empty if this one does."""
    root = numbers(f, made.base, made.root)
    if not is_power(f, made, root):
        return ""
    if (f.p ** _count(made.base) - 1) % made.degree:
        return "every number is a cube there"
    power = "a square" if made.degree == 2 else "a cube"
    says = f"its root {shown(made.base, made.root)} is {power} there"
    tried = (one for one in near(made) if not is_power(f, made, numbers(f, made.base, one)))
    other = next(tried, None)
    return says if other is None else f"{says}, {shown(made.base, other)} is none"


def near(made: Tower) -> Iterator[Any]:
    """Roots to try: those that differ in the first coefficient, then 1 times the last power.

    They are near 0 where the root is a large number: one is to be written in a formula.
    """
    if made.base is Element:
        for k in range(1, MOST_TRIED):
            yield from (small(made.root) + k, small(made.root) - k)
        return
    first, *rest = parts(made.root)
    for last in (rest, [*([0] * (made.base.degree - 2)), 1]):
        for k in range(MOST_TRIED_ABOVE):
            yield (small(lowest(first)) + k, *last)


def small(number: int) -> int:
    """A number that is short to write, or 0."""
    return number if abs(number) < MOST_TRIED else 0


def parts(value: Any) -> tuple[Any, ...]:
    """The coefficients of a constant of an extension."""
    return value if isinstance(value, tuple) else tuple(value.coefficients)


def lowest(value: Any) -> int:
    """The first number of a constant."""
    return value if isinstance(value, int) else lowest(parts(value)[0])


def shown(kind: Tower, value: Any) -> str:
    """A constant as it is written: `-1`, `Fp2(1, 1)`."""
    if isinstance(value, int):
        return shorten(str(value), 24)
    inner = [shown(kind.base, c) for c in parts(value)]
    while len(inner) > 1 and inner[-1] == "0":
        inner.pop()
    return inner[0] if len(inner) == 1 else f"{kind.__name__}({', '.join(inner)})"


def is_power(f: Field, made: Tower, root: Numbers) -> bool:
    """Whether the root is a square or a cube in the field below, so that u^d = root has a root.

    It is none exactly if the order q - 1 below is a multiple of d and root^((q-1)/d) is not 1.
    """
    order = f.p ** _count(made.base) - 1
    if order % made.degree:
        return True
    one, zero = (constant(f, made.base, n) for n in (1, 0))
    return bool(power(f, made.base, root, order // made.degree) in (one, zero))


def _count(kind: Tower) -> int:
    return 1 if kind is Element else kind.degree * _count(kind.base)


def constant(f: Field, kind: Tower, n: int) -> Numbers:
    """An integer in a tower modulo p."""
    if kind is Element:
        return n % f.p
    zeros = (constant(f, kind.base, 0),) * (kind.degree - 1)
    return (constant(f, kind.base, n), *zeros)


def numbers(f: Field, kind: Tower, value: Any) -> Numbers:
    """A constant modulo p."""
    if isinstance(value, int):
        return constant(f, kind, value)
    return tuple(numbers(f, kind.base, c) for c in parts(value))


def power(f: Field, kind: Tower, x: Numbers, exponent: int) -> Numbers:
    """x^exponent in a tower modulo p."""
    result = constant(f, kind, 1)
    for bit in f"{exponent:b}":
        result = multiplied(f, kind, result, result)
        result = multiplied(f, kind, result, x) if bit == "1" else result
    return result


def multiplied(f: Field, kind: Tower, x: Numbers, y: Numbers) -> Numbers:
    """x * y in a tower modulo p."""
    if kind is Element:
        return x * y % f.p
    root, degree = numbers(f, kind.base, kind.root), kind.degree
    total = [constant(f, kind.base, 0)] * degree
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            term = multiplied(f, kind.base, a, b)
            if i + j >= degree:
                term = multiplied(f, kind.base, term, root)
            total[(i + j) % degree] = added(f, total[(i + j) % degree], term)
    return tuple(total)


def added(f: Field, x: Numbers, y: Numbers) -> Numbers:
    """x + y in a tower modulo p."""
    if isinstance(x, tuple):
        return tuple(added(f, a, b) for a, b in zip(x, y, strict=True))
    return (x + y) % f.p
