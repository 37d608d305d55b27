"""A formula as data: operands, steps and results, and what it means."""

from __future__ import annotations

import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from types import FunctionType
from typing import get_args, get_origin

from fieldc.errors import quote
from fieldc.field import Field
from fieldc.formulas.element import Element, Recording, Step, recording_over
from fieldc.formulas.errors import (
    FormulaError,
    SourceLine,
    TooManyProducts,
    line_of,
    returned_line,
    wrong,
)
from fieldc.formulas.keywords import checked_name
from fieldc.formulas.kinds import ValueType, kind_of
from fieldc.formulas.text import FormulaText, said_size
from fieldc.operands import Range, residues

LINEAR = ("add", "sub", "scale")
"""Steps that give a combination of what they take."""
MOST_OPERANDS = 5
"""Operands of one formula: as many as calling conventions pass in registers beside the result."""
Check = Callable[[Field], None]
"""Raises FormulaError where a formula makes no sense over a field."""


@dataclass(frozen=True)
class Formula:
    """A straight-line program over elements. Values are numbered: inputs, then steps.

    Nothing here is of a field or a prime.
    """

    name: str
    operands: tuple[tuple[str, int], ...]
    """Names in call order, and how many elements each is."""
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """The values that are returned."""
    source: str = ""
    """The docstring."""
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    lines: tuple[int, ...] = field(default=(), compare=False)
    """The line of each step."""
    checks: tuple[Check, ...] = field(default=(), compare=False)
    """What a field must have."""
    sizes: tuple[tuple[int, Range], ...] = ()
    """Of the values that are no elements, by their numbers."""
    held: Range | None = None
    """Of a result that is no element: its size."""
    function: Callable[..., object] | None = field(default=None, compare=False)
    """What was recorded; None once the field is known."""
    has_field_constants: bool = field(default=False, compare=False)
    """Whether its steps depend on the field."""

    def __call__(self, *values: object, **named: object) -> object:
        """What another formula gets by a call: its steps are made part of that one's."""
        if self.function is None:
            raise TypeError(f"{self.name} is of one field already, and cannot be called")
        return self.function(*values, **named)

    def over(self, f: Field) -> Formula:
        """The formula with a field's constants. Raises FormulaError where it is not for it."""
        self.check(f)
        if self.function is None or not self.has_field_constants:
            return replace(self, function=None)
        with recording_over(f), redirect_stdout(sys.stderr):  # as where the file was run
            return replace(recorded(self.function), function=None)

    @property
    def inputs(self) -> int:
        """How many elements all operands are."""
        return sum(count for _, count in self.operands)

    @property
    def ranges(self) -> tuple[tuple[str, Range], ...]:
        """The operands' names and ranges, in call order."""
        sizes, first, found = dict(self.sizes), 0, []
        for name, count in self.operands:
            found.append((name, sizes.get(first, residues(count))))
            first += count
        return tuple(found)

    @property
    def result(self) -> Range:
        """The range of the result."""
        return self.held or residues(len(self.results))

    @property
    def summary(self) -> str:
        """The call, and the docstring's first paragraph, on one line."""
        names = ", ".join(name for name, _ in self.operands)
        says = " ".join(self.source.split("\n\n")[0].split())
        return f"{self.name}({names}). {says}".rstrip()

    @property
    def products(self) -> int:
        """How many products of two values there are."""
        return sum(step.kind == "mul" for step in self.steps)

    def needed(self) -> Iterator[tuple[int, Step]]:
        """The steps that the results need, with the numbers of their values."""
        uses = self.uses
        return ((n, s) for n, s in enumerate(self.steps, self.inputs) if uses[n])

    @cached_property
    def uses(self) -> Counter[int]:
        """How often each value is used by what the results need."""
        uses = Counter(self.results)
        for number in reversed(range(self.inputs, self.inputs + len(self.steps))):
            if uses[number]:
                uses.update(self.steps[number - self.inputs].args)
        return uses

    @cached_property
    def destinations(self) -> dict[int, frozenset[tuple[int, int]]]:
        """Where each value that is needed goes: a step and the place of its operand there.

        Sums and multiples that go to one place are passed through: t + 7*t takes t once. A result
        is a place too, after all steps.
        """
        last = self.inputs + len(self.steps)
        found: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for place, number in enumerate(self.results):
            found[number].add((last, place))
        for number, step in reversed([*self.needed()]):
            onward = found[number]
            passes = step.kind in LINEAR and len(onward) == 1 and number not in self.results
            for place, i in enumerate(step.args):
                same = 0 if step.kind in LINEAR else place
                found[i] |= onward if passes else {(number, same)}
        return {number: frozenset(places) for number, places in found.items()}

    def check(self, f: Field) -> None:
        """Raise FormulaError where the formula makes no sense over a field."""
        for one in self.checks:
            one(f)

    def evaluate(self, f: Field, values: Sequence[int]) -> tuple[int, ...]:
        """The results in Montgomery form, for inputs in it; of a sum that waits the whole sum."""
        bounds = [bound for _, bound in self.ranges for _ in range(bound.count)]
        known = [bound.signed(value) for bound, value in zip(bounds, values, strict=True)]
        for step in self.steps:
            value = _value(f, step, [known[i] for i in step.args])
            if step.kind == "sum" and known[step.args[-1]] < 0:  # a sum is never negative
                value += f.p * ((1 << dict(self.sizes)[step.args[-1]].bits) - 1)
            known.append(value if step.kind in ("sum", "product") else value % f.p)
        return tuple(known[i] if self.held else known[i] % f.p for i in self.results)

    def text(self) -> str:
        """What the results need as one line of JSON, for a prover that knows nothing of this."""
        text, uses = FormulaText(self.inputs), self.uses
        for number, step in enumerate(self.steps, self.inputs):
            if uses[number]:
                text.add(step)
            else:
                text.leave_out()
        operands = [[name, bound.count, said_size(bound)] for name, bound in self.ranges]
        return text.said(operands, [text.of[i] for i in self.results], said_size(self.result))


TAKEN = ("z", "code", "stack")
"""What an operand cannot be called: z is the result, and a proof calls memory by the others."""
RECORDED: ContextVar[list[Formula]] = ContextVar("RECORDED")
"""While a file is read: its formulas so far, with those that another one of that name replaced."""


def _value(f: Field, step: Step, args: Sequence[int]) -> int:
    if step.kind == "constant":
        return step.number * f.R
    if step.kind == "scale":
        return step.number * args[0]
    if step.kind in ("divide", "reduce"):
        return args[0] * (f.R_inverse if step.kind == "divide" else 1)
    *first, a, b = args
    if step.kind == "choose":
        return a if first[0] else b
    if step.kind in ("times", "product", "sum"):
        return sum(first) + a * b
    if step.kind == "mul":
        return a * b * f.R_inverse
    return a + b if step.kind == "add" else a - b


def formula(function: Callable[..., object] | None = None) -> Formula:
    """Record a function of elements. Raises FormulaError, which names the line."""
    made = recorded(function)
    RECORDED.get([]).append(made)
    return made


def recorded(function: Callable[..., object] | None) -> Formula:
    """A formula, with constants of a field where one is known."""
    if not inspect.isfunction(function):
        raise wrong("write @formula before a function, without parentheses")
    at = (function.__code__.co_filename, function.__code__.co_firstlineno)
    parameters, result = _signature(function, at)
    if not parameters or len(parameters) > MOST_OPERANDS:
        raise wrong(f"{function.__name__} has {len(parameters)} operands, not 1 to 5", at)
    try:
        return _recorded(function, parameters, result, at)
    except TooManyProducts as error:
        if result.with_room is None or result not in (kind for _, kind in parameters):
            raise
        # the sum that is given has room for what is added
        smaller = result.with_room(error.over)
        roomy = [(name, smaller if kind is result else kind) for name, kind in parameters]
        return _recorded(function, roomy, result, at)


def _recorded(
    function: FunctionType,
    parameters: Sequence[tuple[str, ValueType]],
    result: ValueType,
    at: SourceLine,
) -> Formula:
    """A formula of operands and a result of these kinds."""
    trace = Recording(sum(kind.count for _, kind in parameters))
    firsts = accumulate((kind.count for _, kind in parameters), initial=0)
    pairs = zip(firsts, parameters, strict=False)
    trace.sizes = {first: kind.size for first, (_, kind) in pairs if kind.size}
    elements = iter([Element(trace, number) for number in range(trace.inputs)])
    arguments = [kind.make([next(elements) for _ in range(kind.count)]) for _, kind in parameters]
    try:
        returned, line = returned_line(function, arguments)
    except FormulaError:
        raise
    except RecursionError as error:
        line = line_of(error, at[0])
        raise wrong("a function calls itself without end", (at[0], line)) from None
    values = result.values(returned, trace, f"{function.__name__} returns", (at[0], line))
    kinds = [result, *(kind for _, kind in parameters)]
    return Formula(
        checked_name(function.__name__, at),
        tuple((name, kind.count) for name, kind in parameters),
        tuple(trace.steps),
        tuple(value.number for value in values),
        inspect.cleandoc(function.__doc__ or ""),
        *at,
        tuple(trace.lines),
        tuple(check for kind in kinds for check in kind.checks),
        tuple(trace.sizes.items()),
        result.size,
        function,
        trace.has_field_constants,
    )


def _signature(
    function: Callable[..., object], at: SourceLine
) -> tuple[list[tuple[str, ValueType]], ValueType]:
    """The operands with their kinds, and the kind of what is returned."""
    name = function.__name__
    if inspect.iscoroutinefunction(function):
        raise wrong(f"{name} is async, which no kernel is", at)
    if not (name.isascii() and name.isidentifier()):
        raise wrong(f"{quote(name)} is a symbol too: name it by ASCII letters", at)
    try:
        signature = inspect.signature(function, eval_str=True)
    except (NameError, AttributeError, SyntaxError) as error:
        above = f"; define it above {name}" if isinstance(error, NameError) else ""
        raise wrong(f"{name}: {error}{above}", at) from None
    if signature.return_annotation in (signature.empty, None):
        raise wrong(f"{name} has no outputs: say what it returns, for example -> Element", at)
    found: dict[str, ValueType] = {}
    for parameter in signature.parameters.values():
        _check_parameter(name, parameter, at)
        if (called := checked_name(parameter.name, at)) in found:
            raise wrong(f"{name}: {parameter.name} is {called} here, as another operand is", at)
        kind = kind_of(parameter.annotation, what := f"{parameter.name} of {name}", at)
        if not kind.count:
            raise wrong(f"{what} has no elements: leave it out", at)
        found[called] = kind
    annotation = signature.return_annotation
    is_empty = get_origin(annotation) is tuple and not get_args(annotation)
    result = None if is_empty else kind_of(annotation, f"the result of {name}", at)
    if result is None or not result.count:
        raise wrong(f"{name} has no outputs: say what it returns, for example -> Element", at)
    return list(found.items()), result


def _check_parameter(function: str, parameter: inspect.Parameter, at: SourceLine) -> None:
    """Raise FormulaError for a parameter that is no operand."""
    name = parameter.name
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        raise wrong(f"{function}: {name} is not one operand", at)
    if parameter.default is not parameter.empty:
        raise wrong(f"{function}: {name} has a default value, which no kernel has", at)
    if parameter.annotation is parameter.empty:
        raise wrong(f"{function}: {name} has no type, for example Element", at)
    if name in TAKEN:
        what = f"no operand can be called {name}: kernels have the name themselves; choose another"
        raise wrong(f"{function}: {what}", at)
    if not name.isascii():
        raise wrong(f"{function}: no operand can be called {name}: use letters from a to z", at)
