"""Exact bounds of polynomials in words: eliminate what telescopes, then take intervals.

Rational arithmetic only. All are upper bounds; a lower bound of E is minus the upper one of -E.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, zip_longest

from fieldc.proof.algebra.combinations import Combination, Slopes, plus, plus_slopes, with_chain
from fieldc.proof.algebra.comparisons import Comparison, carries_in
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Monomial,
    Polynomial,
    Rational,
    Select,
    Tops,
    add_to,
)
from fieldc.proof.algebra.facts import Bound, Budget, Fact, Known, other_value
from fieldc.proof.algebra.hints import holds
from fieldc.proof.algebra.low_bits import cuts, without_tops
from fieldc.proof.algebra.maxima import Maxima
from fieldc.proof.algebra.refute import UnlikelyRuns
from fieldc.proof.algebra.shifted import times_in_top, top_scale
from fieldc.proof.algebra.strategies import STRATEGIES, Followed, Strategy, share
from fieldc.proof.algebra.totals import Total, times

MOST_TERMS = 1_000, 16
"""A polynomial from which rows are taken away can grow without an end: at most so many terms, or so
many for each pair of limbs."""
MANY = 4
"""After so many bounds unlikely runs are asked: they may contradict what is to be shown."""
Question = tuple[frozenset[tuple[Monomial, Rational]], int | None, frozenset[int]]
"""A polynomial, what it should be below, and the rows that are left alone."""
Tried = dict[Question, list[tuple[Mapping[str, bool], Bound]]]


@dataclass
class Case(Known):
    """What is known of one case, and what finds bounds in it."""

    comparisons: tuple[Comparison, ...] = ()
    facts: dict[int, Fact] = field(default_factory=dict)
    """What was shown of variables, each by means of those before it."""
    hints: dict[int, Fact] = field(default_factory=dict)
    """What was shown in other cases: the same reasons may hold here, which is quick to see."""
    samples: tuple[Mapping[int, int], ...] = ()
    """All variables in some runs of this case. What a run contradicts need not be tried."""
    doubts: UnlikelyRuns | None = None
    """More runs, of which some may be of this case: asked where the first bounds do not suffice,
    and where no other run is of it."""
    strategies: tuple[Strategy, ...] = STRATEGIES
    """What bounds try."""
    is_foreign: bool = False
    """Whether there is no certificate, so that what it cannot say may be used."""
    budget: Budget | None = None
    """Where it is used up, no more is shown."""
    _tried: Tried = field(default_factory=dict, init=False)
    """Bounds that one question found, and what each asked of its strategy."""
    _compared_numbers: dict[tuple[object, ...], list[Bound]] = field(
        default_factory=dict, init=False
    )
    """Bounds of compared numbers, by the flag and what was fixed when they were found."""

    @property
    def depth(self) -> int:
        """Powers of the radix by which polynomials are scaled, so that they stay integers."""
        return 4 + 2 * max(len(i.limbs) for i in self.inputs)

    def at_most(self, target: Polynomial, limit: int) -> bool:
        """Whether target <= limit is shown; target has integer values."""
        return self.shown(target, limit) is not None

    def shown(self, target: Polynomial, limit: int) -> Bound | None:
        """Why target <= limit, if it is shown; target has integer values."""
        found = None
        if self.budget and self.budget.is_spent:
            return None
        for number, bound in enumerate(self._bounds(target, limit + 1)):
            if bound.value < (limit + 1) * bound.scale:
                found = bound
                break
            if self.budget and self.budget.is_spent:
                break
            if number == MANY and self.doubts and self.doubts.contradict(target, limit, self.fixed):
                break
        self._tried.clear()
        return found

    def may_be(self, number: int, value: int) -> bool:
        """Whether no run shows another value of a variable."""
        return all(sample[number] == value for sample in self.samples)

    def is_always(self, number: int, value: int) -> bool:
        """Whether bounds show a variable to have a value."""
        is_new = number not in self.facts and self.may_be(number, value)
        if is_new and (fact := self._fact(number, value)):
            self.facts[number] = self.hints[number] = fact
        return number in self.facts and self.facts[number].value == value

    def _fact(self, number: int, value: int) -> Fact | None:
        """Why a variable has a value: a bound, or two where that is no end of its range."""
        other = self.hints.get(number)
        hint = other if other and other.value == value else Fact(value, None)
        bound = self._because(hint.bound, {(number,): -1 if value else 1}, -value)
        if bound and value not in (0, self.system.ranges[number][1]):
            most = self._because(hint.most, {(number,): 1}, value)
            return Fact(value, bound, most=most) if most else None
        return Fact(value, bound) if bound else None

    def _because(self, known: Bound | None, target: Polynomial, limit: int) -> Bound | None:
        """Why target <= limit: for the reason that is known of another case, if it holds here."""
        return known if known and holds(self, known, target, limit) else self.shown(target, limit)

    def at_least(self, target: Polynomial, limit: int) -> bool:
        """Whether target >= limit is shown; target has integer values."""
        return self.at_most({monomial: -c for monomial, c in target.items()}, -limit)

    def excludes(self, flag: int, value: int) -> Bound | None:
        """Why a flag has the other value than this, if bounds show it."""
        if any(sample[flag] == value for sample in self.samples):
            return None
        return self.shown(*other_value(flag, value))

    def upper(self, target: Polynomial) -> Fraction:
        """Return the least upper bound that any strategy gives."""
        return min(Fraction(b.value) / b.scale for b in self._bounds(target, None))

    def _bounds(self, target: Polynomial, goal: int | None) -> Iterator[Bound]:
        """Yield upper bounds by each strategy; each stops as soon as it falls below the goal."""
        self._tried.clear()
        rows = carries_in(self.system, target)
        # Nearly always the first one suffices, with one comparison or another.
        for strategy in self.strategies:
            yield self._direct(target, goal, strategy)
            if rows:
                # An integer's largest value may be below the bound of the fraction it is made of.
                yield self._direct(target, goal, replace(strategy, keeps_high_halves=True), rows)
            # The first bound of a comparison is the likeliest: it comes before the second of any.
            tries = [self._compared(target, goal, strategy, c) for c in self.comparisons]
            for bounds in zip_longest(*tries):
                yield from filter(None, bounds)

    def _compared(
        self, target: Polynomial, goal: int | None, strategy: Strategy, comparison: Comparison
    ) -> Iterator[Bound]:
        """Bounds that use what a flag's value says of the compared number, the likeliest first.

        A number is compared by its words, and a carry is worth as much as the flag.
        """
        low, high = self.range_of(comparison)
        size = abs(comparison.weight)
        top = top_scale(self.system, target, size)
        scales = dict.fromkeys((1, size // self.system.radix, size, *top))
        is_number, both = len(target) > 1, [(-1, high), (1, -low)]
        ways = [(scale, both) for scale in (scales if is_number else reversed(scales))]
        times = times_in_top(self.system, target, comparison) if is_number else ()
        ways += [(1, [(-t, t * high)]) for t in times]
        for number, (scale, sides) in enumerate(ways):
            for factor, extra in sides:
                shifted = {m: c * scale for m, c in target.items()}
                add_to(shifted, comparison.operands, factor)
                limit = None if goal is None else goal * scale - extra
                b = self._direct(shifted, limit, strategy)
                rows = with_chain(b.rows, comparison, factor * b.scale, self.system.radix)
                yield Bound(b.value + extra * b.scale, b.scale * scale, rows, b.slopes)
            if is_number and not number:
                yield from self._by_words(target, strategy, comparison, 1)
        for scale in () if is_number else (1, *top):
            yield from self._by_words(target, strategy, comparison, scale)
        if self.is_foreign:
            for sign in (1, -1):
                yield from self._by_words(target, strategy, comparison, self.system.radix, sign)

    def _by_words(
        self,
        target: Polynomial,
        strategy: Strategy,
        comparison: Comparison,
        scale: int,
        sign: int = 1,
    ) -> Iterator[Bound]:
        """scale*target is at most what it exceeds a comparison's words by, and its operands."""
        shifted = {m: c * scale for m, c in target.items()}
        add_to(shifted, comparison.words, -sign)
        cut = self._direct(shifted, None, strategy, comparison.rows)
        if sign > 0:
            bounds = self._of_operands(comparison)
        else:
            turned = {m: -c for m, c in comparison.operands.items()}
            bounds = (self._direct(turned, None, other) for other in self.strategies)
        for b in bounds:
            rows = with_chain(cut.rows, comparison, sign * b.scale, self.system.radix)
            slopes = plus_slopes(cut.slopes, b.slopes)
            yield Bound(cut.value + b.value, b.scale * scale, plus(rows, b.rows), slopes)

    def _of_operands(self, comparison: Comparison) -> Iterator[Bound]:
        """Upper bounds of a compared number, each found when it is first asked for."""
        key = comparison.flag, *self.fixed.items()
        found = self._compared_numbers.setdefault(key, [])
        for number, find in enumerate(self._finds(comparison)):
            if number == len(found):
                found.append(find())
            yield found[number]

    def _finds(self, comparison: Comparison) -> Iterator[Callable[[], Bound]]:
        """What bounds a compared number: itself, and what another flag says of it."""
        first, *others = self.strategies
        yield partial(self._direct, comparison.operands, None, first)
        for other in self.comparisons:
            if other.flag in self.fixed and other is not comparison:
                yield partial(self._by_another, comparison, other)
        for strategy in others:
            yield partial(self._direct, comparison.operands, None, strategy)

    def _by_another(self, comparison: Comparison, other: Comparison) -> Bound:
        shifted = dict(comparison.operands)
        add_to(shifted, other.operands, -1)
        b = self._direct(shifted, None, self.strategies[0])
        rows = with_chain(b.rows, other, -b.scale, self.system.radix)
        return Bound(b.value + self.range_of(other)[1] * b.scale, b.scale, rows, b.slopes)

    def _direct(
        self,
        target: Polynomial,
        goal: int | None,
        strategy: Strategy,
        disabled: frozenset[int] = frozenset(),
    ) -> Bound:
        """A bound by a strategy; most differ in nothing that the bound depends on."""
        before = self._tried.setdefault((frozenset(target.items()), goal, disabled), [])
        for asked, bound in before:
            if strategy.answers(asked):
                return bound
        scale = self.system.radix**self.depth
        scaled: Polynomial = {m: c * scale for m, c in target.items()}
        limit = None if goal is None else goal * scale
        followed = Followed(strategy)
        bound = self._eliminated(scaled, scale, limit, disabled, followed)
        before.append((followed.asked, bound))
        return bound

    def range_of(self, comparison: Comparison) -> tuple[int, int]:
        """Bounds of the compared number, from the flag's value where that is known."""
        value = self.fixed.get(comparison.flag)
        size = abs(comparison.weight)
        ends = [comparison.weight * v for v in ((0, 1) if value is None else (value,))]
        return min(ends), max(ends) + size - 1

    def _eliminated(
        self,
        terms: Polynomial,
        scale: int,
        limit: int | None,
        disabled: frozenset[int],
        followed: Followed,
    ) -> Bound:
        """An upper bound of terms, going through rows backwards; the first one below the limit.

        Without a limit, the least of those on the way.
        """
        rows: Combination = {}
        if self.budget:
            self.budget.left -= 1
        least: tuple[Rational, int] | None = None
        sure = frozenset(number for number, value in self.fixed.items() if value)
        total = Total(self.system, terms, tops=Tops(self.system.ranges, self.fixed), sure=sure)
        joins = bool(self.system.top_bits) and followed.does("joins_low_bits")
        known = cuts(self.system, terms, self.fixed) if joins else {}
        kept = {row.word for row, _ in known.values()}
        without_tops(total, known, rows)
        most = max(MOST_TERMS[0], MOST_TERMS[1] * max(len(i.limbs) for i in self.inputs) ** 2)
        for row in total.backwards():
            bound = total.bound
            if limit is not None and bound < limit:
                return Bound(bound, scale, rows, {})
            if limit is None and not known and (least is None or bound < least[0]):
                least = bound, len(rows)
            if len(total) > most:
                break
            number = self.system.owners[row.word]
            if isinstance(row, Select):
                if row.word not in self.system.multipliers or not followed.does("pairs_choices"):
                    rows[number] = self.decide(row, total)
            elif number not in disabled and row.word not in kept:
                rows[number] = self._eliminate(row, total, followed)
                without_tops(total, known, rows)
        total.put_in_all(self.fixed)
        slopes: Slopes = {}
        bound, whole = total.bound, self._maximum(total.terms, slopes, followed)
        if least is not None and least[0] < min(bound, whole):
            first = dict(islice(rows.items(), least[1]))
            return Bound(least[0], scale, first, {})
        return Bound(min(bound, whole), scale, rows, {} if bound <= whole else slopes)

    def decide(self, row: Select, total: Total) -> Polynomial:
        """Replace a choice by the side that its flag's value takes; the multiple of the row."""
        if row.flag not in self.fixed:
            return {}
        side = row.when_set if self.fixed[row.flag] else row.otherwise
        return total.substitute(row.word, side)

    def right_of(self, row: Equation) -> Polynomial:
        """The right side less a carry whose value is known."""
        right = dict(row.right)
        if row.carry in self.fixed:
            add_to(right, {ONE: -row.factor * self.fixed[row.carry]})
        return right

    def _eliminate(self, row: Equation, total: Total, followed: Followed) -> Polynomial:
        """The multiple of the row that was taken away."""
        total.put_in(row.word, self.fixed)
        if row.carry is None or row.carry in self.fixed:
            if row.carry is not None:
                total.put_in(row.carry, self.fixed)
            if row.word in self.system.multipliers and followed.does("keeps_factors"):
                return {}
            return total.substitute(row.word, self.right_of(row))
        words, carries = total.quotient(row.word), total.quotient(row.carry, row.word)
        multiple: Polynomial = {}
        multiplies = row.word in self.system.multipliers
        never_carries = self.system.ranges[row.carry] == (0, 0)
        for rest in words.keys() | carries.keys():
            word, carry = words.get(rest, 0), carries.get(rest, 0)
            factor = share(row, word, carry, followed, multiplies)
            if never_carries and factor != word and followed.does("ignores_zero_carries"):
                factor = word
            if factor:
                multiple[rest] = factor
        if multiple:
            for number, factor in ((row.word, -1), (row.carry, -row.factor)):
                total.add(times(multiple, number), factor)
            total.add_product(multiple, row.right)
        if (same := self.system.same.get(row.word)) is not None:
            total.add(times(total.split(row.word), same))
        return multiple

    def _maximum(self, target: Polynomial, slopes: Slopes, followed: Followed) -> Rational:
        return Maxima(self.system, self.inputs).most(target, slopes, followed)
