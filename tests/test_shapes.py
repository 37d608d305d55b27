"""Shapes of primes: named ones and random ones nobody chose, on integers, in words, and proved."""

from __future__ import annotations

import random

import pytest
from contracts import contract_named
from primes import cases, expected, is_probable_prime
from well_formed import assert_no_dead_carry, assert_no_waste, assert_well_formed

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

ON_X86_64 = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
PLAIN = ("mul_plain", "square_plain", "reduce", "sum_of_products_plain")
NEAR_A_POWER = (
    *("2^255-19", "2^256-2^32-977", "2^127-1", "2^61-1", "2^521-1"),
    *("2^511-187", "2^414-17", "2^251-9"),
)


def near_a_power(seed: int) -> Field:
    """p = 2^k - c for a random k of 2 to 9 limbs and a random c of up to 63 bits."""
    rng = random.Random(f"2^k - c {seed}")
    while True:
        k, size = rng.randrange(126, 577), rng.randrange(1, 64)
        c = rng.getrandbits(size) | 1
        if is_probable_prime(2**k - c):
            return Field(2**k - c)


def check_words(expression: Expression) -> None:
    """The text on integers and in words gives what the operation means."""
    program, k, f = lower(expression), expression.kernel, expression.field
    assert_well_formed(program)
    assert_no_waste(program)
    assert_no_dead_carry(program)
    for values in cases(k, f, 6):
        want = expected(k.operation, f, *values)
        assert interpret(program, *values, check_bounds=True) == k.run(f, *values) == want


def check_proof(expression: Expression, variant: str) -> None:
    """The bytes are proved."""
    code = compile_expression(expression, "k", VARIANTS[variant])
    function = function_of(assemble(code.text(GNU)), "k")
    contract = contract_named(expression.kernel.operation, expression.field.p, expression.field.n)
    prove(function.code, contract, start=function.start)


def check_all(f: Field, operations: tuple[str, ...], algorithm: str) -> None:
    """Operations by an algorithm: words, and the bytes of every variant."""
    for operation in operations:
        expression = choose(f, operation, algorithm)
        check_words(expression)
        for variant in VARIANTS:
            check_proof(expression, variant)


SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 60))]
"""Of primes nobody chose."""


@ON_X86_64
@pytest.mark.parametrize("text", NEAR_A_POWER)
def test_named_primes_near_a_power_of_two(text: str) -> None:
    check_all(find_field(text), PLAIN, "pseudo-mersenne")


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_primes_near_a_power_of_two(seed: int) -> None:
    check_all(near_a_power(seed), PLAIN, "pseudo-mersenne")
