"""Which values of a formula stay wide: sums of products that are divided by R only later.

A value that is a factor, or a result, is reduced. Another one with products may wait, so that a sum
of several such values has one reduction. That pays unless one of these sums has no other product:
then the sum is reduced for this value alone, and to reduce the value itself is no more work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fieldc.formulas.element import Step
from fieldc.formulas.formula import LINEAR, Formula


@dataclass(frozen=True)
class Laziness:
    """What stays wide, and which sums of elements are factors only."""

    formula: Formula

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """The values that are made of each value."""
        found = defaultdict(list)
        for number, step in self.formula.needed():
            for value in step.args:
                found[value].append(number)
        return found

    def step(self, value: int) -> Step:
        """The step that gives a value."""
        return self.formula.steps[value - self.formula.inputs]

    def is_factor(self, value: int) -> bool:
        """Whether a step takes it that takes reduced values only."""
        return any(self.step(user).kind not in LINEAR for user in self.users[value])

    def is_end(self, value: int) -> bool:
        """Whether a sum ends here, because it is reduced."""
        return value in self.formula.results or self.is_factor(value)

    def ends(self, value: int, reduced: frozenset[int]) -> Iterator[int]:
        """The reduced values that sums with this value end in."""
        waiting, seen = [*self.users[value]], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if self.is_end(number) or number in reduced:
                yield number
            else:
                waiting += self.users[number]

    @cached_property
    def wide(self) -> frozenset[int]:
        """The values that stay wide."""
        reduced: frozenset[int] = frozenset()
        products = self._products(reduced)
        found = set()
        for value, _ in self.formula.needed():
            if self.formula.uses[value] < 2 or not products[value] or self.is_end(value):
                continue
            if all(products[end] - products[value] for end in self.ends(value, reduced)):
                found.add(value)
            else:
                reduced |= {value}
                products = self._products(reduced)
        return frozenset(found)

    def _products(self, reduced: frozenset[int]) -> dict[int, frozenset[int]]:
        """The products that are not reduced yet, of which each value is a combination."""
        found = dict.fromkeys(range(self.formula.inputs), frozenset[int]())
        for number, step in self.formula.needed():
            if step.kind == "mul":
                found[number] = frozenset([number])
                continue
            open_ones = (v for v in step.args if not (v in reduced or self.is_end(v)))
            is_linear = step.kind in LINEAR
            found[number] = frozenset().union(*(found[v] for v in open_ones if is_linear))
        return found

    @cached_property
    def factors(self) -> frozenset[int]:
        """Values that are used twice or more, and only in what factors are made of."""
        products = self._products(frozenset())
        return frozenset(
            value
            for value, step in self.formula.needed()
            if self.formula.uses[value] > 1 and step.kind in LINEAR and not products[value]
            if self._only_factors(value)
        )

    def _only_factors(self, value: int) -> bool:
        """Whether nothing but factors is made of a value."""
        return value not in self.formula.results and all(
            self.step(user).kind == "mul"
            or (self.step(user).kind in LINEAR and self._only_factors(user))
            for user in self.users[value]
        )
