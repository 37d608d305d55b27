"""The language: exact integers that know their bounds.

A kernel is a Python function on integers: +, -, *, >> and << by a number of bits, % by a power of
two, comparison with zero and `select`. The same text runs on Python's integers (the reference)
and on `Integer`, which records the expression and its exact bounds. Nothing here knows of words,
carries or targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar, cast, get_type_hints

from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.operands import WIDE, Range, lazily, residues
from fieldc.operations import OPERATIONS, Operands, Operation


class LanguageError(TypeError):
    """A kernel's text asks for something the language does not have."""


class BoundError(UserError, ArithmeticError):
    """A bound that the kernel needs does not follow; says which and by how much.

    `unreduced` is the bound before the final subtraction.
    """

    def __init__(self, message: str, unreduced: int) -> None:
        super().__init__(message)
        self.unreduced = unreduced


class DoesNotApply(BoundError):
    """The algorithm is for other moduli, or does not run on words; says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 0)


class NeedsIntegers(DoesNotApply):
    """The algorithm runs on Python's integers only."""


Interval = tuple[int, int]
_Value = TypeVar("_Value")


class Integer:
    """An expression with exact bounds: low <= value <= high. Immutable, compared by identity.

    `op` is one of input, constant, add, sub, mul, double, shift_left, shift_right, mod, select,
    masked; `amount` is the number of bits of a shift, or of the power of two of a mod; `name` is
    an input's operand, and its `amount` the limbs before it there. An expression with one possible
    value is a constant.
    """

    __slots__ = ("amount", "args", "condition", "high", "low", "name", "op")

    def __init__(
        self,
        op: str,
        args: tuple[Integer, ...],
        bounds: Interval,
        *,
        amount: int = 0,
        name: str = "",
        condition: Condition | None = None,
    ) -> None:
        self.op, self.args, self.amount, self.name = op, args, amount, name
        self.low, self.high = bounds
        self.condition = condition

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
        return self._derive("shift_right", amount=_amount(bits)) if bits else self

    def __lshift__(self, bits: int) -> Integer:
        return self._derive("shift_left", amount=_amount(bits)) if bits else self

    def __mod__(self, modulus: int) -> Integer:
        bits = _amount(modulus).bit_length() - 1 if modulus else 0
        if modulus != 1 << bits:
            raise LanguageError(f"% takes a power of two, not {modulus}")
        return self._derive("mod", amount=bits)

    def __eq__(self, other: object) -> bool:
        raise LanguageError("integers are not compared: use select and (a - b) < 0")

    __hash__ = object.__hash__

    def __lt__(self, other: int) -> Condition:
        if other != 0:
            raise LanguageError("a condition compares with 0: write (a - b) < 0")
        return Condition(self)

    def __bool__(self) -> bool:
        raise LanguageError("a kernel is straight-line: use select, not if")

    def is_constant(self, value: int) -> bool:
        """Whether this is the constant `value`."""
        return self.op == "constant" and self.low == value


@dataclass(frozen=True, eq=False)
class Condition:
    """`difference < 0`, a choice that depends on data: use it in select, or times a number."""

    difference: Integer

    def __mul__(self, other: Number) -> Integer:
        value = as_integer(other)
        bounds = min(0, value.low), max(0, value.high)
        return Integer("masked", (value,), bounds, condition=self)

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        raise LanguageError("a kernel is straight-line: use select, not if")


Number = int | Integer
Function = Callable[..., Number | tuple[Number, ...]]


def as_integer(value: Number) -> Integer:
    """A constant for a Python integer, an Integer unchanged."""
    if isinstance(value, Integer):
        return value
    if not isinstance(value, int):
        raise LanguageError(f"a kernel computes with integers, not with {value!r}")
    return Integer("constant", (), (value, value))


def _amount(bits: int) -> int:
    if isinstance(bits, Integer):
        raise LanguageError("a kernel is straight-line: no shift or modulus depends on data")
    if bits < 0:
        raise LanguageError(f"shifts take a number of bits and % a power of two, not {bits}")
    return bits


def select(condition: bool | Condition, when_true: Number, when_false: Number) -> Number:
    """`when_true` if the condition holds, else `when_false`, without a branch.

    The bounds use what each case knows of the compared difference.
    """
    if not isinstance(condition, Condition):
        return when_true if condition else when_false
    a, b = as_integer(when_true), as_integer(when_false)
    result = Integer("select", (a, b), (0, 0), condition=condition)
    return with_bounds(result, bounds_by_cases(result))


def limbs(f: Field, value: Number, count: int = 0) -> list[Number]:
    """The n limbs of a residue (or `count` of a number), least significant first."""
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


def with_bounds(node: Integer, bounds: Interval) -> Integer:
    """The same expression with other bounds that hold."""
    return Integer(
        node.op, node.args, bounds, amount=node.amount, name=node.name, condition=node.condition
    )


Case = tuple[Integer, bool]


def bounds_by_cases(node: Integer) -> Interval:
    """Bounds of a select or of a sum with a masked term: the union over both signs."""
    chosen = [node, *node.args]
    condition = next((a.condition for a in chosen if a.condition is not None), None)
    if condition is None:
        return node.low, node.high
    d = condition.difference
    possible = [negative for negative in (True, False) if (d.low < 0 if negative else d.high >= 0)]
    cases = [_bounds_in_case(node, (d, negative)) for negative in possible]
    return min(low for low, _ in cases), max(high for _, high in cases)


def _bounds_in_case(node: Integer, case: Case) -> Interval:
    difference, negative = case
    refined = (difference.low, -1) if negative else (max(difference.low, 0), difference.high)
    if node is difference:
        return refined
    if node.condition is not None and node.condition.difference is difference:
        if node.op == "select":
            return _bounds_in_case(node.args[0 if negative else 1], case)
        return (node.args[0].low, node.args[0].high) if negative else (0, 0)
    if difference.op == "sub" and node is difference.args[0]:
        # a = (a - b) + b, and a - b is known in this case.
        b = difference.args[1]
        return max(node.low, refined[0] + b.low), min(node.high, refined[1] + b.high)
    if node.op == "add":
        return _bounds("add", [_bounds_in_case(a, case) for a in node.args], 0)
    return node.low, node.high


Residue = Annotated[Number, residues(1)]
"""Canonical: 0 <= value < p, n limbs."""
Wide = Annotated[Number, WIDE]
"""What redc takes: 0 <= value < p*R, 2n limbs."""
Pair = Annotated[tuple[Number, Number], residues(2)]
"""Two canonical values side by side, n limbs each."""
Lazy = Annotated[Number, lazily(1)]
"""Not reduced: 0 <= value < 2p, n limbs."""
LazyPair = Annotated[tuple[Number, Number], lazily(2)]
"""Two such values side by side."""


@dataclass(frozen=True)
class Expression:
    """One kernel over one field, as an expression: inputs in call order, and the result.

    Of an operand of several values each is an input; the result is the number that `values` make.
    """

    kernel: Kernel
    field: Field
    inputs: tuple[Integer, ...]
    values: tuple[Integer, ...]
    result: Integer

    @property
    def unreduced(self) -> int:
        """The largest value before the final subtraction."""
        return max(map(before_selection, self.values))

    @property
    def subtractions(self) -> int:
        """How many selections end a value."""
        return max(len(selections(value)) for value in self.values)


@dataclass(frozen=True)
class Kernel:
    """An algorithm for one operation, written once as a function of integers."""

    computes: Operation
    algorithm: str
    function: Callable[..., Number]

    @property
    def operation(self) -> str:
        """The operation's name."""
        return self.computes.name

    @property
    def operands(self) -> Operands:
        """The operands' names and ranges, in call order."""
        return self.computes.operands

    @property
    def result(self) -> Range:
        """The result's range."""
        return self.computes.result

    @property
    def meaning(self) -> Callable[..., int]:
        """The operation's function, or the algorithm itself where the operation has none."""
        return self.run if self.computes.compute is None else self.computes

    @property
    def source(self) -> str:
        """The function's docstring: the mathematics and where it comes from."""
        return (self.function.__doc__ or "").strip()

    def run(self, field: Field, *values: int) -> int:
        """The kernel on Python's integers. Raises LanguageError for a value out of range."""
        given = []
        for (name, bound), number in zip(self.operands, values, strict=True):
            parts = bound.values(field, number)
            if not all(0 <= part <= bound.high(field) for part in parts):
                raise LanguageError(
                    f"{self.operation}: {name} must be {bound.says}, not {number:#x}"
                )
            given.append(parts)
        result = self.function(field, *map(_argument, given))
        numbers = [int(v) for v in _values(result) if not isinstance(v, Integer)]
        if len(numbers) != self.result.count:
            raise LanguageError(
                "a kernel on Python integers returns integers, as its contract says"
            )
        return self.result.number(field, numbers)

    def expression(self, field: Field) -> Expression:
        """The kernel as an expression with bounds. Raises BoundError if its result may be >= p."""
        given = [inputs_of(field, name, bound) for name, bound in self.operands]
        values = tuple(map(as_integer, _values(self.function(field, *map(_argument, given)))))
        limit, bits = self.result.high(field), field.word * self.result.limbs(field)
        for value in values:
            if value.low < 0 or value.high > limit:
                raise self._why(field, value, limit)
        result = as_integer(sum(value << bits * i for i, value in enumerate(values)))
        return Expression(self, field, tuple(i for inputs in given for i in inputs), values, result)

    def _why(self, field: Field, result: Integer, limit: int) -> BoundError:
        in_p = field.in_p
        what = f"{self.operation} ({self.algorithm}) for {field.label}"
        if result.low < 0:
            message = f"{what}: the result may be as low as {in_p(result.low)}, it must be >= 0"
            return BoundError(message, result.low)
        high, over = before_selection(result), result.high - limit
        message = (
            f"{what}: before its last subtraction the result may reach {in_p(high)}, after it "
            f"{in_p(result.high)}; it must be {self.result.says}, over by {in_p(over)} = {over:#x}"
        )
        return BoundError(message, high)


def inputs_of(field: Field, name: str, bound: Range) -> tuple[Integer, ...]:
    """An operand's values as inputs."""
    limbs = bound.limbs(field)
    return tuple(
        Integer("input", (), (0, bound.high(field)), amount=limbs * i, name=name)
        for i in range(bound.count)
    )


def _argument(values: tuple[_Value, ...]) -> _Value | tuple[_Value, ...]:
    return values[0] if len(values) == 1 else values


def _values(result: Number | tuple[Number, ...]) -> tuple[Number, ...]:
    return result if isinstance(result, tuple) else (result,)


def before_selection(result: Integer) -> int:
    """The largest value before the final subtraction or correction."""
    return [result, *(node.args[0] for node in selections(result))][-1].high


def selections(result: Integer) -> list[Integer]:
    """The selections that end a value, the last one first."""
    found = []
    while result.op == "select":
        found.append(result)
        result = result.args[0]
    return found


def kernel(operation: str | Operation, algorithm: str = "") -> Callable[[Function], Kernel]:
    """Make a function f(field, operands...) an algorithm for an operation, or for a named one.

    The function's annotations (Residue, Wide) must be those of the operation. They define the
    operation where its name is not in OPERATIONS. Raises LanguageError where they differ.
    """

    def make(function: Function) -> Kernel:
        hints = get_type_hints(function, include_extras=True)
        ranges = {name: bound for name, hint in hints.items() if (bound := _range_of(hint))}
        result = ranges.pop("return", None)
        if result is None:
            raise LanguageError(
                f"{function.__name__} must say what it returns, for example Residue"
            )
        written = Operation(str(operation), tuple(ranges.items()), result)
        computes = OPERATIONS.get(operation, written) if isinstance(operation, str) else operation
        if (written.operands, result) != (computes.operands, computes.result):
            raise LanguageError(
                f"{function.__name__} has {_signature(written)}; "
                f"{computes.name} has {_signature(computes)}"
            )
        one = cast(Callable[..., Number], function)  # of several results a tuple
        return Kernel(computes, algorithm or computes.name, one)

    return make


def _range_of(hint: object) -> Range | None:
    metadata = getattr(hint, "__metadata__", ())
    return next((m for m in metadata if isinstance(m, Range)), None)


def _signature(operation: Operation) -> str:
    operands = ", ".join(f"{name} {bound.says}" for name, bound in operation.operands)
    return f"{operands} and a result {operation.result.says}"
