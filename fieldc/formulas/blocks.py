"""Blocks: what one routine of a formula computes, a sum of products with one reduction.

    z = (c1*A1*B1 + c2*A2*B2 + ...)/R + L  mod p

A, B and L are small integer combinations of the operands, each below a multiple of p. The factors
are not reduced: a sum or a difference goes into its product as it is, with a multiple of p added
where it could be negative.

A block may leave the division to others. Its result is then a wide value: a sum of products, below
a multiple of p*p, which other blocks add, subtract and divide by R. Where a sum of wide values
could be negative, a multiple of p*p is added.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from fieldc.algorithms.addition import add_if_negative
from fieldc.algorithms.extension import times
from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.squaring import whole_square
from fieldc.field import Field
from fieldc.formulas.divisions import DIVISIONS, Division
from fieldc.formulas.text import said_size
from fieldc.language import Integer, Kernel, Number, limbs
from fieldc.operands import Range
from fieldc.operations import Operation
from fieldc.polynomial_bounds import tighten

ONE = -1
"""Stands for the element 1 where a combination names an operand."""
Linear = tuple[tuple[int, int], ...]
"""A combination of operands: (operand, coefficient), by operand."""
Product = tuple[int, Linear, Linear]
"""coefficient * first * second."""
NONE = "none"
"""The algorithm's name where nothing is divided by R."""


@dataclass(frozen=True)
class Block:
    """A sum of products and of operands.

    Operand i is below multiples[i] * p, or times p*p where `wide` names it; the result is below
    multiple * p, or multiple * p*p where it is wide.
    """

    multiples: tuple[int, ...]
    products: tuple[Product, ...]
    linear: Linear
    multiple: int = 1
    wide: Linear = ()
    """A combination of wide operands, added to the products."""
    is_wide: bool = False
    """Whether the result is not divided by R."""

    @property
    def operands(self) -> int:
        """How many operands there are."""
        return len(self.multiples)

    @property
    def is_divided(self) -> bool:
        """Whether there is a sum of products that is divided by R."""
        return bool(self.products or self.wide) and not self.is_wide

    @property
    def ranges(self) -> tuple[Range, ...]:
        """What each operand is below."""
        wide = {i for i, _ in self.wide}
        return tuple(
            Range(multiple=multiple, powers=2 if i in wide else 1)
            for i, multiple in enumerate(self.multiples)
        )

    @property
    def range(self) -> Range:
        """What the result is below."""
        return Range(multiple=self.multiple, powers=2 if self.is_wide else 1)

    @property
    def says(self) -> str:
        """The block as text."""
        names = "abcdefghij"
        terms = [(c, f"{_said(x, names)}*{_said(y, names)}") for c, x, y in self.products]
        terms += [(c, names[i]) for i, c in self.wide]
        text = _joined(terms)
        if self.is_wide:
            return text
        whole = f"({text})/R" if len(terms) > 1 or (terms and terms[0][0] != 1) else f"{text}/R"
        rest = [(c, names[i] if i != ONE else "1") for i, c in self.linear]
        return _joined([*([(1, whole)] if terms else []), *rest]) or "0"

    def text(self) -> str:
        """The block as a formula's text, for the prover."""
        steps: list[list[object]] = []

        def put(*step: object) -> int:
            steps.append([*step])
            return self.operands + len(steps) - 1

        def total(parts: Sequence[int]) -> int:
            if not parts:
                return put("constant", hex(0))
            return reduce(lambda found, part: put("add", found, part), parts)

        def scaled(value: int, c: int) -> int:
            return value if c == 1 else put("scale", value, hex(c))

        def of(form: Linear) -> int:
            terms = (put("constant", hex(c)) if i == ONE else scaled(i, c) for i, c in form)
            return total([*terms])

        is_lazy = self.is_wide or bool(self.wide)
        kind = "times" if is_lazy else "mul"
        parts = [scaled(put(kind, of(x), of(y)), c) for c, x, y in self.products]
        if is_lazy:
            found = total([*parts, *(scaled(i, c) for i, c in self.wide)])
            parts = [found if self.is_wide else put("divide", found)]
        result = total([*parts, *([of(self.linear)] if self.linear else [])])
        operands = [[n, 1, said_size(m)] for n, m in zip(self.names, self.ranges, strict=True)]
        data = {"operands": operands, "steps": steps, "results": [result]}
        data["multiple"] = said_size(self.range)
        return json.dumps(data)

    @property
    def names(self) -> str:
        """The operands' names, a letter each."""
        return "xyabcdefgh"[: self.operands]

    def evaluate(self, f: Field, values: Sequence[int]) -> int:
        """The result on Python's integers modulo p."""

        def of(form: Linear) -> int:
            return sum(c * (f.R if i == ONE else values[i]) for i, c in form)

        products = sum(c * of(x) * of(y) for c, x, y in self.products) + of(self.wide)
        if self.is_wide:
            return products % f.p
        return (products * f.R_inverse + of(self.linear)) % f.p

    def compute(self, f: Field, values: Sequence[Number], way: Division) -> Number:
        """The result as an expression, in its range by its bounds."""
        if self.is_wide:
            return self._whole(f, values)
        if self.products or self.wide:
            total = (
                way.whole(f, self._whole(f, values))
                if self.wide
                else self._products(f, values, way)
            )
            rest = self._combined(f, self.linear, values) if self.linear else 0
            return below(f, total + rest, self.multiple)
        if self.multiple == 1 and {*self.multiples} == {1}:
            return canonical(f, self.linear, values, self.multiples)
        return below(f, self._combined(f, self.linear, values), self.multiple)

    def _combined(self, f: Field, form: Linear, values: Sequence[Number]) -> Number:
        return combined(f, form, values, self.multiples)

    def _products(self, f: Field, values: Sequence[Number], way: Division) -> Number:
        """The sum of products, divided by R."""
        if len(self.products) == 1:
            ((c, first, second),) = self.products
            if first == second and c in (1, 2, 4):
                x = fitted(f, self._combined(f, first, values))
                return way.square(f, x, c.bit_length() - 1)
        return way.sum(f, self._factors(f, values))

    def _factors(self, f: Field, values: Sequence[Number]) -> tuple[list[Number], list[Number]]:
        """The first factor of each product, and the second one, in n limbs: of a square both."""
        rows, columns = [], []
        for c, first, second in self.products:
            x, y = (self._combined(f, form, values) for form in signed(c, first, second))
            if top(x) < top(y):
                x, y = y, x
            whole, y = y, fitted(f, y)
            rows.append(times(y, c) if c > 0 and first == second and y is not whole else x)
            columns.append(y)
        return rows, columns

    def _whole(self, f: Field, values: Sequence[Number]) -> Number:
        """The products and the wide operands in one sum that is not negative."""
        rows, columns = self._factors(f, values)
        t: Number = 0
        if (
            len(self.products) == 1
            and self.products[0][1] == self.products[0][2]
            and (self.products[0][0] == 1)
        ):
            t, rows, columns = whole_square(f, columns[0]), [], []
        for i, column in enumerate(zip(*(limbs(f, y) for y in columns), strict=True)):
            for x, y_i in zip(rows, column, strict=True):
                t = t + (x * y_i << f.word * i)
        t = tighten(t)
        for i, c in self.wide:
            t = t + times(values[i], c) if c > 0 else t
        if borrowed := units([(i, c) for i, c in self.wide if c < 0], self.multiples):
            t = t + f.p * f.p * borrowed
        for i, c in self.wide:
            t = t - times(values[i], -c) if c < 0 else t
        return t

    def operation(self, name: str) -> Operation:
        """The block as an operation of its own."""
        operands = tuple(zip(self.names, self.ranges, strict=True))
        said = f"{self.says} mod p"
        return Operation(name, operands, self.range, said, lambda f, *v: self.evaluate(f, v))

    def kernels(self, name: str) -> list[Kernel]:
        """The block as kernels, one for each way to reduce."""
        operation = self.operation(name)
        ways = DIVISIONS if self.is_divided else {NONE: DIVISIONS["cios"]}
        return [self._kernel(operation, how, way) for how, way in ways.items()]

    def _kernel(self, operation: Operation, how: str, way: Division) -> Kernel:
        def function(f: Field, *values: Number) -> Number:
            return self.compute(f, values, way)

        function.__doc__ = f"{self.says} mod p, one routine of a formula."
        return Kernel(operation, how, function)


def _said(form: Linear, names: str) -> str:
    text = _joined([(c, names[i] if i != ONE else "1") for i, c in form])
    return text if len(form) == 1 and form[0][1] == 1 else f"({text})"


def _joined(terms: Sequence[tuple[int, str]]) -> str:
    text = ""
    for c, name in terms:
        sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
        text += f"{sign}{'' if abs(c) == 1 else f'{abs(c)}*'}{name}"
    return text


def top(x: Number) -> int:
    """The largest value."""
    return x.high if isinstance(x, Integer) else x


def size(form: Linear) -> int:
    """The sum of the coefficients' absolute values: the combination is below so many p."""
    return sum(abs(c) if i != ONE else 1 for i, c in form)


def _parts(f: Field, form: Linear, values: Sequence[Number]) -> tuple[Number, Number]:
    """What is added, and what is subtracted."""
    parts: list[Number] = [0, 0]
    for i, c in form:
        value = abs(c) * f.R % f.p if i == ONE else times(values[i], abs(c))
        parts[c < 0] = parts[c < 0] + value
    return parts[0], parts[1]


def combined(f: Field, form: Linear, values: Sequence[Number], multiples: Sequence[int]) -> Number:
    """A combination, not reduced: 0 <= result < units(form) * p.

    Each subtracted term adds as many p as it may reach, so that the difference is not negative.
    """
    added, taken = _parts(f, form, values)
    borrowed = units([(i, c) for i, c in form if c < 0], multiples)
    if not borrowed:
        return added
    return added + (f.p * borrowed - taken)


def units(form: Sequence[tuple[int, int]], multiples: Sequence[int]) -> int:
    """How many p a combination is below, when what it subtracts is made up for."""
    return sum(abs(c) * multiples[i] if i != ONE else 1 for i, c in form)


def canonical(f: Field, form: Linear, values: Sequence[Number], multiples: Sequence[int]) -> Number:
    """A combination of canonical values modulo p."""
    if sorted(c for i, c in form if i != ONE) == [-1, 1] and len(form) == 2:
        added, taken = _parts(f, form, values)
        return add_if_negative(added - taken, f.p)
    if len(form) == 1 and form[0][1] == -1 and form[0][0] != ONE:
        return add_if_negative(0 - values[form[0][0]], f.p)
    return subtract_all(combined(f, form, values, multiples), f.p)


def signed(c: int, first: Linear, second: Linear) -> tuple[Linear, Linear]:
    """Two factors whose product is c * first * second, with as few negative terms as may be."""
    if c < 0 and all(k < 0 for _, k in second):
        c, second = -c, tuple((i, -k) for i, k in second)
    return tuple((i, c * k) for i, k in first), second


def below(f: Field, t: Number, multiple: int) -> Number:
    """t modulo p, below a multiple of p, by as many subtractions as the bounds of t ask for."""
    return subtract_all(t, multiple * f.p)


def fitted(f: Field, x: Number) -> Number:
    """x modulo p, in n limbs: a factor whose limbs are taken one by one."""
    return below(f, x, f.R // f.p) if top(x) >= f.R else x
