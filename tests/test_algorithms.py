"""Every kernel on Python's integers, against plain modular arithmetic; its cost; its choice."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from primes import (
    NAMES,
    cases,
    edges,
    expected,
    expressions,
    log_jump_bound,
    named_field,
    named_kernel,
    random_field,
    random_prime,
    shaped,
    shapes,
    small_primes,
    wide_edges,
)
from sampling import sampled

from fieldc.algorithms import KERNELS, OPERATIONS, NoKernel, choose, kernels_for
from fieldc.field import Field
from fieldc.language import BoundError, Kernel
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice, RowStyle

WORDS = (64, 32)


def check(f: Field, count: int) -> None:
    """Every kernel whose bounds hold, on edge values and random ones."""
    done = {expression.kernel.operation for expression in expressions(f)}
    assert done == set(OPERATIONS), f.label
    for expression in expressions(f):
        k = expression.kernel
        for values in cases(k, f, count):
            result = k.run(f, *values)
            assert result == expected(k.operation, f, *values), (f.label, k.algorithm, values)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", NAMES)
def test_named_fields(name: str, word: int) -> None:
    check(named_field(name, word), 20)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("limbs", [*range(1, 10), 12, 16, 17])
@pytest.mark.sweep(12)
def test_primes_of_every_shape(limbs: int, word: int) -> None:
    for shape in shapes(limbs) if limbs < 9 else ("largest", "smallest", "full", "one-spare"):
        check(shaped(shape, limbs, word), 6)


@pytest.mark.parametrize("step", sampled([3], [1]))
@pytest.mark.parametrize("word", WORDS)
def test_every_size_from_2_to_1088_bits(word: int, step: int) -> None:
    """Every third one, the borders of words among them; in the full run all."""
    borders = (31, 32, 33, 63, 64, 65)
    for bits in sorted({*range(2, 70, step), *borders, *range(70, 1000, 61 * step), 1087, 1088}):
        f = random_field(2, word, bits)
        assert f.bits == bits
        check(f, 4)


@pytest.mark.parametrize("word", [*WORDS, 2, 3])
def test_the_smallest_primes(word: int) -> None:
    for p in small_primes(3, 40):
        f = Field(p, word)
        for expression in expressions(f):
            k = expression.kernel
            high = p << word * f.n if k.operation == "redc" else p
            values = range(high) if high < 4096 else (*wide_edges(f), *range(p))
            for x in values:
                pairs = [(x,)] if len(k.operands) == 1 else [(x, y) for y in range(p)]
                for given_values in pairs:
                    assert k.run(f, *given_values) == expected(k.operation, f, *given_values)


@given(st.integers(2, 600), st.integers(0, 1 << 32), st.sampled_from(WORDS), st.data())
@settings(max_examples=100)
def test_random_primes_and_operands(bits: int, seed: int, word: int, data: st.DataObject) -> None:
    f = Field(random_prime(random.Random(seed), bits), word)
    residues = st.sampled_from(edges(f)) | st.integers(0, f.p - 1)
    for expression in expressions(f):
        k = expression.kernel
        wide = st.sampled_from(wide_edges(f)) | st.integers(0, f.p * (1 << word * f.n) - 1)
        values = [data.draw(wide if k.operation == "redc" else residues) for _ in k.operands]
        assert k.run(f, *values) == expected(k.operation, f, *values)


def test_montgomery_form_round_trip() -> None:
    for name in NAMES:
        f = named_field(name)
        to, back = choose(f, "to_montgomery").kernel, choose(f, "from_montgomery").kernel
        for value in edges(f):
            assert back.run(f, to.run(f, value)) == value
            assert to.run(f, value) == f.to_montgomery(value)
            assert back.run(f, value) == f.from_montgomery(value)


def test_results_are_canonical_where_they_are_zero() -> None:
    for name in NAMES:
        f = named_field(name)
        for x in (0, 1, f.p - 1, f.p // 2):
            assert choose(f, "sub").kernel.run(f, x, x) == 0
            assert choose(f, "add").kernel.run(f, x, -x % f.p) == 0
            assert choose(f, "mul").kernel.run(f, x, 0) == 0
        assert choose(f, "neg").kernel.run(f, 0) == 0
        assert choose(f, "redc").kernel.run(f, 0) == 0
        for k in range(0, f.R, f.R // 7):
            assert choose(f, "redc").kernel.run(f, k * f.p) == 0


# Cost


def generic(limbs: int, spare: int) -> Field:
    """A prime without any limb 0 or 1 in its constants, with this many spare bits."""
    for seed in range(100):
        f = random_field(seed, 64, 64 * limbs - spare)
        words = [*f.limbs(f.p), *f.limbs(f.mu), *f.limbs(f.R2), f.n0]
        if not {0, 1} & set(words):
            return f
    raise AssertionError("no generic prime")


def products(f: Field, k: Kernel, rows: RowChoice | None = None) -> int:
    """Multiplications of the lowered kernel, those of half a product included."""
    program = lower(k.expression(f), rows)
    return program.count("mul") + program.count("mul_low")


@pytest.mark.parametrize("style", RowStyle)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 12])
def test_multiplications_of_each_algorithm(n: int, style: RowStyle) -> None:
    f, rows = generic(n, 6), RowChoice(style)
    squared = n * (n + 1) // 2
    counts = {
        ("mul", "cios"): 2 * n * n + n,
        ("mul", "log-jump"): 2 * n * n + 1,
        ("square", "cios"): squared + n * n + n,
        ("square", "log-jump"): squared + n * n + 1,
        ("square", "product"): 2 * n * n + n,
        ("redc", "redc"): n * n + n,
        ("to_montgomery", "to_montgomery"): 2 * n * n + n,
        ("from_montgomery", "from_montgomery"): n * n + n,
    }
    found = {key: products(f, named_kernel(*key), rows) for key in counts}
    assert found == counts
    for operation in ("add", "sub", "neg", "double"):
        assert products(f, kernels_for(operation)[0], rows) == 0


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_a_quotient_is_half_a_product(n: int) -> None:
    f = generic(n, 6)
    assert lower(named_kernel("mul", "cios").expression(f)).count("mul_low") == n
    assert lower(named_kernel("mul", "log-jump").expression(f)).count("mul_low") == 1


def test_full_bits_do_not_cost_a_multiplication() -> None:
    for n in (1, 2, 4, 6):
        f = generic(n, 0)
        assert products(f, named_kernel("mul", "cios")) == 2 * n * n + n


def test_special_limbs_save_multiplications() -> None:
    n = 4
    # Limbs 1, 2 and 3 of p are equal: their products with a quotient are made once.
    assert products(named_field("secp256k1-p"), named_kernel("mul", "cios")) == 2 * n * n + n - 8
    f = shaped("low-ones", n)
    assert f.n0 == 1
    assert products(f, named_kernel("mul", "cios")) == 2 * n * n
    assert products(named_field("p256"), named_kernel("mul", "cios")) < 2 * n * n


# Choice


def log_jump_holds(f: Field) -> bool:
    """Whether one subtraction suffices after log-jump, by the recurrence on paper."""
    return log_jump_bound(f) < 2 * f.p


def various_fields() -> list[Field]:
    """Named primes, primes of every shape, and random ones."""
    return [
        *(named_field(name, word) for name in NAMES for word in WORDS),
        *(shaped(shape, n) for n in range(1, 7) for shape in shapes(n)),
        *(random_field(3, 64, bits) for bits in range(57, 400, 3)),
    ]


def test_log_jump_is_chosen_exactly_when_its_bound_holds() -> None:
    answers = set()
    for f in various_fields():
        holds = log_jump_holds(f)
        answers.add(holds)
        assert (choose(f, "mul").kernel.algorithm == "log-jump") == holds, f.label
    assert answers == {True, False}


def test_one_of_the_two_folds_holds_for_every_prime_with_a_spare_bit() -> None:
    for f in various_fields():
        decided = min(f.mu, f.minus_mu) / f.p < 0.49
        if f.spare_bits and decided and f.n > 1:
            for operation in ("mul", "square"):
                assert choose(f, operation).kernel.algorithm.startswith("log-jump"), f.label


def test_full_bit_squares_fall_back_to_the_product() -> None:
    for name in ("secp256k1-p", "secp256k1-n", "p384"):
        assert choose(named_field(name), "square").kernel.algorithm == "product"
    for name in ("bls12-381-r", "curve25519", "m-511", "fp254bnb-r"):
        assert choose(named_field(name), "square").kernel.algorithm == "log-jump-complement"
    for name in ("bls12-381-p", "bn254-p", "bls12-377-p", "p521", "pallas"):
        assert choose(named_field(name), "square").kernel.algorithm == "log-jump"


def test_each_operation_has_a_kernel_for_every_prime() -> None:
    for f in various_fields():
        for operation in OPERATIONS:
            assert choose(f, operation).kernel.operation == operation


def test_preference_and_naming() -> None:
    f = named_field("bls12-381-p")
    assert [k.algorithm for k in kernels_for("mul")] == ["log-jump", "log-jump-complement", "cios"]
    assert choose(f, "mul", "cios").kernel.algorithm == "cios"
    for operation, algorithm in (("mul", "schoolbook"), ("cube", None), ("add", "cios")):
        with pytest.raises(NoKernel) as error:
            choose(f, operation, algorithm)
        assert "\n" not in str(error.value)
    with pytest.raises(BoundError):
        choose(named_field("bls12-381-r"), "mul", "log-jump")
    assert all(k.source for k in KERNELS)
