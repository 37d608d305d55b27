"""How large each value of a plan may be: left unreduced where nothing asks for less.

A value that is no result may stay below a few p, which saves its conditional subtractions. One
number caps all of them. The planner tries each cap that fits the limbs, and takes the one with the
fewest subtractions. Blocks that compute the same of operands of different sizes are one block, for
the largest of these operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil

from fieldc.field import Field
from fieldc.formulas.blocks import Block, signed, units
from fieldc.formulas.errors import wrong
from fieldc.formulas.plan import Computed, FormulaPlan
from fieldc.formulas.step_blocks import StepBlock
from fieldc.language import DoesNotApply
from fieldc.operands import Range

LARGEST_CAP = 6
Group = tuple[Block, bool, int]
"""A block of canonical operands, whether it computes a result, and the level of a wide sum.

A sum of wide values is a level above them: a block that takes its own results has no largest one.
"""


def ranged(plan: FormulaPlan, f: Field) -> FormulaPlan:
    """The plan with the ranges that cost the fewest subtractions for a field.

    Raises FormulaError for a step that has no kernel modulo p.
    """
    _check_steps(plan, f)
    caps = range(1, min(LARGEST_CAP, f.R // f.p) + 1)
    tried = [_Ranges(plan, f, cap).solve() for cap in caps]
    return min(tried, key=lambda one: one.cost).plan_with_ranges()


def _check_steps(plan: FormulaPlan, f: Field) -> None:
    checked = set[StepBlock]()
    for one in plan.computed:
        if isinstance(one.block, StepBlock) and one.block not in checked:
            checked.add(one.block)
            try:
                next(one.block.kernels("routine")).expression(f)
            except DoesNotApply as error:
                raise wrong(str(error), (plan.formula.file, one.line)) from None


@dataclass
class _Ranges:
    """The ranges for one cap."""

    plan: FormulaPlan
    f: Field
    cap: int
    operands: dict[Group, tuple[int, ...]] = field(default_factory=dict)
    """For each group how many p its operands are below."""
    stored: dict[Group, int] = field(default_factory=dict)
    """For a group with a wide result: the multiple of p*p whose words its readers read, if more."""

    def solve(self) -> _Ranges:
        """Enlarge operands until every block takes what is given to it."""
        while True:
            values = dict.fromkeys(range(self.plan.formula.inputs), 1)
            made: dict[int, Group] = {}
            before = dict(self.operands), dict(self.stored)
            for one in self.plan.computed:
                if isinstance(one.block, StepBlock):
                    values[one.number] = 1
                    continue
                group, given = self.group(one), tuple(values[i] for i in one.sources)
                known = self.operands.get(group, given)
                self.operands[group] = tuple(map(max, known, given))
                self._store(one, group, values, made)
                values[one.number], made[one.number] = self.result(group), group
            if (self.operands, self.stored) == before:
                return self

    def _store(
        self, one: Computed, group: Group, values: Mapping[int, int], made: Mapping[int, Group]
    ) -> None:
        """Write wide values with as many words as their readers read."""
        for place, _ in group[0].wide:
            multiple, number = self.operands[group][place], one.sources[place]
            if self._words(multiple) > self._words(values[number]):
                self.stored[made[number]] = max(multiple, self.stored.get(made[number], 0))

    def _words(self, multiple: int) -> int:
        """The words of a wide value below so many p*p."""
        return Range(multiple=multiple, powers=2).limbs(self.f)

    @cached_property
    def canonical(self) -> frozenset[int]:
        """The values that must be below p: results, and what blocks of one step take."""
        alone = (one for one in self.plan.computed if isinstance(one.block, StepBlock))
        return frozenset((*self.plan.results, *(i for one in alone for i in one.sources)))

    def group(self, one: Computed) -> Group:
        """Computations that share a block."""
        if isinstance(one.block, StepBlock):
            raise TypeError("a block of one step has no group")
        level = self.levels[one.number] if one.block.is_wide else 0
        return one.block, one.number in self.canonical, level

    @cached_property
    def levels(self) -> dict[int, int]:
        """How often wide values were added to make each value; 0 for one that is not wide."""
        found = dict.fromkeys(range(self.plan.formula.inputs), 0)
        for one in self.plan.computed:
            is_wide = isinstance(one.block, Block) and one.block.is_wide
            found[one.number] = is_wide + max((found[i] for i in one.sources), default=0) * is_wide
        return found

    def result(self, group: Group) -> int:
        """How many p a group's result is below; what is always 0 is below one."""
        if group[0].is_wide:
            return max(1, ceil(self.before(group)), self.stored.get(group, 0))
        return 1 if group[1] else max(1, min(self.cap, ceil(self.before(group))))

    def before(self, group: Group) -> Fraction:
        """How many p the result is below before subtractions; of a wide one how many p*p."""
        return _before(replace(group[0], multiples=self.operands[group]), self.f)

    @property
    def cost(self) -> int:
        """How many conditional subtractions all calls make.

        One after another they cost more: the third of a block counts as four, for each doubles the
        cases of a proof.
        """
        sums = [one for one in self.plan.computed if isinstance(one.block, Block)]
        counts = [self._in(self.group(one)) for one in sums]
        return sum(count + 3 * max(0, count - 2) for count in counts)

    def _in(self, group: Group) -> int:
        return subtractions(self._block(group), self.f)

    def plan_with_ranges(self) -> FormulaPlan:
        """The plan with these ranges."""
        computed = [
            replace(one, block=self._block(self.group(one)))
            if isinstance(one.block, Block)
            else one
            for one in self.plan.computed
        ]
        return replace(self.plan, computed=tuple(computed))

    def _block(self, group: Group) -> Block:
        return replace(group[0], multiples=self.operands[group], multiple=self.result(group))


def _before(block: Block, f: Field) -> Fraction:
    """How many p a block's result is below before subtractions; of a wide one how many p*p."""
    whole, over = units(block.wide, block.multiples), f.R // f.p
    for c, first, second in block.products:
        x, y = sorted(units(form, block.multiples) for form in signed(c, first, second))
        if x > over:  # a factor is fitted, and both are where they are the same
            x, y = over, c * over if c > 0 and first == second else y
        whole += x * y
    if block.is_wide:
        return Fraction(whole)
    total = Fraction(units(block.linear, block.multiples))
    return total + Fraction(whole * f.p, f.R) + block.is_divided


def subtractions(block: Block, f: Field) -> int:
    """How many conditional subtractions a block makes."""
    over = f.R // f.p
    factors = [form for c, *two in block.products for form in signed(c, *two)]
    large = sum(units(form, block.multiples) > over for form in factors)
    return large + max(0, ceil(_before(block, f) / block.multiple) - 1).bit_length()
