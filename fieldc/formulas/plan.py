"""The planner: which values of a formula are computed, by which blocks, and where to reduce.

The rules are few. A product that is used once goes into the sum that uses it, so that a sum of
products has one reduction. A value that is used twice and has a product in it is computed once,
canonical. Sums of values that are there go unreduced into the product that uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

from fieldc.formulas.blocks import ONE, Block, Linear, Product, size
from fieldc.formulas.element import Step
from fieldc.formulas.errors import wrong
from fieldc.formulas.formula import MOST_OPERANDS, Formula
from fieldc.formulas.names import names_of
from fieldc.formulas.step_blocks import SAID, StepBlock

MOST_PRODUCTS = 4
"""Products with one reduction in one block."""
MOST_SIZE = 8
"""How many p a factor may be before it is reduced."""
LARGEST = 12
"""The largest coefficient that additions make; a larger one is a product with a constant."""


@dataclass(frozen=True)
class Open:
    """A value that is not computed yet: products and a combination of values that are."""

    products: tuple[Product, ...] = ()
    linear: Linear = ()

    @property
    def sources(self) -> list[int]:
        """The values it needs, in an order that makes equal sums of other values equal blocks.

        What is added comes before what is subtracted.
        """
        forms = [form for _, *two in self.products for form in two] + [self.linear]
        ordered = (sorted(form, key=lambda term: (-term[1], term[0])) for form in forms)
        return list(dict.fromkeys(i for form in ordered for i, _ in form if i != ONE))

    @property
    def is_small(self) -> bool:
        """Whether one block can compute it."""
        return (
            len(self.products) <= MOST_PRODUCTS
            and len(self.sources) <= MOST_OPERANDS
            and all(abs(c) <= LARGEST for c, _, _ in self.products)
            and all(abs(c) <= LARGEST for i, c in self.linear if i != ONE)
        )

    def scaled(self, factor: int) -> Open:
        """A multiple."""
        if not factor:
            return Open()
        products = tuple((c * factor, x, y) for c, x, y in self.products)
        return Open(products, tuple((i, c * factor) for i, c in self.linear))

    def plus(self, other: Open) -> Open:
        """The sum, with equal terms as one."""
        products: dict[tuple[Linear, Linear], int] = {}
        for c, x, y in (*self.products, *other.products):
            products[x, y] = products.get((x, y), 0) + c
        return Open(
            tuple((c, x, y) for (x, y), c in products.items() if c),
            added(self.linear, other.linear),
        )


def added(a: Linear, b: Linear) -> Linear:
    """The sum of two combinations."""
    total: dict[int, int] = {}
    for i, c in (*a, *b):
        total[i] = total.get(i, 0) + c
    return tuple((i, c) for i, c in sorted(total.items()) if c)


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

    @property
    def blocks(self) -> tuple[Block | StepBlock, ...]:
        """The different blocks, in the order of their first use."""
        return tuple(dict.fromkeys(one.block for one in self.computed))

    @property
    def depth(self) -> int:
        """The most products of products of ... that a result is made of."""
        depths = dict.fromkeys(range(self.formula.inputs), 0)
        for one in self.computed:
            below = max((depths[i] for i in one.sources), default=0)
            depths[one.number] = below + bool(one.block.products)
        return max(depths[i] for i in self.results)

    @property
    def products(self) -> int:
        """How many products are multiplied out."""
        return sum(len(one.block.products) for one in self.computed)

    @property
    def reductions(self) -> int:
        """How many times a product or a sum of products is divided by R."""
        return sum(bool(one.block.products) for one in self.computed)

    def rare(self, uses: int) -> frozenset[Block]:
        """The blocks that are used at most so often."""
        counts = Counter(one.block for one in self.computed)
        return frozenset(b for b, n in counts.items() if isinstance(b, Block) and n <= uses)


def planned(
    formula: Formula, is_fused: bool = True, avoided: frozenset[Block] = frozenset()
) -> FormulaPlan:
    """Plan a formula; unless it is fused, each step is a block of its own. Raises FormulaError.

    What an avoided block would compute is put together from smaller ones: less code, more calls.
    """
    return _Planner(formula, is_fused, avoided).plan()


@dataclass
class _Planner:
    formula: Formula
    is_fused: bool
    avoided: frozenset[Block]
    computed: list[Computed] = field(default_factory=list)
    known: dict[Open, int] = field(default_factory=dict)
    open: dict[int, Open] = field(default_factory=dict)
    """By the formula's own numbers of values."""

    def plan(self) -> FormulaPlan:
        formula = self.formula
        names = names_of(formula.file)
        uses = formula.uses
        for number in range(formula.inputs):
            self.open[number] = Open((), ((number, 1),))
        for number, step in formula.needed():
            line = formula.lines[number - formula.inputs] if formula.lines else 0
            self.at = names.get(line, ""), line
            found = self._step(step, number)
            if (uses[number] > 1 and found.products) or (not self.is_fused and found.sources):
                found = self._closed(found)
            self.open[number] = found
        results = []
        for number in formula.results:
            line = formula.lines[number - formula.inputs] if number >= formula.inputs else 0
            self.at = names.get(line, ""), line
            ((value, _),) = self._value(self.open[number]).linear
            results.append(value)
        return FormulaPlan(formula, tuple(self._live(results)), tuple(results))

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
        found = x.scaled(factor)
        if found.is_small:
            return found
        return Open(((1, self._closed(x).linear, ((ONE, factor),)),))

    def _sum(self, a: Open, b: Open) -> Open:
        """a + b; where one block cannot hold it, the one with more products is computed first."""
        if (found := a.plus(b)).is_small:
            return found
        if len(a.products) >= len(b.products):
            a = self._closed(a)
        else:
            b = self._closed(b)
        if (found := a.plus(b)).is_small:
            return found
        return self._closed(a).plus(self._closed(b))

    def _product(self, a: Open, b: Open) -> Open:
        for x, y in ((a, b), (b, a)):
            if not x.products and [i for i, _ in x.linear] in ([ONE], []):
                return self._scaled(y, x.linear[0][1] if x.linear else 0)
        first, second = self._factor(a), self._factor(b)
        if not (found := _one(first, second)).is_small:
            first, second = self._closed(a).linear, self._closed(b).linear
            found = _one(first, second)
        return found

    def _factor(self, x: Open) -> Linear:
        """A factor: a combination that is small enough to go in unreduced, or a value."""
        if x.products or size(x.linear) > MOST_SIZE or len(x.sources) > MOST_OPERANDS - 2:
            x = self._closed(x)
        return x.linear

    def _value(self, x: Open) -> Open:
        """A value that lies somewhere, which a plain input does too."""
        return x if _is_value(x) else self._closed(x)

    def _closed(self, x: Open) -> Open:
        """The value, computed by a block of its own unless it is there."""
        if _is_value(x):
            return x
        if x not in self.known:
            if not x.is_small:
                name, line = self.at
                message = f"{name or 'a value'} has more terms than one sum can hold"
                raise wrong(message, (self.formula.file, line))
            block = _block(x, x.sources)
            if block in self.avoided and (smaller := self._in_pieces(x)) is not None:
                ((self.known[x], _),) = self._closed(smaller).linear
            else:
                self.known[x] = self.formula.inputs + len(self.computed)
                self.computed.append(Computed(self.known[x], block, tuple(x.sources), *self.at))
        return Open((), ((self.known[x], 1),))

    def _in_pieces(self, x: Open) -> Open | None:
        """The same value from pieces that are computed first; None where there are none."""
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
            parts = (self._closed(_one(f, s)).scaled(k) for k, f, s in x.products)
            return reduce(Open.plus, parts, Open((), x.linear))
        factors = [self._closed(Open((), form)).linear for form in (first, second)]
        found = _one(*factors)
        return None if found == x else found


def _is_value(x: Open) -> bool:
    return not x.products and len(x.linear) == 1 and x.linear[0][1] == 1 and x.linear[0][0] != ONE


def _one(first: Linear, second: Linear) -> Open:
    """A product, its longer factor first."""
    if (len(second), second) > (len(first), first):
        first, second = second, first
    return Open(((1, first, second),))


def _block(x: Open, sources: Sequence[int]) -> Block:
    """A block with operands in the order of the sources."""
    place = {ONE: ONE, **{value: index for index, value in enumerate(sources)}}

    def moved(form: Linear) -> Linear:
        return tuple(sorted((place[i], c) for i, c in form))

    products = tuple((c, moved(first), moved(second)) for c, first, second in x.products)
    return Block((1,) * len(sources), products, moved(x.linear))
