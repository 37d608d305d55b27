"""The AArch64 pass that reads a carry again instead of comparing a word that is the carry."""

from __future__ import annotations

from primes import cases, named_field

from fieldc.algorithms import choose
from fieldc.targets.aarch64.borrows import without_borrows_of_carries
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.operations import MASK, SUB


def test_borrows_of_carries_become_carries() -> None:
    """Karatsuba's sums of halves have one carry each, and each chooses a number."""
    f = named_field("bn254-p")
    expression = choose(f, "mul", "karatsuba")
    before = lower(expression)
    after = without_borrows_of_carries(before)
    assert before.count(SUB.name) - after.count(SUB.name) == 2
    assert after.count(MASK.name) >= before.count(MASK.name)
    for values in cases(expression.kernel, f, 20):
        assert interpret(after, *values) == interpret(before, *values)


def test_other_programs_stay_as_they_are() -> None:
    for operation in ("mul", "square", "add", "sub"):
        program = lower(choose(named_field("bn254-p"), operation))
        assert without_borrows_of_carries(program) == program
