"""All inputs, all odd primes, at 2-, 3- and 4-bit words with 1 to 3 limbs.

Bounds are checked on every value of every input. Up to 2 limbs the interpreter runs every program
itself; of 3 limbs native code runs the same steps (test_sweep.py has its own tests).
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from primes import CARRY_STYLES, small_primes, style_id
from sampling import sampled
from sweep.sweep import sweep, sweep_by_interpreter

from fieldc.algorithms import STUDIED
from fieldc.words.rows import RowChoice, RowStyle


def primes_of(word: int, limbs: int) -> list[int]:
    """Every odd prime that needs so many limbs."""
    return small_primes(1 << word * (limbs - 1), 1 << word * limbs)


def test_the_primes_are_all_there() -> None:
    assert primes_of(2, 1) == [3]
    assert primes_of(2, 2) == [5, 7, 11, 13]
    assert primes_of(4, 1) == [3, 5, 7, 11, 13]
    assert len(primes_of(2, 3)) == 12
    assert [len(primes_of(3, n)) for n in (1, 2, 3)] == [3, 14, 79]
    assert [len(primes_of(4, n)) for n in (1, 2, 3)] == [5, 48, 510]


@pytest.mark.sweep(10)
@pytest.mark.parametrize("rows", CARRY_STYLES, ids=style_id)
@pytest.mark.parametrize(
    ("word", "limbs"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2)]
)
def test_every_prime_and_input(word: int, limbs: int, rows: RowChoice) -> None:
    for p in primes_of(word, limbs):
        assert sweep_by_interpreter(p, word, (rows,)) > p * p


def two_styles(i: int) -> tuple[RowChoice, ...]:
    """The default style and one of the others, in turn."""
    others = [rows for rows in CARRY_STYLES if rows.style is not RowStyle.TWO_SUMS]
    return RowChoice(RowStyle.TWO_SUMS), others[i % len(others)]


@pytest.mark.parametrize("part", sampled([0], [1, 2, 3]))
def test_every_style_of_three_3_bit_limbs(part: int) -> None:
    for p in primes_of(3, 3)[part::4]:
        assert sweep(p, 3, CARRY_STYLES) > p * p


def some_primes(primes: list[int]) -> list[int]:
    """Of each length in bits the smallest and the largest, and one in sixteen of all."""
    ends = [a for a, b in pairwise(primes) if a.bit_length() < b.bit_length()]
    starts = [b for a, b in pairwise(primes) if a.bit_length() < b.bit_length()]
    return sorted({primes[0], primes[-1], *ends, *starts, *primes[8::16]})


@pytest.mark.parametrize("part", sampled([0, 1], [2, 3]))
def test_every_input_of_some_primes_of_three_4_bit_limbs(part: int) -> None:
    for i, p in list(enumerate(some_primes(primes_of(4, 3))))[part::4]:
        assert sweep(p, 4, two_styles(i)) > p * p


@pytest.mark.full
@pytest.mark.parametrize("part", range(32))
def test_every_prime_and_input_of_three_4_bit_limbs(part: int) -> None:
    for i, p in list(enumerate(primes_of(4, 3)))[part::32]:
        assert sweep(p, 4, two_styles(i)) > p * p


@pytest.mark.full
@pytest.mark.parametrize("part", range(64))
def test_every_style_of_three_4_bit_limbs(part: int) -> None:
    for p in primes_of(4, 3)[part::64]:
        assert sweep(p, 4, CARRY_STYLES) > p * p


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_three_3_bit_limbs_by_the_interpreter(part: int) -> None:
    for i, p in list(enumerate(primes_of(3, 3)))[part::8]:
        assert sweep_by_interpreter(p, 3, two_styles(i)) > p * p


@pytest.mark.full
@pytest.mark.parametrize("p", [257, 2039, 2053, 4093])
def test_three_4_bit_limbs_by_the_interpreter(p: int) -> None:
    """The smallest prime and the largest, without and with a spare bit."""
    assert sweep_by_interpreter(p, 4, (RowChoice(),)) > p * p


@pytest.mark.parametrize(
    ("word", "limbs", "styles"),
    [(2, 1, 6), (2, 2, 6), (2, 3, 2), (3, 1, 6), (3, 2, 1), (4, 1, 6)],
)
def test_studied_algorithms_on_every_input(word: int, limbs: int, styles: int) -> None:
    for p in primes_of(word, limbs):
        sweep(p, word, CARRY_STYLES[:styles], STUDIED)


@pytest.mark.full
@pytest.mark.parametrize(("word", "limbs"), [(2, 3), (3, 2), (3, 3), (4, 2)])
def test_studied_algorithms_on_more_inputs(word: int, limbs: int) -> None:
    for p in primes_of(word, limbs):
        sweep(p, word, CARRY_STYLES, STUDIED)


@pytest.mark.full
@pytest.mark.parametrize("part", range(64))
def test_studied_algorithms_of_three_4_bit_limbs(part: int) -> None:
    for i, p in list(enumerate(primes_of(4, 3)))[part::64]:
        sweep(p, 4, two_styles(i), STUDIED)


@pytest.mark.full
@pytest.mark.parametrize(("word", "limbs"), [(2, 2), (2, 3), (3, 1), (3, 2), (4, 1)])
def test_studied_algorithms_by_the_interpreter(word: int, limbs: int) -> None:
    for p in primes_of(word, limbs):
        sweep_by_interpreter(p, word, CARRY_STYLES, STUDIED)
