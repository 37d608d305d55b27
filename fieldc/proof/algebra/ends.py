"""Carries at the ends of sums and differences, which are 0 where the number has no more words.

Bounds show it of the oldest first: that p - y does not borrow shows that p - y + x does not carry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Equation, System
from fieldc.proof.algebra.strategies import FIRST
from fieldc.proof.algebra.wraps import Equality, factors_of, shown, write


def equate_ends(case: Case, words: Iterable[int]) -> tuple[Equality, ...]:
    """Find carries that are 0 and end the sums that made the words, and write that down."""
    system, found = case.system, []
    briefly = replace(case, strategies=FIRST)
    for carry in _ends(system, words):
        equality = shown(briefly, carry, {}, factors_of(system, carry))
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def _ends(system: System, words: Iterable[int]) -> list[int]:
    """The carries, oldest first, that nothing reads of sums that words were made by."""
    waiting, rows = [*words], dict[int, Equation]()
    while waiting:
        number = system.owners[waiting.pop()]
        row = system.rows[number]
        if number >= 0 and number not in rows and isinstance(row, Equation) and row.kind != "mul":
            rows[number] = row
            waiting += [v for m in row.right for v in m]
    read = system.read() if rows else set()
    carries = (rows[number].carry for number in sorted(rows))
    return [carry for carry in carries if carry is not None and carry not in read]
