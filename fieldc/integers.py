"""Exact integers that know their bounds.

`Integer` records an expression and its exact bounds while a kernel's function runs on it. It has
+, -, *, >> and << by a number of bits, % by a power of two, and comparison with zero; `select`
chooses between two integers. Nothing here knows of words, carries or targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from fieldc.errors import UserError, with_article
from fieldc.field import Field


class LanguageError(TypeError):
    """A kernel's function uses something that the language does not have."""


class BoundError(UserError, ArithmeticError):
    """A bound that the kernel needs does not hold. The message says which one and by how much.

    `unreduced` is the bound before the final subtraction.
    """

    def __init__(self, message: str, unreduced: int) -> None:
        super().__init__(message)
        self.unreduced = unreduced


class DoesNotApply(BoundError):
    """The algorithm is for other moduli, or does not run on words. The message says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 0)


class NeedsIntegers(DoesNotApply):
    """The algorithm runs on Python integers only."""


Interval = tuple[int, int]
NOT_BY_DATA = "no shift or modulus depends on data: a kernel is straight-line"


class Integer:
    """An expression with exact bounds: low <= value <= high. Immutable, compared by identity.

    `op` is one of input, constant, add, sub, mul, double, shift_left, shift_right, mod, select,
    masked. `amount` is the number of bits of a shift, or the exponent of the power of two of a mod.
    An input has the `name` of its operand, and its `amount` is the number of limbs before it in
    that operand. An expression with only one possible value is a constant. Of one that `is_whole`
    only the bounds count, not what it is made of.
    """

    __slots__ = ("amount", "args", "condition", "high", "is_whole", "low", "name", "op")

    def __init__(
        self,
        op: str,
        args: tuple[Integer, ...],
        bounds: Interval,
        *,
        amount: int = 0,
        name: str = "",
        condition: Condition | None = None,
        is_whole: bool = False,
    ) -> None:
        self.op, self.args, self.amount, self.name = op, args, amount, name
        self.low, self.high = bounds
        self.condition = condition
        self.is_whole = is_whole

    def _derive(self, op: str, *others: Integer, amount: int = 0) -> Integer:
        args = (self, *others)
        low, high = _bounds(op, [(a.low, a.high) for a in args], amount)
        return as_integer(low) if low == high else Integer(op, args, (low, high), amount=amount)

    def __add__(self, other: Number) -> Integer:
        other = as_integer(other)
        if other.is_constant(0):
            return self
        if self.is_constant(0):
            return other
        result = self._derive("add", other)
        return with_bounds(result, bounds_by_cases(result))

    __radd__ = __add__

    def __sub__(self, other: Number) -> Integer:
        return self._derive("sub", as_integer(other))

    def __rsub__(self, other: int) -> Integer:
        return as_integer(other) - self

    def __mul__(self, other: Number | Condition) -> Integer:
        if isinstance(other, Condition):
            return other * self
        other = as_integer(other)
        for a, b in ((self, other), (other, self)):
            if a.is_constant(0) or b.is_constant(1):
                return a
            if b.is_constant(2):
                return a._derive("double")
        return self._derive("mul", other)

    __rmul__ = __mul__

    def __rshift__(self, bits: int) -> Integer:
        return self._derive("shift_right", amount=amount) if (amount := _amount(bits)) else self

    def __lshift__(self, bits: int) -> Integer:
        return self._derive("shift_left", amount=amount) if (amount := _amount(bits)) else self

    def _by_data(self, other: int) -> NoReturn:
        raise LanguageError(NOT_BY_DATA)

    __rlshift__ = __rrshift__ = __rmod__ = _by_data

    def __mod__(self, modulus: int) -> Integer:
        bits = max(_amount(modulus).bit_length() - 1, 0)
        if modulus != 1 << bits:
            raise LanguageError(f"% takes a power of two, not {modulus}")
        return self._derive("mod", amount=bits)

    def __eq__(self, other: object) -> bool:
        raise LanguageError("integers are not compared: use select and (a - b) < 0")

    __hash__ = object.__hash__

    def __lt__(self, other: int) -> bool | Condition:
        if other != 0:
            raise LanguageError("a condition compares with 0: write (a - b) < 0")
        return self.low < 0 if self.op == "constant" else Condition(self)

    def __bool__(self) -> bool:
        raise LanguageError("a kernel is straight-line: use select, not if")

    def is_constant(self, value: int) -> bool:
        """Return whether this is the constant `value`."""
        return self.op == "constant" and self.low == value


@dataclass(frozen=True, eq=False)
class Condition:
    """The condition `difference < 0` on data. Use it in `select`, or multiply a number by it."""

    difference: Integer
    choices: list[Integer] = field(default_factory=list)
    """Those that are made together."""

    def __mul__(self, other: Number) -> Integer:
        value = as_integer(other)
        bounds = min(0, value.low), max(0, value.high)
        masked = Integer("masked", (value,), bounds, condition=self)
        return with_bounds(masked, bounds_by_cases(masked))

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        raise LanguageError("a kernel is straight-line: use select, not if")


Number = int | Integer


def as_integer(value: Number) -> Integer:
    """Return a constant for a Python integer, and an Integer unchanged."""
    if isinstance(value, Integer):
        return value
    if not isinstance(value, int):
        what = with_article(type(value).__name__)
        raise LanguageError(f"a kernel computes with integers, not with {what}")
    return Integer("constant", (), (value, value))


def _amount(bits: int) -> int:
    if isinstance(bits, (Integer, Condition)):
        raise LanguageError(NOT_BY_DATA)
    if bits < 0:
        raise LanguageError(f"shifts take a number of bits and % a power of two, not {bits}")
    return bits


def select(condition: bool | Condition, when_true: Number, when_false: Number) -> Number:
    """Return `when_true` if the condition holds, else `when_false`, without a branch.

    In each case the sign of the compared difference is known, and the bounds use that.
    """
    if not isinstance(condition, Condition):
        return when_true if condition else when_false
    a, b = as_integer(when_true), as_integer(when_false)
    result = Integer("select", (a, b), (0, 0), condition=condition)
    return with_bounds(result, bounds_by_cases(result))


def select_all(
    condition: bool | Condition, when_true: Sequence[Number], when_false: Sequence[Number]
) -> list[Number]:
    """Return several choices by one condition, made together: its flag need not wait for them."""
    pairs = zip(when_true, when_false, strict=True)
    if not isinstance(condition, Condition):
        return [a if condition else b for a, b in pairs]
    made = [as_integer(select(condition, a, b)) for a, b in pairs]
    condition.choices.extend(made)
    return [*made]


def limbs(f: Field, value: Number, count: int = 0) -> list[Number]:
    """Return the n limbs of a residue (or `count` limbs of a number), least significant first."""
    return [(value >> f.word * i) % f.base for i in range(count or f.n)]


def _bounds(op: str, args: list[Interval], amount: int) -> Interval:
    low, high = args[0]
    if op == "add":
        return low + args[1][0], high + args[1][1]
    if op == "sub":
        return low - args[1][1], high - args[1][0]
    if op == "mul":
        products = [a * b for a in args[0] for b in args[1]]
        return min(products), max(products)
    if op == "double":
        return 2 * low, 2 * high
    if op == "shift_left":
        return low << amount, high << amount
    if op == "shift_right":
        return low >> amount, high >> amount
    if low >> amount == high >> amount:
        return low % (1 << amount), high % (1 << amount)
    return 0, (1 << amount) - 1


def with_bounds(node: Integer, bounds: Interval, is_whole: bool = False) -> Integer:
    """Return the same expression with other bounds. The caller knows that they hold."""
    return Integer(
        *(node.op, node.args, bounds),
        amount=node.amount,
        name=node.name,
        condition=node.condition,
        is_whole=is_whole or node.is_whole,
    )


def bounds_by_cases(node: Integer) -> Interval:
    """Return the bounds of a select, or of a sum with a masked term: the union of both cases."""
    chosen = [node, *node.args]
    condition = next((a.condition for a in chosen if a.condition is not None), None)
    if condition is None:
        return node.low, node.high
    d = condition.difference
    possible = [negative for negative in (True, False) if (d.low < 0 if negative else d.high >= 0)]
    cases = [_bounds_in_case(node, d, negative) for negative in possible]
    return min(low for low, _ in cases), max(high for _, high in cases)


def _bounds_in_case(node: Integer, difference: Integer, negative: bool) -> Interval:
    refined = (difference.low, -1) if negative else (max(difference.low, 0), difference.high)
    if node is difference:
        return refined
    if (known := _bounds_by_top(node, difference, refined)) is not None:
        return known
    if node.condition is not None and node.condition.difference is difference:
        if node.op == "select":
            return _bounds_in_case(node.args[0 if negative else 1], difference, negative)
        return _bounds_in_case(node.args[0], difference, True) if negative else (0, 0)
    if difference.op == "sub" and node is difference.args[0]:
        # a = (a - b) + b, and a - b is known in this case.
        b = difference.args[1]
        return max(node.low, refined[0] + b.low), min(node.high, refined[1] + b.high)
    if difference.op == "sub" and node is difference.args[1]:  # b = a - (a - b)
        a = difference.args[0]
        return max(node.low, a.low - refined[1]), min(node.high, a.high - refined[0])
    if node.op in ("add", "sub"):
        parts = [_bounds_in_case(a, difference, negative) for a in node.args]
        low, high = _bounds(node.op, parts, 0)
        return max(node.low, low), min(node.high, high)  # what is known of it in all cases
    return node.low, node.high


def _bounds_by_top(node: Integer, difference: Integer, refined: Interval) -> Interval | None:
    """The bounds of x where (x >> k) - b is known; None for any other node."""
    if difference.op != "sub" or difference.args[0].op != "shift_right":
        return None
    top, b = difference.args
    if top.args[0] is not node:
        return None
    low, high = refined[0] + b.low, refined[1] + b.high + 1
    return max(node.low, low << top.amount), min(node.high, (high << top.amount) - 1)


def before_selection(result: Integer) -> int:
    """Return the largest value before the final subtraction or correction."""
    return [result, *(node.args[0] for node in selections(result))][-1].high


def selections(result: Integer) -> list[Integer]:
    """Return the selections at the end of an expression, the last one first."""
    found = []
    while result.op == "select":
        found.append(result)
        result = result.args[0]
    return found
