"""Products modulo primes of one limb as differences of high limbs: by shifts, or by a product."""

from __future__ import annotations

import random
from itertools import product

import pytest
from contracts import contract_named
from primes import is_probable_prime
from sampling import sampled_rows
from test_shapes import ON_X86_64, check_all, check_words

from fieldc.algorithms import choose
from fieldc.algorithms.one_limb import ONE_LIMB
from fieldc.algorithms.shapes import shifted_quotient
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.prove import prove
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

SHIFTED = (2**64 - 2**32 + 1, 2**64 - 2**34 + 1, 2**64 - 2**40 + 1)
"""Every prime of that shape in a limb of 64 bits."""
BY_SHIFTS = tuple(k.operation for k in ONE_LIMB if k.algorithm == "shifted-quotient")
BY_PRODUCTS = tuple(k.operation for k in ONE_LIMB if k.algorithm == "high-limbs")
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(4, 60))]


def of_one_limb(seed: int) -> Field:
    """A random prime of 2 to 64 bits, every other one of 64."""
    rng = random.Random(f"one limb {seed}")
    bits = 64 if seed % 2 else rng.randrange(2, 65)
    while not is_probable_prime(p := rng.getrandbits(bits) | 1 << bits - 1 | 1):
        continue
    return Field(p)


def test_the_shape_is_found_from_the_number() -> None:
    found = [k for k in range(1, 64) if is_probable_prime(2**64 - 2**k + 1)]
    shaped = [k for k in found if shifted_quotient(Field(2**64 - 2**k + 1)).applies]
    assert shaped == [k for k in found if k >= 32] == [32, 34, 40]
    assert shifted_quotient(Field(2**32 - 2**20 + 1, 32)).applies
    assert not shifted_quotient(Field(2**32 - 2**20 + 1, 64)).applies
    assert shifted_quotient(find_field("goldilocks")).reason.startswith("2^64 - 2^32 + 1: p = ")


@pytest.mark.parametrize("operation", BY_SHIFTS)
def test_other_primes_are_refused(operation: str) -> None:
    for p in (2**64 - 59, 2**61 - 1, 2**31 - 2**27 + 1):
        with pytest.raises(
            DoesNotApply, match=r"shifted-quotient needs p = 2\^w - 2\^k \+ 1, one limb"
        ):
            choose(Field(p), operation, "shifted-quotient")


@pytest.mark.parametrize("algorithm", ["shifted-quotient", "high-limbs"])
def test_primes_of_more_limbs_are_refused(algorithm: str) -> None:
    with pytest.raises(DoesNotApply, match="of one limb"):
        choose(find_field("p256"), "mul", algorithm)


@pytest.mark.parametrize(
    ("p", "algorithm"), [(p, a) for p in (241, 193) for a in ("shifted-quotient", "high-limbs")]
)
def test_every_product_in_words_of_eight_bits(p: int, algorithm: str) -> None:
    f = Field(p, 8)
    inverse = pow(256, -1, p)
    kernel = choose(f, "mul", algorithm).kernel
    for x, y in product(range(p), repeat=2):
        assert kernel.run(f, x, y) == x * y * inverse % p
    for operation in (k.operation for k in ONE_LIMB if k.algorithm == algorithm):
        check_words(choose(f, operation, algorithm))


@ON_X86_64
@pytest.mark.parametrize("p", SHIFTED)
def test_primes_whose_quotients_are_shifts(p: int) -> None:
    check_all(Field(p), BY_SHIFTS, "shifted-quotient")


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_primes_of_one_limb(seed: int) -> None:
    check_all(of_one_limb(seed), BY_PRODUCTS, "high-limbs")


PRIMES_OF = {"shifted-quotient": SHIFTED, "high-limbs": (2**64 - 59, 2**61 - 1, *SHIFTED[:1])}
ON_AARCH64 = [(k.operation, k.algorithm, p) for k in ONE_LIMB for p in PRIMES_OF[k.algorithm]]


def is_quick(operation: str, algorithm: str, p: int) -> bool:
    """Products modulo every prime, everything else modulo the first."""
    return operation == "mul" or p == PRIMES_OF[algorithm][0]


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("operation", "algorithm", "p"),
    sampled_rows(
        [of for of in ON_AARCH64 if is_quick(*of)], [of for of in ON_AARCH64 if not is_quick(*of)]
    ),
)
def test_aarch64_is_proved_too(operation: str, algorithm: str, p: int) -> None:
    target = TARGETS["aarch64-linux"]
    judge = target.judge
    assert judge is not None
    decision = preferred(Field(p), operation, target, "apple-m1", algorithm)
    code = judge.code(decision.preferred)
    contract = contract_named(operation, p, 1)
    prove(code, contract, "aapcs64", architecture="aarch64")


@ON_X86_64
@pytest.mark.parametrize("p", [*SHIFTED, 2**64 - 59, 2**63 + 29])
def test_sums_of_full_limbs(p: int) -> None:
    check_all(Field(p), ("add", "double"), "difference")
    check_all(Field(p), ("sub",), "select")


def test_every_sum_in_words_of_four_and_five_bits() -> None:
    for p, word in ((11, 4), (13, 4), (17, 5), (29, 5), (31, 5)):
        f = Field(p, word)
        texts = [choose(f, *of) for of in (("add", "difference"), ("sub", "select"))]
        for (x, y), text in product(product(range(p), repeat=2), texts):
            want = (x + y if text.kernel.operation == "add" else x - y) % p
            assert interpret(lower(text), x, y, check_bounds=True) == want
        twice = choose(f, "double", "difference")
        assert all(interpret(lower(twice), x, check_bounds=True) == 2 * x % p for x in range(p))


def test_sums_of_other_primes_are_refused() -> None:
    for text, why in (("babybear", "a spare bit"), ("p256", "4 limbs")):
        with pytest.raises(DoesNotApply, match=f"difference needs p of one limb .*: {why}"):
            choose(find_field(text), "add", "difference")


@ON_X86_64
@pytest.mark.parametrize("algorithm", ["shifted-quotient", "high-limbs"])
def test_a_wrong_instruction_is_refused(algorithm: str) -> None:
    """Each instruction left out, each count of a shift changed, each carry not taken."""
    f = find_field("goldilocks")
    expression = choose(f, "mul", algorithm)
    lines = compile_expression(expression, "k", VARIANTS["base"]).text(GNU).splitlines()
    mutants = []
    for i, line in enumerate(lines):
        if not line.startswith("    ") or line.split()[0] == "ret" or line.split()[0][0] == ".":
            continue
        mutants.append([*lines[:i], *lines[i + 1 :]])
        for old, new in (("$32", "$31"), ("$32", "$33"), ("adc", "add"), ("sub ", "sbb ")):
            if old in line:
                mutants.append([*lines[:i], line.replace(old, new), *lines[i + 1 :]])
    assert len(mutants) > 12
    contract = contract_named("mul", f.p, 1)
    for mutant in mutants:
        function = function_of(assemble("\n".join([*mutant, ""])), "k")
        with pytest.raises(ProofError):
            prove(function.code, contract, start=function.start, runs=0)


def test_the_model_takes_shifts_for_goldilocks() -> None:
    """Of other primes the model takes the product with p."""
    x86, key = TARGETS["x86_64-linux"], "sapphire-rapids"
    for operation in ("mul", "square"):
        decision = preferred(find_field("goldilocks"), operation, x86, key)
        assert decision.expression.kernel.algorithm == "shifted-quotient"
    other = preferred(Field(2**64 - 59), "mul", x86, key)
    assert other.expression.kernel.algorithm == "high-limbs"
