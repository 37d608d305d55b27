"""Sums that are joined: the same program with fewer steps, where no carry is lost."""

from __future__ import annotations

import pytest

from fieldc.words.build import Builder
from fieldc.words.interpret import interpret
from fieldc.words.program import Program, Value
from fieldc.words.sums import joined_sums

TOP = (1 << 64) - 1


def program(high: int, between: bool = False) -> Program:
    """x0 + (x1 + 0 + carry of x2 + x3), with its carry; x1 is at most `high`."""
    build = Builder(64)
    x = [build.load("x", i, high if i == 1 else TOP) for i in range(4)]
    low, carry = build.add(x[2], x[3], build.no_carry)
    middle, _ = build.add(x[1], build.constant(0), carry)
    extra: list[Value] = []
    if between:
        word, flag = build.add(x[0], x[3], build.no_carry)
        extra = [word, build.mask(flag)]
    total, out = build.add(x[0], middle, build.no_carry)
    results = (total, build.mask(out), low, *extra)
    return Program("k", 64, (("x", 4),), tuple(build.steps), results)


@pytest.mark.parametrize("limbs", [(TOP, TOP, TOP, 1), (TOP, TOP - 1, TOP, 1), (5, 7, 1, 1)])
@pytest.mark.parametrize("high", [TOP, TOP - 1])
def test_the_result_stays(high: int, limbs: tuple[int, ...]) -> None:
    """Of a word that may be all ones, the sum with a carry may be 2^64: both sums are kept."""
    limbs = limbs[0], min(limbs[1], high), *limbs[2:]
    x = sum(limb << 64 * i for i, limb in enumerate(limbs))
    made = program(high)
    assert interpret(joined_sums(made), x) == interpret(made, x)
    assert len(made.steps) - len(joined_sums(made).steps) == (high < TOP)


def test_a_flag_between_keeps_both() -> None:
    """The first carry would have to wait while the other is made."""
    made = program(TOP - 1, between=True)
    assert joined_sums(made) == made


def test_a_sum_stays_before_the_product_that_reads_it() -> None:
    build = Builder(64)
    x = [build.load("x", i, TOP - 1) for i in range(3)]
    low, carry = build.add(x[0], x[1], build.no_carry)
    middle, _ = build.add(x[2], build.constant(0), carry)
    product = build.mul(middle, x[0])
    made = Program("k", 64, (("x", 3),), tuple(build.steps), (low, *product))
    assert joined_sums(made) == made
