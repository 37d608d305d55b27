"""Carries that masks are made of: the borrow of 0 - c is the carry c.

A case knows the flag of a mask. Bounds of what the mask keeps need the carry too.
"""

from __future__ import annotations

from collections.abc import Iterator

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    Select,
    System,
    split,
    variable,
)
from fieldc.proof.algebra.facts import Bound, Fact
from fieldc.proof.algebra.hints import holds
from fieldc.proof.algebra.wraps import Equality, factors_of, shown, write


def fix_masked(case: Case) -> bool:
    """Fix the carries whose masks have known flags; whether there are any."""
    found = False
    for number, row, flag in _masked(case.system):
        value = case.fixed.get(flag)
        if (
            value is None
            or number in case.fixed
            or (fact := _fact(case, number, value, row)) is None
        ):
            continue
        case.facts[number], case.fixed[number] = fact, value
        found = True
    return found


def equate_masked(case: Case) -> tuple[Equality, ...]:
    """The flags of masks that were opened, as the numbers that they are made of."""
    system, found = case.system, []
    flags = {row.flag for row in system.rows if isinstance(row, Select)}
    for number, row, flag in [*_masked(system)]:
        if row.carry != flag or flag in flags:
            continue
        equality = shown(case, flag, variable(number), _factors_in(system, flag))
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def _factors_in(system: System, flag: int) -> dict[int, Polynomial]:
    """A flag's factor on the left side of each row, by itself or times other variables."""
    factors = factors_of(system, flag)
    for row in system.rows:
        if isinstance(row, Equation) and row.carry != flag:
            right = dict(row.right)
            if multiple := split(right, flag):
                factors[row.number] = {m: -c for m, c in multiple.items()}
    return factors


def _masked(system: System) -> Iterator[tuple[int, Equation, int]]:
    """Numbers of 0 or 1, the row that says that each is a flag, and the flag.

    The row is that of 0 less the number, or that of a sum that is the number and nothing else.
    """
    for row in system.rows:
        if not isinstance(row, Equation) or row.kind != "sub" or row.carry is None:
            continue
        number, says = _only_variable(row, -1), row
        while number is not None and system.ranges[number] == (0, 1):
            yield number, says, row.carry
            made = system.defining(number)
            if not isinstance(made, Equation) or made.word != number:
                break
            number, says = _only_variable(made, 1), made


def _only_variable(row: Equation, factor: int) -> int | None:
    """The variable that is all of a row's right side, times the factor."""
    if len(row.right) != 1:
        return None
    ((monomial, found),) = row.right.items()
    return monomial[0] if len(monomial) == 1 and found == factor else None


def _fact(case: Case, number: int, value: int, row: Equation) -> Fact | None:
    """That the number has the value: at most 0 or at least 1, by the row alone."""
    sign = -1 if value else 1
    for factor in (1, -1):
        bound = Bound(-value, 1, {row.number: {ONE: factor}}, {})
        if holds(case, bound, {(number,): sign}, -value):
            return Fact(value, bound)
    return None
