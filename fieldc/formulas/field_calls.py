"""A formula as calls of a field's own operations, one for each step.

It suits every target and every representation: packages have it where they have no kernel for the
whole formula. A step on values that are no elements is a routine that a package brings along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.formulas.places import ElementPlaces, places_of
from fieldc.formulas.step_blocks import SAID, StepBlock
from fieldc.operands import Range

MOST_ADDED = 16
"""Multiples up to this one are made by additions; larger ones are products with a constant."""
OPERATIONS = ("add", "sub", "mul", "square", "neg", "double")
"""What is called."""


@dataclass(frozen=True)
class FieldCall:
    """One operation of OPERATIONS, or of a block: the values it takes, and the value it gives."""

    operation: str
    sources: tuple[int, ...]
    value: int
    block: StepBlock | None = None


@dataclass(frozen=True)
class FieldCalls:
    """Calls in order. Values are numbered: the operands' elements, constants, then results."""

    formula: Formula
    constants: tuple[int, ...]
    """Elements as integers."""
    calls: tuple[FieldCall, ...]
    results: tuple[int, ...]

    @cached_property
    def held(self) -> Mapping[int, Range]:
        """The sizes of the values that are no elements."""
        made = {c.value: c.block.size for c in self.calls if c.block and not c.block.is_element}
        given = {n: size for n, size in self.formula.sizes if n < self.formula.inputs}
        return given | made

    def limbs(self, f: Field, value: int) -> int:
        """The limbs of a value."""
        return self.held[value].limbs(f) if value in self.held else f.n

    @property
    def blocks(self) -> tuple[StepBlock, ...]:
        """The blocks that are called, each once."""
        return tuple(dict.fromkeys(call.block for call in self.calls if call.block))

    @cached_property
    def places(self) -> ElementPlaces:
        """Where values lie; the constants are an operand more, the last one."""
        counts = [*(count for _, count in self.formula.operands), len(self.constants)]
        made = [(call.value, call.sources) for call in self.calls]
        return places_of(counts, made, self.results)

    def evaluate(self, f: Field, values: list[int]) -> tuple[int, ...]:
        """The results modulo p for numbers, not in any form. A sum is what it is modulo p."""
        bounds = [bound for _, bound in self.formula.ranges for _ in range(bound.count)]
        given = (bound.signed(value) for bound, value in zip(bounds, values, strict=True))
        known = [*given, *self.constants]
        for call in self.calls:
            taken = [known[i] for i in call.sources]
            if call.block:
                known.append(call.block.means(taken) % f.p)
                continue
            x, y = (taken * 2)[:2]
            means = (x + y, x - y, x * y, x * x, -x, 2 * x)
            known.append(means[OPERATIONS.index(call.operation)] % f.p)
        return tuple(known[i] % f.p for i in self.results)


def field_calls(formula: Formula) -> FieldCalls:
    """The calls of a formula that its results need."""
    constants = tuple(dict.fromkeys(_constants(formula)))
    made = _Calls({n: formula.inputs + i for i, n in enumerate(constants)}, formula.inputs)
    for number, step in formula.needed():
        args = [made.known[i] for i in step.args]
        if step.kind == "constant":
            made.known[number] = made.constants[step.number]
        elif step.kind == "scale":
            made.known[number] = made.scaled(args[0], step.number)
        elif step.kind in SAID:
            block = StepBlock.of(step, number, dict(formula.sizes))
            made.known[number] = made.call(block.name, *args, block=block)
        elif step.kind == "mul" and args[0] == args[1]:
            made.known[number] = made.call("square", args[0])
        else:
            made.known[number] = made.call(step.kind, *args)
    results = tuple(made.known[i] for i in formula.results)
    return FieldCalls(formula, constants, tuple(made.calls), results)


def blocks_of(formulas: Iterable[Formula]) -> tuple[StepBlock, ...]:
    """The blocks that the calls of formulas need, each once."""
    every = (block for formula in formulas for block in field_calls(formula).blocks)
    return tuple(dict.fromkeys(every))


def _constants(formula: Formula) -> Iterator[int]:
    """The elements that are no operands: constants, and factors that additions do not make."""
    for _, step in formula.needed():
        if step.kind == "constant" or (step.kind == "scale" and not _is_added(step.number)):
            yield step.number


def _is_added(factor: int) -> bool:
    return 0 < abs(factor) <= MOST_ADDED


@dataclass
class _Calls:
    constants: Mapping[int, int]
    """The numbers of constants."""
    inputs: int
    calls: list[FieldCall] = field(default_factory=list)
    known: dict[int, int] = field(init=False)
    """The number here of each of the formula's values."""

    def __post_init__(self) -> None:
        self.known = {number: number for number in range(self.inputs)}

    def call(self, operation: str, *sources: int, block: StepBlock | None = None) -> int:
        """The value that an operation gives."""
        value = self.inputs + len(self.constants) + len(self.calls)
        self.calls.append(FieldCall(operation, sources, value, block))
        return value

    def scaled(self, x: int, factor: int) -> int:
        """A multiple: by doublings and additions from the highest bit down, or by a product."""
        if not _is_added(factor):
            return self.call("mul", x, self.constants[factor])
        found = x
        for bit in f"{abs(factor):b}"[1:]:
            found = self.call("double", found)
            found = self.call("add", found, x) if bit == "1" else found
        return self.call("neg", found) if factor < 0 else found
