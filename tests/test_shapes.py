"""Shapes of primes: named ones and random ones nobody chose, on integers, in words, and proved."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from itertools import cycle, product
from typing import Any

import pytest
from contracts import contract_named
from primes import cases, expected, is_probable_prime
from sampling import sampled, sampled_rows
from well_formed import assert_no_dead_carry, assert_no_waste, assert_well_formed

from fieldc.algorithms import choose, offered_for, representations
from fieldc.algorithms.representations import MONTGOMERY, representation_of
from fieldc.algorithms.representations import PLAIN as PLAIN_RESIDUES
from fieldc.algorithms.shapes import few_powers, shapes, signed_row
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import BoundError, DoesNotApply, Expression
from fieldc.machine.assemble import assemble, host_triple
from fieldc.operations import OPERATIONS
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower, reads_a_carry_twice

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


def with_a_large_top(seed: int) -> Field:
    """p = 2^k - c for a random k of 2 to 8 limbs, a few bits below a whole limb."""
    rng = random.Random(f"large top {seed}")
    while True:
        spare = rng.randrange(25)
        k, size = 64 * rng.randrange(2, 9) - spare, rng.randrange(1, 61 - 2 * spare)
        c = rng.getrandbits(size) | 1
        if is_probable_prime(2**k - c):
            return Field(2**k - c)


FEW_POWERS = (
    *("2^255-19", "p256", "p384", "2^224-2^96+1", "2^448-2^224-1", "2^256-2^224-2^96+2^64-1"),
    *("2^251+17*2^192+1", "2^521-1", "secp256k1-p"),
)
"""Among them SM2's prime and Starknet's."""


def of_few_powers(seed: int) -> Field:
    """A random p = 2^k +- 2^a +- 2^b +- 1 of 2 to 7 limbs that signed limbs suit."""
    rng = random.Random(f"2^k +- 2^a +- 2^b +- 1 {seed}")
    while True:
        step = rng.choice((1, 8, 32))
        a, b, k = sorted(rng.sample(range(step, 449, step), 3))
        p = 2**k + sum(rng.choice((-1, 1)) << power for power in (0, a, b))
        if k > 96 and is_probable_prime(p) and suits_signed_limbs(Field(p)):
            return Field(p)


def suits_signed_limbs(f: Field) -> bool:
    try:
        choose(f, "mul", "signed-limbs")
    except DoesNotApply:
        return False
    return True


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


def check_all(
    f: Field, operations: tuple[str, ...], algorithm: str, variants: Iterable[str] = VARIANTS
) -> None:
    """Operations by an algorithm: words, and the bytes of variants."""
    for operation in operations:
        expression = choose(f, operation, algorithm)
        check_words(expression)
        for variant in variants:
            check_proof(expression, variant)


def in_a_variant(texts: Sequence[str], some: Sequence[str] = ()) -> list[Any]:
    """Each prime, or each of some, with one of the variants in turn; the full sweep has all."""
    kept = list(zip(some or texts, cycle(VARIANTS), strict=False))
    return sampled_rows(kept, [one for one in product(texts, VARIANTS) if one not in kept])


@pytest.mark.parametrize(
    ("text", "has", "says"),
    [
        ("2^255-19", {"near-power", "few-powers", "signed-limbs"}, "2^255 - 19: p = 2^k - c"),
        ("p256", {"few-powers", "signed-limbs", "simple-quotient"}, "2^256 - p has 224 bits"),
        ("p384", {"few-powers", "signed-limbs"}, "2^384 - p has 129 bits"),
        ("goldilocks", {"near-power", "few-powers", "shifted-quotient"}, "2^64 - 4294967295"),
        ("bls12-377-p", set(), "more than a limb"),
        ("bn254-p", set(), "more than a limb"),
    ],
)
def test_shapes_are_found_from_the_number(text: str, has: set[str], says: str) -> None:
    found = shapes(find_field(text))
    assert {shape.name for shape in found if shape.applies} == has
    assert says in found[0].reason
    assert all("\n" not in shape.reason for shape in found)


def test_one_product_is_no_products() -> None:
    reasons = [shape.reason for shape in shapes(find_field("2^127-1"))]
    assert any("takes 1 product with signed limbs, 2 without" in reason for reason in reasons)


def test_powers_of_two_are_written_as_one_writes_them() -> None:
    assert few_powers(find_field("p256")).reason.startswith("2^256 - 2^224 + 2^192 + 2^96 - 1:")


@pytest.mark.parametrize("seed", range(8))
def test_signed_rows_make_the_prime(seed: int) -> None:
    f = of_few_powers(seed)
    r, a, b = signed_row(f)
    assert (a - b) << 64 * r == f.p + r
    assert all(not x or not y for x, y in zip(f.limbs(a, f.n), f.limbs(b, f.n), strict=True))


def test_plain_residues_are_offered_to_primes_of_that_shape() -> None:
    montgomery, plain = representations(find_field("secp256k1-p"))
    assert montgomery.applies and plain.applies
    assert set(plain.algorithms) == {"mul", "square", "sum_of_products", "reduce"}
    montgomery, plain = representations(find_field("p384"))
    assert montgomery.applies and not plain.applies
    assert "signed-limbs" in montgomery.algorithms["square"]
    assert plain.reason.startswith("pseudo-mersenne needs p = 2^k - c")


def test_an_operation_says_its_representation() -> None:
    assert representation_of(OPERATIONS["square_plain"]) is PLAIN_RESIDUES
    assert representation_of(OPERATIONS["mul_lazy"]) is MONTGOMERY
    assert representation_of(OPERATIONS["mul_by_3"]) is None


SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 60))]
"""Of primes nobody chose."""


@ON_X86_64
@pytest.mark.parametrize(("text", "variant"), in_a_variant(NEAR_A_POWER))
@pytest.mark.parametrize("algorithm", ["pseudo-mersenne", "next-multiple"])
def test_named_primes_near_a_power_of_two(text: str, variant: str, algorithm: str) -> None:
    check_all(find_field(text), PLAIN, algorithm, (variant,))


@ON_X86_64
@pytest.mark.parametrize("seed", sampled((1, 2), (0, *range(3, 60))))
@pytest.mark.parametrize("algorithm", ["pseudo-mersenne", "next-multiple"])
def test_random_primes_near_a_power_of_two(seed: int, algorithm: str) -> None:
    check_all(near_a_power(seed), PLAIN, algorithm)


TOP_FIRST = ("top-first", "top-first-next")
LARGE_TOP = ("2^255-19", "2^256-2^32-977", "2^127-1", "2^511-187", "2^251-9")
"""Primes 2^k - c whose top limb is large enough for a square of two limbs."""


@ON_X86_64
@pytest.mark.parametrize(("text", "variant"), in_a_variant(LARGE_TOP))
@pytest.mark.parametrize("algorithm", TOP_FIRST)
def test_named_primes_whose_top_limb_is_folded_first(
    text: str, variant: str, algorithm: str
) -> None:
    check_all(find_field(text), ("mul_plain", "square_plain"), algorithm, (variant,))


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("algorithm", TOP_FIRST)
def test_random_primes_whose_top_limb_is_folded_first(seed: int, algorithm: str) -> None:
    check_all(with_a_large_top(seed), ("mul_plain", "square_plain"), algorithm)


@pytest.mark.parametrize("text", ["p521", "2^61-1", "2^414-17", "p384"])
def test_a_small_top_limb_is_not_folded_first(text: str) -> None:
    for algorithm in TOP_FIRST:
        with pytest.raises(DoesNotApply, match="top-first needs"):
            choose(find_field(text), "mul_plain", algorithm)


@pytest.mark.parametrize("text", ["2^255-19", "2^256-2^32-977"])
def test_the_next_multiple_takes_one_selection(text: str) -> None:
    """Of the constant that is taken off; the carry at bit k is never made a word."""
    f = find_field(text)
    for algorithm in ("next-multiple", "top-first-next"):
        program = lower(choose(f, "mul_plain", algorithm))
        assert program.count("select") == 1
        assert program.count("sub") == f.n + (f.spare_bits > 0)


@ON_X86_64
@pytest.mark.parametrize(("text", "variant"), in_a_variant(FEW_POWERS))
def test_named_primes_of_few_powers_of_two(text: str, variant: str) -> None:
    check_all(find_field(text), ("mul", "square"), "signed-limbs", (variant,))


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_primes_of_few_powers_of_two(seed: int) -> None:
    check_all(of_few_powers(seed), ("mul", "square"), "signed-limbs")


def test_a_prime_of_few_powers_is_not_refused_for_its_powers() -> None:
    field = find_field("0x80100007")
    assert "few-powers" in {shape.name for shape in shapes(field) if shape.applies}
    with pytest.raises(DoesNotApply, match="signed-limbs saves too little modulo 0x80100007: a"):
        choose(field, "mul", "signed-limbs")


@ON_X86_64
def test_signed_limbs_without_a_carry_are_refused() -> None:
    """2^255 - 19 has one spare bit. Every fifth carry or borrow in turn is not taken in."""
    expression = choose(find_field("2^255-19"), "mul", "signed-limbs")
    contract = contract_named("mul", expression.field.p, expression.field.n)
    lines = compile_expression(expression, "k", VARIANTS["mulx"]).text(GNU).splitlines()
    taken = [i for i, line in enumerate(lines) if line.split()[:1] in (["adc"], ["sbb"])]
    assert len(taken) > 20
    for i in taken[::5]:
        without = lines[i].replace("adc", "add").replace("sbb", "sub")
        mutant = "\n".join([*lines[:i], without, *lines[i + 1 :], ""])
        function = function_of(assemble(mutant), "k")
        with pytest.raises(ProofError):
            prove(function.code, contract, start=function.start, runs=0)


@ON_X86_64
def test_a_row_may_begin_beside_a_carry_chain() -> None:
    """p = 2^416 + 2^352 - 2^320 + 1: a limb 1 begins a chain before the row's first product."""
    check_proof(choose(Field(2**416 + 2**352 - 2**320 + 1), "mul", "cios"), "adx")


REPEATED = 2**320 + 2**288 - 2**192 + 2**96 - 1
"""Two limbs of this prime stand in it twice: equal sums of a row are shared."""


@ON_X86_64
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_flag_is_read_by_one_sum(variant: str) -> None:
    """A carry that two sums read was destroyed by the first of them: nothing was built."""
    f = Field(REPEATED)
    for operation, algorithm in (("mul", "cios"), ("mul", "log-jump"), ("square", "cios")):
        expression = choose(f, operation, algorithm)
        if variant == "adx" and operation == "mul":
            assert reads_a_carry_twice(lower(expression, VARIANTS[variant].rows))
        check_proof(expression, variant)
    compile_expression(choose(f, "mul_plain", "barrett"), "k", VARIANTS[variant])


SPARSE = (
    *("2^192+2^96+2^64-2^32-1", "1974854247*2^96+1", "2^190-2^103+2^98+1", "p384"),
    *("2^192+2^128-2^96-2^64+1", "18244405400405389687*2^200+1", "2^448-2^224-1"),
    *("2^384+2^288+2^256+1", "1729*2^505-1", "0x12440ad866c511d7d2de1a1d057a2e215"),
)
"""Primes whose limbs are words of their own products, or whose top limb is 1."""


def near_a_multiple(seed: int) -> Field:
    """p = a*2^k - 1 or a*2^k + 1 of 2 to 6 limbs, k of at least one limb."""
    rng = random.Random(f"a*2^k +- 1 {seed}")
    while True:
        limbs = rng.randrange(2, 7)
        k = rng.randrange(64, 64 * limbs - 8)
        p = ((rng.getrandbits(rng.randrange(4, 64 * limbs - k + 1)) | 1) << k) + rng.choice((-1, 1))
        if p >> 96 and is_probable_prime(p):
            return Field(p)


@ON_X86_64
@pytest.mark.parametrize(("text", "variant"), in_a_variant(SPARSE, SPARSE[::9]))
def test_remainders_by_barrett_modulo_sparse_primes(text: str, variant: str) -> None:
    for operation in ("mul_plain", "square_plain", "reduce"):
        check_proof(choose(find_field(text), operation, "barrett"), variant)


UNDECIDED = {
    (1 << 280) - (1 << 112) - (1 << 80) - 1,
    (1 << 416) + (1 << 304) + (1 << 56) + 1,
    (1 << 432) - (1 << 376) + (1 << 208) + 1,
}
"""Drawn primes whose plain squares are not proved, as SOUNDNESS.md says."""


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.sweep(1)
def test_remainders_by_barrett_modulo_random_primes(seed: int) -> None:
    """Of each shape, and where p is little above a power of the radix: its top limb is 1."""
    rng = random.Random(f"a top limb of 1 {seed}")
    while not is_probable_prime(p := (1 << 64 * rng.randrange(2, 5)) + rng.getrandbits(100) | 1):
        continue
    variant = tuple(VARIANTS)[seed % len(VARIANTS)]
    with_bmi2 = ("adx", "mulx")[seed % 2]  # SOUNDNESS.md says what is missing without BMI2
    drawn = ((near_a_multiple(seed), variant), (of_few_powers(seed), variant))
    for f, chosen in (*drawn, (Field(p), with_bmi2)):
        for operation in ("mul_plain", "square_plain", "reduce"):
            is_decided = operation != "square_plain" or f.p not in UNDECIDED
            with nullcontext() if is_decided else pytest.raises(ProofError):
                check_proof(choose(f, operation, "barrett"), chosen)


@ON_X86_64
def test_a_carry_that_is_always_0_does_not_matter() -> None:
    """Where a sum cannot carry, its word equals the sum, whatever factor the carry has."""
    sparse = find_field("2^343+2^291-2^30-1")
    check_proof(choose(sparse, "reduce", "barrett"), "adx")


@pytest.mark.parametrize("seed", range(60))
def test_low_limbs_of_a_multiple_take_no_product(seed: int) -> None:
    """p = a*2^k +- 1: a row has a product only for a limb of a*2^k that is not 0 or 1."""
    f = near_a_multiple(seed)
    rest = f.p - 1 if f.p % f.base == 1 else f.p + 1
    row = f.n * sum(limb not in (0, 1) for limb in f.limbs(rest)) + 1
    for operation, product_limbs in (("mul", f.n**2), ("square", f.n * (f.n + 1) // 2)):
        assert min(map(products, offered(f, operation))) <= product_limbs + row


@ON_X86_64
@pytest.mark.parametrize("seed", SEEDS)
def test_random_multiples_of_a_power_of_two_less_or_more_one(seed: int) -> None:
    variant = tuple(VARIANTS)[seed % len(VARIANTS)]
    for operation in ("mul", "square"):
        for expression in offered(near_a_multiple(seed), operation):
            check_words(expression)
            check_proof(expression, variant)


def offered(f: Field, operation: str) -> list[Expression]:
    """The texts that a build may choose among."""
    found = []
    for each in offered_for(operation):
        with suppress(BoundError):
            found.append(each.expression(f))
    return found


def products(expression: Expression) -> int:
    """Products of words, low halves included."""
    return sum(step.operation.name in ("mul", "mul_low") for step in lower(expression).steps)


def test_one_bit_is_no_bits() -> None:
    with pytest.raises(DoesNotApply, match="are multiples of 1, and a is 31"):
        choose(find_field("babybear"), "mul_plain", "solinas")
