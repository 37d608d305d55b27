"""The language of algorithms: kernels, the ranges of their operands, and their expressions.

A kernel is a Python function of integers. The same text runs on Python's integers, which gives the
reference, and on `Integer` (integers.py), which gives the expression with exact bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeVar, cast, get_type_hints

from fieldc.errors import ERROR_WIDTH, counted, shorten
from fieldc.field import Field
from fieldc.integers import (
    BoundError,
    DoesNotApply,
    Integer,
    LanguageError,
    NeedsIntegers,
    Number,
    as_integer,
    before_selection,
    limbs,
    select,
    select_all,
    selections,
)
from fieldc.operands import WIDE, Range, lazily, residues
from fieldc.operations import OPERATIONS, Operands, Operation

__all__ = [
    "BoundError",
    "DoesNotApply",
    "Expression",
    "Integer",
    "Kernel",
    "LanguageError",
    "Lazy",
    "LazyPair",
    "NeedsIntegers",
    "Number",
    "Pair",
    "Residue",
    "Wide",
    "inputs_of",
    "kernel",
    "limbs",
    "select",
    "select_all",
]

_Value = TypeVar("_Value")
AlgorithmText = Callable[..., Number | tuple[Number, ...]]

Residue = Annotated[Number, residues(1)]
"""Canonical: 0 <= value < p, n limbs."""
Wide = Annotated[Number, WIDE]
"""The operand of redc: 0 <= value < p*R, 2n limbs."""
Pair = Annotated[tuple[Number, Number], residues(2)]
"""Two canonical values side by side, n limbs each."""
Lazy = Annotated[Number, lazily(1)]
"""Lazy: 0 <= value < 2p, n limbs."""
LazyPair = Annotated[tuple[Number, Number], lazily(2)]
"""Two lazy values side by side."""


@dataclass(frozen=True)
class Expression:
    """A kernel over one field, as an expression: its inputs in call order, and its result.

    An operand of several values gives one input for each. `values` are the values of the result;
    side by side they form the number `result`.
    """

    kernel: Kernel
    field: Field
    inputs: tuple[Integer, ...]
    values: tuple[Integer, ...]
    result: Integer

    @property
    def unreduced(self) -> int:
        """Return the largest value before the final subtraction."""
        return max(map(before_selection, self.values))

    @property
    def subtractions(self) -> int:
        """Return the most selections at the end of a value."""
        return max(len(selections(value)) for value in self.values)


@dataclass(frozen=True)
class Kernel:
    """An algorithm for one operation, written once as a function of integers."""

    computes: Operation
    algorithm: str
    function: Callable[..., Number]

    @property
    def operation(self) -> str:
        """Return the operation's name."""
        return self.computes.name

    @property
    def operands(self) -> Operands:
        """Return the names and ranges of the operands, in call order."""
        return self.computes.operands

    @property
    def result(self) -> Range:
        """Return the range of the result."""
        return self.computes.result

    @property
    def meaning(self) -> Callable[..., int]:
        """Return the operation's function, or the algorithm itself if the operation has none."""
        return self.run if self.computes.compute is None else self.computes

    @property
    def source(self) -> str:
        """Return the function's docstring: the mathematics and its source."""
        return (self.function.__doc__ or "").strip()

    def run(self, field: Field, *values: int) -> int:
        """Run the kernel on Python integers. Raises LanguageError for a value out of range."""
        given = []
        for (name, bound), number in zip(self.operands, values, strict=True):
            parts = bound.values(field, number)
            if not all(0 <= part <= bound.high(field) for part in parts):
                raise LanguageError(
                    f"{self.operation}: {name} must be {bound.wanted(number)}, not {number:#x}"
                )
            given.append(parts)
        results = self.results(field, [_argument(parts) for parts in given])
        numbers = [int(v) for v in results if not isinstance(v, Integer)]
        if len(numbers) != len(results):
            raise LanguageError("a kernel on Python integers returns integers")
        return self.result.number(field, numbers)

    def results(
        self, field: Field, arguments: Sequence[Number | tuple[Number, ...]]
    ) -> tuple[Number, ...]:
        """Run the function. Raises LanguageError for another number of results than it has."""
        found = self.function(field, *arguments)
        if isinstance(found, list):
            raise LanguageError(f"{self.operation} returns a list; return a tuple")
        results = found if isinstance(found, tuple) else (found,)
        if len(results) != self.result.count:
            returned = counted(len(results), "value")
            raise LanguageError(f"{self.operation} returns {returned}, not {self.result.count}")
        for value in results:
            as_integer(value)
            if isinstance(value, bool):
                raise LanguageError(f"{self.operation} returns a bool, which is no integer")
        return results

    def expression(self, field: Field) -> Expression:
        """Return the expression over a field.

        Raises BoundError if the result may be out of its range, such as p or more.
        """
        return _expressed(self, field)

    def _why(self, field: Field, result: Integer, limit: int) -> BoundError:
        in_p = field.in_p
        what = f"{self.operation} ({self.algorithm}) for {field.short}"
        if result.low < 0:
            message = f"{what}: the result may be as low as {in_p(result.low)}, it must be >= 0"
            return BoundError(message, result.low)
        high, over = before_selection(result), result.high - limit
        message = (
            f"{what}: before its last subtraction up to {in_p(high)}, after it "
            f"{in_p(result.high)}; it must be {self.result.says}, over by {in_p(over)} = "
        )
        message += shorten(hex(over), max(ERROR_WIDTH - len(message), 24))
        return BoundError(message, high)


@lru_cache(maxsize=512)
def _expressed(of: Kernel, field: Field) -> Expression:
    """The expression of a kernel: the same one each time, so that what is made of it is shared."""
    given = [inputs_of(field, name, bound) for name, bound in of.operands]
    values = tuple(map(as_integer, of.results(field, [_argument(inputs) for inputs in given])))
    limit, bits = of.result.high(field), of.result.places(field)
    for value in values:
        if value.low < 0 or value.high > limit:
            raise of._why(field, value, limit)
    result = as_integer(sum(value << bits * i for i, value in enumerate(values)))
    return Expression(of, field, tuple(i for inputs in given for i in inputs), values, result)


def inputs_of(field: Field, name: str, bound: Range) -> tuple[Integer, ...]:
    """Return the inputs for the values of an operand."""
    limbs = bound.limbs(field)
    return tuple(
        Integer("input", (), (0, bound.high(field)), amount=limbs * i, name=name)
        for i in range(bound.count)
    )


def _argument(values: tuple[_Value, ...]) -> _Value | tuple[_Value, ...]:
    return values[0] if len(values) == 1 else values


def kernel(operation: str | Operation, algorithm: str = "") -> Callable[[AlgorithmText], Kernel]:
    """Make a function f(field, operands...) an algorithm for an operation or its name.

    The annotations of the function (Residue, Wide) must be those of the operation. If the name is
    not in OPERATIONS, they define a new operation. Raises LanguageError if they differ.
    """

    def make(function: AlgorithmText) -> Kernel:
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
