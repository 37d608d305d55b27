"""The algorithms to compare with: on integers, in words, in machine code, and before the prover."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from contracts import contract_named
from primes import (
    NAMES,
    cases,
    expected,
    expressions_of,
    named_field,
    named_kernel,
    random_field,
    shaped,
    shapes,
)
from sampling import sampled_rows
from well_formed import assert_no_dead_carry, assert_no_waste, assert_well_formed

from fieldc.algorithms import KERNELS, STUDIED, choose
from fieldc.algorithms.addition import either
from fieldc.algorithms.reduction import drop_limb
from fieldc.algorithms.solinas import digit_rows
from fieldc.artifacts.host import host_backends
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.integers import with_bounds
from fieldc.language import (
    DoesNotApply,
    Expression,
    Integer,
    NeedsIntegers,
    Number,
    Residue,
    kernel,
    limbs,
)
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.check import RANDOM_VECTORS, check
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

P224 = 2**224 - 2**96 + 1
ON_X86_64 = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
NOT_FOLLOWED = {"half-limbs"}
"""Algorithms that the prover does not follow, on any prime of two limbs or more that was tried."""
NOT_ALWAYS = {
    "fios",
    "karatsuba",
    "karatsuba-limbs",
    "log-jump-serial",
    "log-jump-pairs",
    "log-jump-halves",
    "log-jump-unrolled",
}
"""Not followed for some primes: SOUNDNESS.md says for which."""
NOT_OF_P521 = {("mul", "last-difference"), ("square", "last-difference"), ("reduce", "solinas")}
"""Not followed for it and other primes 2^k - 1: SOUNDNESS.md says so."""


def check_field(f: Field, count: int) -> set[tuple[str, str]]:
    """Each algorithm whose bounds hold, on integers and in words; which those are."""
    for expression in expressions_of(STUDIED, f):
        program, k = lower(expression), expression.kernel
        assert_well_formed(program)
        assert_no_waste(program)
        assert_no_dead_carry(program)
        for values in cases(k, f, count):
            result = interpret(program, *values, check_bounds=True)
            assert result == k.run(f, *values) == expected(k.operation, f, *values), k.algorithm
    return {(t.kernel.operation, t.kernel.algorithm) for t in expressions_of(STUDIED, f)}


@pytest.mark.parametrize("limbs", [*range(1, 7), 16])
def test_every_number_of_limbs(limbs: int) -> None:
    fields = random_field(4, 64, 64 * limbs - 3), shaped("full", limbs)
    for f in fields[: 1 if limbs > 6 else 2]:
        check_field(f, 1 if limbs > 6 else 3)


@pytest.mark.parametrize("word", [64, 32])
@pytest.mark.parametrize("name", ["bls12-381-p", "p256"])
def test_named_fields(name: str, word: int) -> None:
    check_field(named_field(name, word), 2)


@pytest.mark.full
@pytest.mark.parametrize("limbs", range(1, 18))
def test_primes_of_every_shape(limbs: int) -> None:
    for shape in shapes(limbs):
        for word in (64, 32):
            check_field(shaped(shape, limbs, word), 6)


def test_primes_near_powers_of_two() -> None:
    plain = ("mul_plain", "square_plain", "reduce")
    sums = {(operation, "solinas") for operation in plain}
    folds = {
        (operation, algorithm)
        for operation in (*plain, "sum_of_products_plain")
        for algorithm in ("pseudo-mersenne", "next-multiple")
    }
    top_first = {
        (operation, algorithm)
        for operation in ("mul_plain", "square_plain")
        for algorithm in ("top-first", "top-first-next")
    }
    for word in (64, 32):
        assert sums <= check_field(Field(P224, word), 4)
    for name in ("p256", "p384", "p521", "goldilocks"):
        assert sums <= check_field(named_field(name), 1)
    for name in ("curve25519", "secp256k1-p", "p521", "goldilocks"):
        assert folds <= check_field(named_field(name), 1)
    for name in ("curve25519", "secp256k1-p"):
        assert top_first <= check_field(named_field(name), 4)


@pytest.mark.parametrize(
    ("operation", "algorithm", "name", "says"),
    [
        ("mul_plain", "solinas", "bn254-p", "solinas needs p = 2^a - 2^b"),
        ("reduce", "pseudo-mersenne", "p384", "pseudo-mersenne needs p = 2^k - c"),
        ("mul_plain", "solinas", "bn254-p", "those of bn254-p are multiples of 1, and a is 254"),
        ("mul", "karatsuba", "goldilocks", "halves the limbs of p: goldilocks has only one"),
        ("mul", "high-limbs", "bn254-p", "need p of one limb: bn254-p has 4 limbs"),
        ("mul", "near-radix", "bn254-p", "R = 2^256, with c of one limb and p of more"),
        ("mul", "signed-limbs", "bn254-p", "5 products with signed limbs, 5 without"),
        ("mul_lazy", "cios", "p256", "two spare bits, so that 4p < R: p256 has 0 spare bits"),
        ("neg", "chosen", "bn254-p", "at least half of its limbs 0 or 2^64 - 1, not bn254-p"),
        ("mul", "division", "bn254-p", "runs on Python's integers only"),
    ],
)
def test_what_does_not_apply(operation: str, algorithm: str, name: str, says: str) -> None:
    with pytest.raises(DoesNotApply, match=re.escape(says)) as error:
        choose(named_field(name), operation, algorithm)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("operation", ["mul", "mul_plain", "reduce"])
def test_division_is_the_base_line(operation: str) -> None:
    f, kernel = named_field("bls12-381-p"), named_kernel(operation, "division")
    for values in cases(kernel, f, 5):
        assert kernel.run(f, *values) == expected(operation, f, *values)
    with pytest.raises(NeedsIntegers):
        kernel.expression(f)


def test_no_carry_falls_out_of_cios() -> None:
    """The published variant without an overflow word is CIOS where a bit is spare: bounds drop it.

    https://hackmd.io/@gnark/modular_multiplication, "no-carry": one addition less a turn.
    """
    for n in range(2, 17):
        spare, full = (random_field(5, 64, 64 * n - bits) for bits in (1, 0))
        assert turn_sizes(choose(spare, "mul", "cios"), n) == [n] * n
        wide = turn_sizes(choose(full, "mul", "cios"), n)
        assert wide[:-1] == [n + 1] * (n - 1)
        with_spare, without = (lower(choose(f, "mul", "cios")) for f in (spare, full))
        assert without.count("add") - with_spare.count("add") == wide.count(n + 1)
        assert without.count("mul") == with_spare.count("mul")


def turn_sizes(expression: Expression, n: int) -> list[int]:
    """The limbs of t after each turn."""
    node, sizes = expression.result.args[0], []
    while node.op == "shift_right":
        sizes.append(-(-node.high.bit_length() // 64))
        total = node.args[0].args[0]  # t + x*y_i, or x*y_0 in the first turn
        node = total.args[0] if total.op == "add" else total
    assert len(sizes) == n
    return sizes[::-1]


def test_studied_algorithms_are_never_the_default() -> None:
    for name in NAMES:
        for operation in ("mul", "square", "redc"):
            assert choose(named_field(name), operation).kernel in KERNELS


# Machine code


@ON_X86_64
@pytest.mark.parametrize(
    ("name", "backends"), sampled_rows([("bn254-p", "x86")], [("secp256k1-p", "llvm")])
)
def test_machine_code(name: str, backends: str) -> None:
    run_natively(expressions_of(STUDIED, named_field(name)), backends)


@ON_X86_64
def test_a_reload_may_move_what_was_read_before_it() -> None:
    """P-521 by Barrett once read x by a pointer that a reload had just moved away."""
    run_natively([choose(named_field("p521"), "reduce", "barrett")], "x86-base")


@ON_X86_64
@pytest.mark.full
@pytest.mark.parametrize("field", [*NAMES, *range(2, 17)])
def test_machine_code_of_every_field(field: str | int) -> None:
    f = named_field(field) if isinstance(field, str) else random_field(0, 64, 64 * field - 6)
    run_natively(expressions_of(STUDIED, f))


def run_natively(expressions: Sequence[Expression], backends: str = "") -> None:
    """Every backend of this host whose name begins so, in every aliasing.

    An operand may be the result, or not: twice the random vectors, and edges.
    """
    for expression in expressions:
        for backend in host_backends(64):
            if not backend.missing and backend.name.startswith(backends):
                assert check(backend.kernel(expression), expression) > 2 * RANDOM_VECTORS


# Proofs


@ON_X86_64
def test_what_is_proved() -> None:
    for expression in expressions_of(STUDIED, named_field("bn254-p")):
        algorithm = expression.kernel.algorithm
        if not algorithm.startswith(("half", "karatsuba")):  # they take seconds
            assert is_proved(expression, "adx") == (algorithm not in NOT_FOLLOWED), algorithm


@ON_X86_64
@pytest.mark.full
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_proved_of_every_field(name: str, variant: str) -> None:
    f, refused = named_field(name), NOT_OF_P521 if name == "p521" else set()
    for expression in expressions_of(STUDIED, f):
        operation, algorithm = expression.kernel.operation, expression.kernel.algorithm
        if f.n > 1 and algorithm not in NOT_ALWAYS:
            is_followed = algorithm not in NOT_FOLLOWED and (operation, algorithm) not in refused
            assert is_proved(expression, variant) == is_followed, (operation, algorithm)


@ON_X86_64
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("2^127-1", "karatsuba"),
        ("2^127-1", "two-limb-quotients"),
        ("2^255-19", "two-limb-quotients"),
        pytest.param("2^255-19", "karatsuba", marks=pytest.mark.full),
        pytest.param("2^255-19", "karatsuba-limbs", marks=pytest.mark.full),
        pytest.param("secp256k1-p", "karatsuba", marks=pytest.mark.full),
        pytest.param("bn254-p", "karatsuba-limbs", marks=pytest.mark.full),
        pytest.param("bls12-381-p", "karatsuba", marks=pytest.mark.full),
    ],
)
def test_products_that_save_products_are_proved(name: str, algorithm: str, variant: str) -> None:
    """The mask of a carry is made by a borrow, and a quotient's second limb makes a word 0."""
    assert is_proved(choose(find_field(name), "mul", algorithm), variant)


def test_a_borrow_of_0_less_a_word_does_not_make_it_1() -> None:
    """A carry that has a borrow is 1, a limb is not: -x is not p - 1 wherever x is not 0."""
    p = 2**61 - 1
    text = f"""
.intel_syntax noprefix
.globl k
k:
  xor ecx, ecx
  sub rcx, [rsi]
  sbb rdx, rdx
  movabs rcx, {p - 1}
  and rdx, rcx
  mov [rdi], rdx
  ret
"""
    negation = choose(Field(p), "neg")
    assert not is_text_proved(text, negation, runs=0)
    right = text.replace(str(p - 1), str(p)).replace("and rdx", "sub rcx, [rsi]\n  and rdx")
    assert is_text_proved(right, negation, runs=0)


@ON_X86_64
@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.full) for k in (1, 2, 3))])
def test_without_an_instruction_a_quotient_of_two_limbs_is_not_proved(part: int) -> None:
    expression = choose(find_field("2^127-1"), "mul", "two-limb-quotients")
    lines = compile_expression(expression, "k", VARIANTS["mulx"]).text(GNU).splitlines()
    places = [i for i, line in enumerate(lines) if line.startswith("    ") and line[4] != "."]
    assert len(places) > 40
    for i in places[part::4]:
        without = "\n".join([*lines[:i], *lines[i + 1 :], ""])
        assert not is_text_proved(without, expression, runs=0), lines[i]


def is_proved(expression: Expression, variant: str) -> bool:
    """Whether the prover follows; where it does not, it refuses in one line."""
    return is_text_proved(
        compile_expression(expression, "k", VARIANTS[variant]).text(GNU), expression
    )


def is_text_proved(text: str, expression: Expression, **options: int) -> bool:
    """The same of a text that claims to be the expression's kernel."""
    function = function_of(assemble(text), "k")
    contract = contract_named(expression.kernel.operation, expression.field.p, expression.field.n)
    try:
        prove(function.code, contract, start=function.start, **options)
    except ProofError as error:
        assert "\n" not in str(error) and not str(error).startswith(("function: z", "canonical: z"))
        return False
    return True


@ON_X86_64
@pytest.mark.parametrize("bit", [0, 1, 63])
def test_a_last_difference_needs_the_right_quotient(bit: int) -> None:
    """With a bit of -1/p wrong the lowest limbs differ, whatever the prover takes them for."""

    @kernel("mul", "wrong-quotient")
    def multiply(f: Field, x: Residue, y: Residue) -> Residue:
        """The last quotient is not that of p."""
        *lower, last = limbs(f, y)
        t: Number = 0
        for y_i in lower:
            t = drop_limb(f, t + x * y_i)
        t = t + x * last
        q = t % f.base * (f.p_inverse ^ 1 << bit) % f.base
        high = t >> f.word
        high = with_bounds(high, (0, f.p - 1)) if isinstance(high, Integer) else high
        return either(high - (q * f.p >> f.word), f.p)

    expression = multiply.expression(named_field("bn254-p"))
    function = function_of(
        assemble(compile_expression(expression, "k", VARIANTS["mulx"]).text(GNU)), "k"
    )
    with pytest.raises(ProofError):
        prove(function.code, contract_named("mul", expression.field.p, 4), start=function.start)


def test_a_small_prime_of_some_powers_ends_at_once() -> None:
    with pytest.raises(DoesNotApply, match=r"of few terms: modulo 0x11 a digit"):
        digit_rows(Field(17))
