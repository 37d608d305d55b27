"""Sums in a formula that are 0, or one of its inputs, because all else in them cancels.

The planner adds up products of equal factors alone: of -b*a + b*a it sees two, and has both
computed. As a polynomial in the inputs the sum is 0. So no code computes it, nor what it alone
needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fieldc.formulas.element import Step
from fieldc.formulas.formula import Formula

MOST_TERMS = 64
"""Terms up to which a product is multiplied out. The value of a longer one is an unknown."""
LONGEST = 1024
"""Terms of a sum that is more than an unknown."""
MOST_DEGREE = 16
MOST_BITS = 8192
"""Of coefficients."""
Expansion = dict[tuple[int, ...], int]
"""The coefficient of each product of inputs and unknowns; none is 0."""
ZERO = Step("constant", ())


def without_cancelled(formula: Formula) -> Formula:
    """The formula with 0, or an input, for each sum that is that. Values keep their numbers."""
    known: list[Expansion] = [{(number,): 1} for number in range(formula.inputs)]
    of = list(range(formula.inputs))
    steps = []
    for number, step in enumerate(formula.steps, formula.inputs):
        terms = [known[i] for i in step.args]
        found = _short(_polynomial(step, terms, number), number)
        cancels = step.kind in ("add", "sub") and len(found) < sum(map(len, terms))
        steps.append(ZERO if cancels and not found else _taking(step, of))
        known.append(found)
        of.append(_input(found, formula.inputs, number) if cancels else number)
    return replace(formula, steps=tuple(steps), results=tuple(of[i] for i in formula.results))


def _taking(step: Step, of: Sequence[int]) -> Step:
    """A step that takes what its values are."""
    args = [of[i] for i in step.args]
    return replace(step, args=tuple(sorted(args) if step.kind in ("add", "mul") else args))


def _input(found: Expansion, inputs: int, number: int) -> int:
    """The input that a polynomial is, if it is one; else the number of its value."""
    for monomial, c in found.items():
        if len(found) == c == len(monomial) == 1 and monomial[0] < inputs:
            return monomial[0]
    return number


def _polynomial(step: Step, args: Sequence[Expansion], number: int) -> Expansion:
    """What a step gives; an unknown where that is no polynomial, or a long one."""
    if step.kind == "constant":
        return _total([((), step.number)])
    if step.kind == "scale":
        return _total((monomial, c * step.number) for monomial, c in args[0].items())
    if step.kind in ("add", "sub"):
        a, b = args
        sign = 1 if step.kind == "add" else -1
        return _total([*a.items(), *((monomial, sign * c) for monomial, c in b.items())])
    if step.kind == "mul" and len(args[0]) * len(args[1]) <= MOST_TERMS:
        a, b = args
        return _total(((*sorted(x + y),), c * d) for x, c in a.items() for y, d in b.items())
    return {(number,): 1}


def _short(found: Expansion, number: int) -> Expansion:
    """A polynomial, or an unknown where that takes too long to reckon with."""
    is_short = len(found) <= LONGEST and all(
        len(monomial) <= MOST_DEGREE and c.bit_length() <= MOST_BITS
        for monomial, c in found.items()
    )
    return found if is_short else {(number,): 1}


def _total(terms: Iterable[tuple[tuple[int, ...], int]]) -> Expansion:
    total: Expansion = {}
    for monomial, c in terms:
        total[monomial] = total.get(monomial, 0) + c
    return {monomial: c for monomial, c in total.items() if c}
