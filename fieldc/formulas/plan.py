"""The planner: which values of a formula are computed, by which blocks, and where to reduce.

The rules are few. A product that one sum uses goes into it, so that a sum of products has one
reduction. A value that is used twice and has a product in it is computed once.
Sums of values that are there go unreduced into the product that uses them.

There are three plans of a formula. In the first, a value that is used twice is reduced. In the
second, it may stay wide, so that the sums which use it have one reduction each. The third makes
three products of four besides, by Karatsuba. Which is the fastest depends on the processor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce

from fieldc.formulas.blocks import ONE, Block, Linear, size
from fieldc.formulas.cancelled import without_cancelled
from fieldc.formulas.element import Step
from fieldc.formulas.errors import wrong
from fieldc.formulas.formula import MOST_OPERANDS, Formula
from fieldc.formulas.karatsuba import with_karatsuba
from fieldc.formulas.lazy import Laziness
from fieldc.formulas.names import names_of
from fieldc.formulas.open_sums import LARGEST, Open, block_of, is_value, product_of
from fieldc.formulas.step_blocks import SAID, StepBlock
from fieldc.operands import residues

MOST_MULTIPLE = 1 << 64
"""Multiples below this one are products with one word."""
MOST_SIZE = 8
"""How many p a factor may be before it is reduced."""


class PlanForm(Enum):
    """What becomes of a value that is used more than once and has a product in it."""

    REDUCED = "reduced"
    """It is reduced at once."""
    LAZY = "lazy"
    """It stays wide where that saves reductions."""
    KARATSUBA = "lazy, with three products for four"


@dataclass(frozen=True)
class Computed:
    """A value that a block computes from earlier ones."""

    number: int
    block: Block | StepBlock
    sources: tuple[int, ...]
    name: str
    line: int


@dataclass(frozen=True)
class FormulaPlan:
    """What is computed, in order, and the values that are returned."""

    formula: Formula
    computed: tuple[Computed, ...]
    results: tuple[int, ...]
    form: PlanForm = PlanForm.REDUCED

    @property
    def blocks(self) -> tuple[Block | StepBlock, ...]:
        """The different blocks, in the order of their first use."""
        return tuple(dict.fromkeys(one.block for one in self.computed))

    @property
    def products(self) -> int:
        """How many products are multiplied out."""
        return sum(len(one.block.products) for one in self.computed)

    @property
    def reductions(self) -> int:
        """How many times a product or a sum of products is divided by R."""
        blocks = (one.block for one in self.computed)
        return sum(b.is_divided if isinstance(b, Block) else bool(b.products) for b in blocks)

    def rare(self, uses: int) -> frozenset[Block]:
        """The blocks that are used at most so often."""
        counts = Counter(one.block for one in self.computed)
        return frozenset(b for b, n in counts.items() if isinstance(b, Block) and n <= uses)


def planned(
    formula: Formula,
    is_fused: bool = True,
    avoided: frozenset[Block] = frozenset(),
    form: PlanForm = PlanForm.REDUCED,
) -> FormulaPlan:
    """Plan a formula; unless it is fused, each step is a block of its own. Raises FormulaError.

    What an avoided block would compute is put together from smaller ones: less code, more calls.
    """
    is_lazy = form is not PlanForm.REDUCED
    meant = without_cancelled(formula)
    meant = with_karatsuba(meant) if form is PlanForm.KARATSUBA else meant
    plan = _Planner(meant, is_fused, avoided, Laziness(meant) if is_lazy else None).plan()
    return replace(plan, formula=formula, form=form)


def plans(formula: Formula) -> tuple[FormulaPlan, ...]:
    """The plans of a formula that differ, the reduced one first. Raises FormulaError."""
    found = [planned(formula)]
    if not formula.sizes:
        for form in (PlanForm.LAZY, PlanForm.KARATSUBA):
            plan = planned(formula, form=form)
            if any(one.computed == plan.computed for one in found):
                continue
            found.append(plan)
    return tuple(found)


@dataclass
class _Planner:
    formula: Formula
    is_fused: bool
    avoided: frozenset[Block]
    lazy: Laziness | None = None
    computed: list[Computed] = field(default_factory=list)
    known: dict[tuple[Open, bool], int] = field(default_factory=dict)
    """The numbers of sums, by whether they are wide."""
    open: dict[int, Open] = field(default_factory=dict)
    """By the formula's own numbers of values."""

    def plan(self) -> FormulaPlan:
        formula = self.formula
        names = names_of(formula.file)
        for number in range(formula.inputs):
            self.open[number] = Open((), ((number, 1),))
        for number, step in formula.needed():
            line = formula.lines[number - formula.inputs] if formula.lines else 0
            self.at = names.get(line, ""), line
            found = self._step(step, number)
            if self.lazy and number in self.lazy.wide:
                found = self._widened(found)
            elif self._is_computed(number, found):
                found = self._closed(found)
            self.open[number] = found
        results = []
        for number in formula.results:
            line = formula.lines[number - formula.inputs] if number >= formula.inputs else 0
            self.at = names.get(line, ""), line
            ((value, _),) = self._value(self.open[number]).linear
            results.append(value)
        return FormulaPlan(formula, tuple(self._live(results)), tuple(results))

    def _is_computed(self, number: int, found: Open) -> bool:
        """Whether a value is computed, reduced, where it stands."""
        if not self.is_fused and found.sources:
            return True
        if len(self.formula.destinations[number]) < 2:
            return False
        return found.has_products or bool(self.lazy and number in self.lazy.factors)

    def _live(self, results: Sequence[int]) -> Iterator[Computed]:
        """What the results need."""
        needed = set(results)
        for one in reversed(self.computed):
            if one.number in needed:
                needed |= set(one.sources)
        return (one for one in self.computed if one.number in needed)

    def _step(self, step: Step, number: int) -> Open:
        if step.kind == "constant":
            return Open((), ((ONE, step.number),) if step.number else ())
        if step.kind == "scale":
            return self._scaled(self.open[step.args[0]], step.number)
        if step.kind in SAID:
            return self._alone(step, number)
        a, b = (self.open[i] for i in step.args)
        if step.kind == "mul":
            return self._product(a, b)
        return self._sum(a, b.scaled(-1) if step.kind == "sub" else b)

    def _alone(self, step: Step, number: int) -> Open:
        """A step that is a block of its own."""
        sources = []
        for i in step.args:
            ((value, _),) = self._value(self.open[i]).linear
            sources.append(value)
        block = StepBlock.of(step, number, dict(self.formula.sizes))
        made = self.formula.inputs + len(self.computed)
        self.computed.append(Computed(made, block, tuple(sources), *self.at))
        return Open((), ((made, 1),))

    def _scaled(self, x: Open, factor: int) -> Open:
        """A multiple of a sum: of 5*x, 3 times that is 15*x."""
        found = x.scaled(factor)
        if found.is_small:
            return found
        if not x.has_products and len(found.linear) == 1:
            ((value, factor),) = found.linear
            x = Open((), ((value, 1),))
        if abs(factor) <= LARGEST:
            return self._closed(x).scaled(factor)
        if abs(factor) < MOST_MULTIPLE:
            return self._multiple(x, abs(factor)).scaled(1 if factor > 0 else -1)
        return Open(((1, self._closed(x).linear, ((ONE, factor),)),))

    def _multiple(self, x: Open, factor: int) -> Open:
        """A value times an integer of one word: a row for the product, and one to reduce it."""
        ((value, _),) = self._value(x).linear
        made = self.formula.inputs + len(self.computed)
        element = residues(1)
        block = StepBlock("multiple", (element,), element, factor)
        same = (one for one in self.computed if one.block == block and one.sources == (value,))
        if (before := next(same, None)) is not None:
            return Open((), ((before.number, 1),))
        self.computed.append(Computed(made, block, (value,), *self.at))
        return Open((), ((made, 1),))

    def _sum(self, a: Open, b: Open) -> Open:
        """a + b; where one block cannot hold it, the one with more products is computed first."""
        if (found := a.plus(b)).is_small:
            return found
        is_first = len(a.products) + len(a.wide) >= len(b.products) + len(b.wide)
        sums = [a, b] if is_first else [b, a]
        for shorter in (self._gathered, self._shortened):
            for i in (0, 1):
                sums[i] = shorter(sums[i])
                if (found := sums[0].plus(sums[1])).is_small:
                    return found
        return self._closed(sums[0]).plus(self._closed(sums[1]))

    def _gathered(self, x: Open) -> Open:
        """A sum with one wide value for its products, or the whole where none may be wide."""
        if self.lazy and x.products:
            return self._widened(Open(x.products)).plus(Open((), x.linear, x.wide))
        return self._shortened(x)

    def _shortened(self, x: Open) -> Open:
        """A sum with one value for all of it, or a wide one and elements where that may be."""
        return self._widened(x) if self.lazy and x.has_products else self._closed(x)

    def _widened(self, x: Open) -> Open:
        """A sum whose products are computed but not reduced."""
        products = Open(x.products, (), x.wide)
        if not products.products and len(products.wide) <= 1:
            return x
        if len(products.products) == 1 and not products.wide and products.products[0][0] != 1:
            ((c, first, second),) = products.products  # a multiple is left to who takes the value
            return self._widened(product_of(first, second)).scaled(c).plus(Open((), x.linear))
        if (products, True) not in self.known:
            self._compute(products, block_of(products, products.sources, is_wide=True))
        wide = self.known[products, True]
        return Open((), x.linear, ((wide, 1),))

    def _compute(self, x: Open, block: Block) -> None:
        """Compute a sum by a block."""
        number = self.formula.inputs + len(self.computed)
        self.known[x, block.is_wide] = number
        sources = tuple(x.sources or self._unread())
        self.computed.append(Computed(number, block, sources, *self.at))

    def _unread(self) -> list[int]:
        """An element for the block of a constant, which reads none: a routine has an operand."""
        sizes = dict(self.formula.sizes)
        known = (x.linear[0][0] for n, x in self.open.items() if n not in sizes and is_value(x))
        if (element := next(known, None)) is None:
            message = "no element comes before this constant: give the formula one as an operand"
            raise wrong(message, (self.formula.file, self.at[1]))
        return [element]

    def _product(self, a: Open, b: Open) -> Open:
        for x, y in ((a, b), (b, a)):
            if not x.has_products and [i for i, _ in x.linear] in ([ONE], []):
                return self._scaled(y, x.linear[0][1] if x.linear else 0)
        first, second = self._factor(a), self._factor(b)
        if not (found := product_of(first, second)).is_small:
            first, second = self._closed(a).linear, self._closed(b).linear
            found = product_of(first, second)
        return found

    def _factor(self, x: Open) -> Linear:
        """A factor: a combination that is small enough to go in unreduced, or a value."""
        if x.has_products or size(x.linear) > MOST_SIZE or len(x.sources) > MOST_OPERANDS - 2:
            x = self._closed(x)
        return x.linear

    def _value(self, x: Open) -> Open:
        """A value that lies somewhere, which a plain input does too."""
        return x if is_value(x) else self._closed(x)

    def _closed(self, x: Open) -> Open:
        """The value, computed by a block of its own unless it is there.

        A block that is reduced has products or wide values, not both: its proof takes less time.
        """
        if is_value(x):
            return x
        if x.products and x.wide:
            x = self._gathered(x)
        if (x, False) not in self.known:
            if not x.is_small:
                name, line = self.at
                message = f"{name or 'a value'} has more terms than one sum can hold"
                raise wrong(message, (self.formula.file, line))
            block = block_of(x, x.sources or self._unread())
            if block in self.avoided and (smaller := self._in_pieces(x)) is not None:
                ((self.known[x, False], _),) = self._closed(smaller).linear
            else:
                self._compute(x, block)
        return Open((), ((self.known[x, False], 1),))

    def _in_pieces(self, x: Open) -> Open | None:
        """The same value from pieces that are computed first; None where there are none."""
        if x.wide:
            return None
        if x.products:
            return self._products_in_pieces(x)
        if len(x.linear) < 2 or any(i == ONE for i, _ in x.linear):
            return None
        if all(c % 2 == 0 for _, c in x.linear):
            return self._closed(Open((), tuple((i, c // 2) for i, c in x.linear))).scaled(2)
        if len(x.linear) == 2:
            return None
        added = tuple((i, c) for i, c in x.linear if c > 0)
        taken = tuple((i, -c) for i, c in x.linear if c < 0)
        if added and taken:
            return self._closed(Open((), added)).plus(self._closed(Open((), taken)).scaled(-1))
        halves = x.linear[::2], x.linear[1::2]
        first, second = (self._closed(Open((), half)) for half in halves)
        return first.plus(second)

    def _products_in_pieces(self, x: Open) -> Open | None:
        """Without what is added, then each product by itself, then its factors."""
        ((c, first, second), *more) = x.products
        if more and x.linear:
            return self._closed(Open(x.products)).plus(Open((), x.linear))
        if more or x.linear or c != 1:
            parts = (self._closed(product_of(f, s)).scaled(k) for k, f, s in x.products)
            return reduce(Open.plus, parts, Open((), x.linear))
        factors = [self._closed(Open((), form)).linear for form in (first, second)]
        found = product_of(*factors)
        return None if found == x else found
