"""Cases that cannot be: which flags show it, so that other cases with these are not asked."""

from __future__ import annotations

from fieldc.proof import cases
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.comparisons import comparison_of
from fieldc.proof.algebra.equations import Equation, System, variable
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.exclusions import impossible


def borrow(system: System, word: int, less: int) -> int:
    """The borrow of word - less."""
    row = len(system.rows)
    result = system.new(f"word {row}", system.radix - 1, row)
    flag = system.new(f"borrow {row}", 1, row)
    right = {**variable(word), (): -less}
    system.rows.append(Equation(row, result, flag, -system.radix, right, "sub", f"row {row}"))
    return flag


def made() -> tuple[Case, dict[int, int], tuple[int, int, int]]:
    """A case, flags that contradict each other, and the flags of x < 10, y < 5 and x < 20."""
    system = System(64)
    x, y = system.new("x", system.radix - 1), system.new("y", system.radix - 1)
    inputs = (Input("x", (x,), system.radix - 1), Input("y", (y,), system.radix - 1))
    below_10, of_y, below_20 = borrow(system, x, 10), borrow(system, y, 5), borrow(system, x, 20)
    flags = {below_10: 1, of_y: 0, below_20: 0}
    comparisons = tuple(c for flag in flags if (c := comparison_of(system, flag)))
    return Case(system, inputs, comparisons=comparisons), flags, (below_10, of_y, below_20)


def test_an_excluded_case_names_no_flag_that_does_not_matter() -> None:
    case, flags, (below_10, _, below_20) = made()
    found = impossible(case, flags, reversed(flags), STRATEGIES)
    assert found is not None and dict(found.flags) == {below_10: 1, below_20: 0}
    assert impossible(case, {**flags, below_20: 1}, reversed(flags), STRATEGIES) is None


def test_what_a_proof_excludes_is_not_asked_again() -> None:
    case, flags, (below_10, _, below_20) = made()
    found = impossible(case, flags, reversed(flags), STRATEGIES)
    assert found is not None
    every = [dict(each.fixed) for each in cases._split(case, [*flags], [])]
    left = [dict(each.fixed) for each in cases._split(case, [*flags], [found])]
    assert len(every) == 8
    assert left == [e for e in every if (e[below_10], e[below_20]) != (1, 0)]
