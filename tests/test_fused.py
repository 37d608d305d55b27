"""Sums and differences of products, Fp2, values below 2p, small constants, repeated squaring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest
from primes import (
    CARRY_STYLES,
    NAMES,
    expressions_of,
    named_field,
    random_field,
    shaped,
    small_primes,
)
from test_studied import ON_X86_64, is_proved, run_natively
from well_formed import assert_well_formed

from fieldc.algorithms import FUSED, OPERATIONS, choose, every_kernel_for
from fieldc.field import Field
from fieldc.lab.compilers import outside_backends
from fieldc.language import DoesNotApply, Expression
from fieldc.machine.check import check, operands_of
from fieldc.operations import BETAS, fp2_mul
from fieldc.operations import OPERATIONS as RECORDS
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice

FIELDS = ("bls12-381-p", "bn254-p", "bls12-377-p", "secp256k1-p")
UNPROVED = re.compile(r"fp2_mul\w* karatsuba")
"""SOUNDNESS.md says why."""
PLAIN = ("mul_plain", "square_plain")
SLOW = re.compile(r"sum_of_products_[456]")
"""Each subtraction more doubles the cases of a proof."""


def numbers(f: Field, value: int, count: int) -> list[int]:
    """The values that lie side by side in a number."""
    r = 1 << f.word * f.n
    return [value // r**i % r for i in range(count)]


def updated(f: Field, x: int, *entries: int) -> list[int]:
    """Rows of a matrix of divsteps on x, divided by 2^64: one of u and v, or two of m."""
    rows = [[entry - 2**61 for entry in entries]]
    if len(entries) == 1:
        m = [(entries[0] >> 64 * i & 2**64 - 1) - 2**59 for i in range(4)]
        rows = [m[:2], m[2:]]
    d, e = numbers(f, x, 2)
    return [(u * d + v * e) * pow(2**64, -1, f.p) for u, v in rows]


def wanted(operation: str, f: Field, *operands: int) -> list[int]:
    """What an operation gives modulo p, written again; several values for Fp2."""
    name, inverse = operation.removesuffix("_lazy"), pow(1 << f.word * f.n, -1, f.p)
    count = re.fullmatch(r"(?:sum_of_products|square_times|mul_by)_(\d+)", name)
    number = int(count[1]) if count else 2
    if name.startswith("sum_of_products"):
        x, y = (numbers(f, v, number) for v in operands)
        found = [sum(a * b for a, b in zip(x, y, strict=True)) * inverse]
    elif name == "difference_of_products":
        (a, c), (b, d) = (numbers(f, v, 2) for v in operands)
        found = [(a * b - c * d) * inverse]
    elif name.startswith("fp2_"):
        sign = -1 if "minus" in name else 1
        beta = sign * int(re.sub(r"\D", "", name[3:]) or -1)
        (a, b), (c, d) = (numbers(f, v, 2) for v in (operands * 2)[:2])
        found = [(a * c + beta * b * d) * inverse, (a * d + b * c) * inverse]
    elif name.startswith("square_times"):
        value = operands[0]
        for _ in range(number):
            value = value * value * inverse % f.p
        found = [value]
    elif name.startswith("mul_by"):
        found = [number * operands[0]]
    elif name.startswith("mul_u"):
        found = [operands[0] * operands[1]]
    elif name.startswith("divstep_"):
        found = updated(f, *operands)
    elif name == "mul_add":
        x, y, a = operands
        found = [x * y * inverse + a]
    else:
        x, y = (operands * 2)[:2]
        plain = {"add": x + y, "sub": x - y, "reduce": x} | dict.fromkeys(PLAIN, x * y)
        found = [plain.get(name, x * y * inverse)]
    return [value % f.p for value in found]


def is_right(expression: Expression, operands: tuple[int, ...], result: int) -> bool:
    """Whether a result is congruent to what is wanted, and as small as the contract says."""
    f, contract = expression.field, expression.kernel.result
    lazy = (
        expression.kernel.operation.endswith("_lazy")
        and expression.kernel.operation != "reduce_lazy"
    )
    right = wanted(expression.kernel.operation, f, *operands)
    found = numbers(f, result, contract.count)
    assert result >> f.word * f.n * contract.count == 0
    return found < [2 * f.p] * 2 and all(
        a % f.p == b and a < f.p * (2 if lazy else 1) for a, b in zip(found, right, strict=True)
    )


def cases(expression: Expression, every: int = 1) -> Iterator[tuple[int, ...]]:
    """Operands up to the largest that the contract allows: edges and random ones."""
    yield from list(operands_of([r for _, r in expression.kernel.operands], expression.field, 1))[
        ::every
    ]


def check_words(expression: Expression, rows: RowChoice | None = None, every: int = 1) -> None:
    """The text on integers, and its words with every bound checked."""
    program = lower(expression, rows)
    assert_well_formed(program)
    for operands in cases(expression, every):
        result = interpret(program, *operands, check_bounds=True)
        assert result == expression.kernel.run(expression.field, *operands)
        assert is_right(expression, operands, result), (expression.kernel.operation, operands)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("name", "word"), [*((n, 64) for n in FIELDS), ("curve25519", 32)])
def test_integers_and_words(name: str, word: int) -> None:
    for expression in expressions_of(FUSED, named_field(name, word)):
        check_words(expression, every=23 if len(expression.inputs) > 2 else 3)


@pytest.mark.full
@pytest.mark.parametrize("word", [64, 32])
@pytest.mark.parametrize("name", NAMES)
def test_every_named_field(name: str, word: int) -> None:
    for expression in expressions_of(FUSED, named_field(name, word)):
        check_words(expression, every=5)


@pytest.mark.parametrize("limbs", [1, 2, 3])
def test_primes_of_some_shapes(limbs: int) -> None:
    spare = random_field(3, 64, 64 * limbs - 4)
    for f in (shaped("full", limbs), shaped("one-spare", limbs), spare):
        for expression in expressions_of(FUSED, f):
            check_words(expression, every=41)


@pytest.mark.parametrize("rows", CARRY_STYLES[1:], ids=str)
def test_row_styles(rows: RowChoice) -> None:
    for expression in defaults(named_field("bn254-p")):
        check_words(expression, rows, every=41)


def on_every_input(p: int, word: int, most: int) -> None:
    """Kernels that have at most so many inputs."""
    for expression in expressions_of(FUSED, Field(p, word)):
        f, ranges = expression.field, [bound for _, bound in expression.kernel.operands]
        pools = [
            [r.number(f, v) for v in product(range(r.high(f) + 1), repeat=r.count)]
            for r in ranges
            if (r.high(f) + 1) ** (r.count * len(ranges)) <= most
        ]
        program = lower(expression)
        for given in product(*pools) if len(pools) == len(ranges) else ():
            assert is_right(expression, given, interpret(program, *given)), (program.name, f, given)


@pytest.mark.parametrize(("p", "word"), [(3, 2), (5, 2), (7, 3), (13, 4)])
def test_every_input_of_small_primes(p: int, word: int) -> None:
    on_every_input(p, word, 700)


@pytest.mark.full
@pytest.mark.parametrize("word", [2, 3, 4])
@pytest.mark.parametrize("p", [5, 7, 11, 13])
def test_every_input_of_more_primes(p: int, word: int) -> None:
    on_every_input(p, word, 1 << 15)


def test_every_operation_has_a_meaning_and_is_built_where_it_is_named() -> None:
    for kernel in FUSED:
        assert kernel.operation in RECORDS and kernel.operation not in OPERATIONS
        assert kernel.source
    f = named_field("bls12-381-p")
    for operation in {k.operation for k in FUSED}:
        for expression in expressions_of(every_kernel_for(operation), f):
            for operands in cases(expression, 23):
                meant = RECORDS[operation](f, *operands)
                count = expression.kernel.result.count
                assert numbers(f, meant, count) == wanted(operation, f, *operands)


# What does not apply


def squares(p: int) -> set[int]:
    return {a * a % p for a in range(1, p)}


def test_u2_must_be_no_square() -> None:
    for p in small_primes(3, 60):
        for beta in BETAS:
            allowed = beta % p != 0 and beta % p not in squares(p)
            kernels = every_kernel_for(fp2_mul(beta).name)
            assert bool(expressions_of(kernels, Field(p, 16))) == allowed, (p, beta)


@pytest.mark.parametrize(
    ("name", "operation", "says"),
    [
        ("bls12-377-p", "fp2_mul", "it is a square modulo bls12-377-p; fp2_mul_minus_5 applies"),
        ("bls12-381-p", "fp2_square_13", "u^2 = 13 makes no field: it is a square"),
        ("bls12-381-r", "mul_lazy", "so that 4p < R: bls12-381-r has 1 spare bit"),
        ("secp256k1-p", "reduce_lazy", "so that 4p < R: secp256k1-p has 0 spare bits"),
    ],
)
def test_what_does_not_apply_is_said_in_a_line(name: str, operation: str, says: str) -> None:
    with pytest.raises(DoesNotApply, match=re.escape(says)) as error:
        choose(named_field(name), operation)
    assert "\n" not in str(error.value)


def test_lazy_operations_are_closed() -> None:
    """Where multiplication applies, so do all that its results can meet, but sums of products."""
    needed = {"add_lazy", "sub_lazy", "mul_lazy", "square_lazy", "reduce_lazy"}
    below_a_quarter = Field((1 << 254) - 245)
    for f in (*map(named_field, NAMES), below_a_quarter):
        found = {t.kernel.operation for t in expressions_of(FUSED, f)}
        lazy = {operation for operation in found if operation.endswith("_lazy")}
        lazy.discard("divstep_de_lazy")  # needs one spare bit
        assert lazy >= needed if 4 * f.p < f.R else not lazy


def test_a_contract_says_how_many_subtractions_there_are() -> None:
    for name, operation, count in (
        ("bls12-381-p", "sum_of_products_6", 1),
        ("bn254-p", "sum_of_products_6", 2),
        ("secp256k1-p", "sum_of_products_6", 3),
        ("bls12-381-p", "mul_lazy", 0),
        ("bls12-381-p", "fp2_mul", 1),
    ):
        assert choose(named_field(name), operation).subtractions == count, name


# Machine code


@ON_X86_64
def test_x86_64() -> None:
    run_natively(list(defaults(named_field("bn254-p"))), "x86")


@ON_X86_64
@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_x86_64_of_every_field(name: str) -> None:
    run_natively(expressions_of(FUSED, named_field(name)), "x86")


@ON_X86_64
def test_llvm_and_source_languages() -> None:
    chosen = list(defaults(named_field("bn254-p")))
    run_natively(chosen[1::3], "llvm")
    for backend in outside_backends():
        if backend.name in ("c-gcc", "rust-flat") and not backend.missing:
            for expression in chosen[::6]:
                assert check(backend.kernel(expression), expression) > 50


# Proofs


@pytest.mark.sweep(1)
@ON_X86_64
@pytest.mark.parametrize(
    ("name", "variant"), [("bls12-381-p", "adx"), ("bn254-p", "mulx"), ("bls12-381-r", "base")]
)
def test_what_is_proved(name: str, variant: str) -> None:
    for expression in defaults(named_field(name)):
        label = f"{expression.kernel.operation} {expression.kernel.algorithm}"
        if expression.subtractions < 2 and not UNPROVED.match(label):
            assert is_proved(expression, variant), label
    for other, operation in (
        ("secp256k1-p", "difference_of_products"),
        ("bls12-377-p", "fp2_square_minus_5"),
    ):
        assert is_proved(choose(named_field(other), operation), variant)


@ON_X86_64
@pytest.mark.parametrize("p", [0x8003, 0xD6BD])
def test_the_low_half_of_a_product_that_fits_a_word(p: int) -> None:
    assert is_proved(choose(Field(p), "difference_of_products"), "adx")


@ON_X86_64
@pytest.mark.parametrize(
    ("prime", "operation", "variant"),
    [
        *((2**89 - 1, "difference_of_products", variant) for variant in VARIANTS),
        (2**89 - 1, "fp2_mul", "adx"),
        *(
            pytest.param(2**521 - 1, "fp2_mul", variant, marks=pytest.mark.full)
            for variant in VARIANTS
        ),
    ],
)
def test_differences_whose_top_products_fit_a_word(
    prime: int, operation: str, variant: str
) -> None:
    """Products by p - x whose high halves are dropped, beside quotients that are kept."""
    assert is_proved(choose(Field(prime), operation), variant)


@ON_X86_64
@pytest.mark.parametrize("name", ["secp256k1-p", "p256"])
def test_a_square_where_no_bit_is_spare(name: str) -> None:
    """Chosen words multiply, and words that never carry must be replaced exactly beside them."""
    assert is_proved(choose(named_field(name), "fp2_square"), "adx")


@ON_X86_64
@pytest.mark.full
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_proved_of_every_field_of_4_and_6_limbs(name: str, variant: str) -> None:
    f = named_field(name)
    for expression in defaults(f) if f.n in (4, 6) else ():
        slow = expression.subtractions > 2 and SLOW.match(expression.kernel.operation)
        if not slow and not UNPROVED.match(expression.kernel.operation):
            assert is_proved(expression, variant), expression.kernel.operation


def defaults(f: Field) -> Iterator[Expression]:
    """Of each operation the algorithm that is built where none is named."""
    found: dict[str, Expression] = {}
    for expression in expressions_of(FUSED, f):
        found.setdefault(expression.kernel.operation, expression)
    return iter(found.values())
