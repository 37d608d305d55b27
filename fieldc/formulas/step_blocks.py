"""Blocks of one step: products with plain integers, choices, and sums that are not reduced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fieldc.algorithms.integers import (
    Dividend,
    product_with_integer,
    reduced,
    times_integer,
    times_signed,
)
from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.scanning import schoolbook
from fieldc.field import Field
from fieldc.formulas.divisions import DIVISIONS, Division
from fieldc.formulas.element import Step
from fieldc.formulas.text import FormulaText, said_size
from fieldc.language import DoesNotApply, Kernel, Number, select
from fieldc.operands import Range, residues
from fieldc.operations import Operation

SAID = {
    "times": "{0}*{1}",
    "choose": "{1} where {0} is 1, else {2}",
    "product": "{0}*{1}, not reduced",
    "sum": "{0} + {1}*{2}, not reduced",
    "divide": "{0}/R",
    "reduce": "{0}",
    "multiple": "{number}*{0}",
}
"""The steps, and each as text."""
NAMES = "xyabc"


@dataclass(frozen=True)
class StepBlock:
    """One step on canonical elements and values that are no elements. Its result is canonical."""

    kind: str
    sizes: tuple[Range, ...]
    """Of the operands."""
    size: Range
    """Of the result."""
    number: int = 0
    """Of a multiple: the factor, below 2^64."""

    @classmethod
    def of(cls, step: Step, number: int, sizes: Mapping[int, Range]) -> StepBlock:
        """The block of a step that gives the value `number`. What has no size is an element."""
        element = residues(1)
        taken = tuple(sizes.get(i, element) for i in step.args)
        return cls(step.kind, taken, sizes.get(number, element))

    @property
    def name(self) -> str:
        """The kind with the sizes that tell blocks of a kind apart, as a part of a symbol."""
        held = self.sizes[1] if self.kind in ("times", "product") else self.sizes[0]
        sizes = () if self.kind == "choose" else (held.multiple if held.powers else 0, held.bits)
        signed = ["signed"] * self.sizes[-1].is_signed
        return "_".join([self.kind, *(str(size) for size in sizes if size), *signed])

    @property
    def range(self) -> Range:
        """What the result is below."""
        return self.size

    @property
    def products(self) -> tuple[str, ...]:
        """Its product, for those who count: a choice and a sum have none that is reduced."""
        return (self.kind,) if self.kind in ("times", "multiple", "divide", "reduce") else ()

    @property
    def is_divided(self) -> bool:
        """Whether it divides by R."""
        return self.kind == "divide"

    @property
    def says(self) -> str:
        """The block as text."""
        return SAID[self.kind].format(*"abc", number=self.number)

    def text(self) -> str:
        """The block as a formula's text, for the prover."""
        text = FormulaText(len(self.sizes))
        kind = "scale" if self.kind == "multiple" else self.kind
        text.add(Step(kind, tuple(range(len(self.sizes))), self.number))
        pairs = zip(NAMES, self.sizes, strict=False)
        operands = [[name, 1, said_size(bound)] for name, bound in pairs]
        return text.said(operands, [text.of[-1]], said_size(self.size))

    @property
    def is_element(self) -> bool:
        """Whether the result is an element."""
        return self.kind not in ("sum", "product")

    @property
    def is_signed(self) -> bool:
        """Whether it takes a signed integer: what follows is proved as a routine of its own."""
        return any(size.is_signed for size in self.sizes)

    def means(self, values: Sequence[int]) -> int:
        """The result of numbers that are in no form, modulo p."""
        *first, a = values
        if self.kind == "multiple":
            return self.number * a
        if self.kind == "choose":
            return first[1] if first[0] else a
        return a if self.kind in ("divide", "reduce") else sum(first[:-1]) + first[-1] * a

    def evaluate(self, f: Field, values: Sequence[int]) -> int:
        """The result on Python's integers: an element is canonical, a sum is whole."""
        signed = [size.signed(value) for size, value in zip(self.sizes, values, strict=True)]
        found = self.means(signed) * (f.R_inverse if self.kind == "divide" else 1)
        if self.kind != "sum":
            return found % f.p
        if signed[-1] < 0:  # as `times_signed` has it: a sum is never negative
            found += f.p * ((1 << self.sizes[-1].bits) - 1)
        return found

    def compute(self, f: Field, values: Sequence[Number], way: Division) -> Number:
        """The result as an expression."""
        if self.kind == "choose":
            mask, a, b = values
            return select((0 - mask) < 0, a, b)
        if self.kind == "times":
            return product_with_integer(f, values[0], values[1], self.sizes[1].bits)
        if self.kind == "multiple":
            number = self.number % f.p
            return product_with_integer(f, values[0], number, number.bit_length()) if number else 0
        if self.kind == "divide":
            return subtract_all(way.whole(f, values[0]), f.p)
        if self.kind == "reduce":
            size = self.sizes[0]
            count = size.bits // f.word
            return reduced(f, Dividend(values[0], size.high(f), count))
        *sums, x, y = values
        s, size = sum(sums), self.sizes[-1]
        if size.powers:
            return s + schoolbook(f, x, y)
        if size.is_signed:
            return s + times_signed(f, x, y, size.bits)
        return s + times_integer(f, x, y, size.limbs(f))

    def by_division(self, f: Field, values: Sequence[Number]) -> Number:
        """The same as x/R times R^2/R. Raises DoesNotApply for what is not taken modulo p.

        It is slower, but estimates no quotient. Modulo some primes the estimate is not proved.
        """
        bits = self.sizes[-1].bits
        if self.kind not in ("reduce", "times") or bits > f.word * f.n or self.is_signed:
            raise DoesNotApply(f"{self.says} is not divided by R")
        x, whole = values[0], DIVISIONS["cios"].whole
        if self.kind == "times":
            x = times_integer(f, x, values[1], self.sizes[1].limbs(f))
        return subtract_all(whole(f, whole(f, x) * (f.R**2 % f.p)), f.p)

    def kernels(self, name: str) -> Iterator[Kernel]:
        """The block as a kernel, then as one that is taken where that is not proved."""
        operands = tuple(zip(NAMES, self.sizes, strict=False))
        said = f"{self.says} mod p"
        operation = Operation(name, operands, self.size, said, lambda f, *v: self.evaluate(f, v))

        def function(f: Field, *values: Number) -> Number:
            return self.compute(f, values, DIVISIONS["cios"])

        def divided(f: Field, *values: Number) -> Number:
            return self.by_division(f, values)

        function.__doc__ = divided.__doc__ = f"{said}, one routine of a formula."
        yield Kernel(operation, self.kind, function)
        yield Kernel(operation, f"{self.kind}-by-division", divided)
