"""Doubling by (p + 1)/2: named primes and random ones, in words, and proved from bytes."""

from __future__ import annotations

import random

import pytest
from primes import is_probable_prime
from test_shapes import ON_X86_64, check_proof, check_words

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.targets.registry import find_target
from fieldc.targets.x86_64.choices import VARIANTS

NAMED = ("p256", "2^448-2^224-1", "p521", "1729*2^505-1", "2^127-1")
SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(6, 60))]


def with_zeros(seed: int) -> Field:
    """p = a*2^k - 1 of 2 to 7 limbs, k above a limb: the lowest limb of (p + 1)/2 is 0."""
    rng = random.Random(f"a*2^k - 1 {seed}")
    while True:
        bits = rng.randrange(70, 449)
        k = rng.randrange(65, bits - 3)
        p = ((1 << bits - k - 1 | rng.getrandbits(bits - k)) << k) - 1
        if is_probable_prime(p):
            return Field(p)


@pytest.mark.parametrize("name", NAMED)
def test_named_primes_are_doubled_by_half(name: str) -> None:
    check_words(choose(find_field(name), "double", "half"))


@ON_X86_64
@pytest.mark.parametrize("name", NAMED[:4])
def test_of_named_primes_it_is_proved(name: str) -> None:
    for variant in VARIANTS:
        check_proof(choose(find_field(name), "double", "half"), variant)


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_primes_are_doubled_by_half(seed: int) -> None:
    expression = choose(with_zeros(seed), "double", "half")
    check_words(expression)
    check_proof(expression, tuple(VARIANTS)[seed % len(VARIANTS)])


@pytest.mark.parametrize("name", ["p256", "2^448-2^224-1", "1729*2^505-1"])
def test_it_is_chosen_where_it_is_the_shortest(name: str) -> None:
    made = preferred(
        find_field(name), "double", find_target("x86_64-linux"), processor="sapphire-rapids"
    )
    assert made.expression.kernel.algorithm == "half"


def test_other_primes_say_why_not() -> None:
    with pytest.raises(DoesNotApply, match=r"half needs .* has a lowest limb of 0, not 0x9e10"):
        choose(find_field("bn254-p"), "double", "half")
