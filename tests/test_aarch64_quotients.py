"""Quotients by shifts: the numbers that they are for, and the kernels, proved."""

from __future__ import annotations

from itertools import product

import pytest
from contracts import contract_named

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.machine.processors import find_processor
from fieldc.proof.algebra.dropped import ProofError
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.borrows import without_borrows_of_carries
from fieldc.targets.aarch64.kernel import ROWS, ArmOrder, compile_words, orders_for
from fieldc.targets.aarch64.quotients import (
    ShiftedFactor,
    as_shift,
    can_shift_high,
    with_shifted_highs,
    with_shifts,
)
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.sums import joined_sums

RADIX = 1 << 64


@pytest.mark.parametrize("k", [1, 2, 31, 32, 63])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("more", [1, -1])
def test_numbers_of_few_bits_are_shifts(k: int, sign: int, more: int) -> None:
    number = sign * ((1 << k) + more) % RADIX
    found = as_shift(number, 64)
    assert found is not None
    assert found.sign * ((1 << found.k) + found.more) % RADIX == number


@pytest.mark.parametrize("number", [0, 11, RADIX - 11, 0x12345, find_field("bls12-381-p").n0])
def test_other_numbers_are_none(number: int) -> None:
    assert as_shift(number, 64) is None


FORMS = {
    "0x10000000000000610fffff00000fffff": ShiftedFactor(20, 1, 1),
    "0x10000000000000061000010000100001": ShiftedFactor(20, -1, 1),
    "0x10000000000000bff00000fffff00001": ShiftedFactor(20, 1, -1),
    "0x1000000000000013effffeffffefffff": ShiftedFactor(20, -1, -1),
    "bls12-381-r": ShiftedFactor(32, 1, -1),
}


@pytest.mark.parametrize("operation", ["mul", "square"])
@pytest.mark.parametrize("name", FORMS)
def test_kernels_are_right_and_proved(name: str, operation: str) -> None:
    f = find_field(name)
    assert as_shift(f.n0, 64) == FORMS[name]
    expression = choose(f, operation, "cios")
    program = with_shifts(lower(expression, ROWS[0]))
    assert program.count("mul_low") == 0
    for x in (0, 1, f.p - 1, f.p // 3):
        values = [x] * len(expression.inputs)
        assert interpret(program, *values) == x * x * pow(f.R, -1, f.p) % f.p
    for style in ROWS:
        order = ArmOrder(style, 2, shifts=True)
        kernel = compile_words(lambda rows: lower(expression, rows), order=order)
        contract = contract_named(operation, f.p, f.n)
        prove(kernel.code, contract, "aapcs64", architecture="aarch64")


HIGHS = ("bls12-381-r", "0x730000000000000000000000000000000000000000000030ffffff0000000001")
"""The second one's lowest limb is 2^64 - 2^40 + 1."""


@pytest.mark.parametrize("operation", ["mul", "square"])
@pytest.mark.parametrize("name", HIGHS)
def test_high_halves_by_shifts_are_right_and_certified(name: str, operation: str) -> None:
    f = find_field(name)
    assert can_shift_high(f.n0, 64)
    expression = choose(f, operation, "cios")
    plain = without_borrows_of_carries(joined_sums(lower(expression, ROWS[0])))
    for rows in range(f.n + 1):
        program = with_shifts(with_shifted_highs(plain, rows))
        assert program.count("mul") == plain.count("mul") - rows
        for x in (0, 1, f.p - 1, f.p // 3, f.R % f.p, (f.R - 1) * f.R % f.p):
            values = [x] * len(expression.inputs)
            assert interpret(program, *values) == x * x * pow(f.R, -1, f.p) % f.p
    for style, rows in product(ROWS, (1, f.n)):
        order = ArmOrder(style, 2, shifts=True, shifted_highs=rows)
        kernel = compile_words(lambda rows: lower(expression, rows), order=order)
        halves = sum(line.startswith(("mul ", "umulh ")) for line in kernel.lines)
        order = ArmOrder(style, 2, shifts=True)
        before = compile_words(lambda rows: lower(expression, rows), order=order)
        assert halves == sum(line.startswith(("mul ", "umulh ")) for line in before.lines) - rows
        contract = contract_named(operation, f.p, f.n)
        proved = prove(kernel.code, contract, "aapcs64", architecture="aarch64")
        assert len(proved.equalities) == rows


@pytest.mark.parametrize("bit", [0, 1, 5, 31])
def test_a_wrong_high_half_is_refused(bit: int) -> None:
    """The carry of q + t is what bounds show it to be, or nothing."""
    f = find_field("bls12-381-r")
    order = ArmOrder(ROWS[0], 2, shifts=True, shifted_highs=4)
    expression = choose(f, "mul", "cios")
    kernel = compile_words(lambda rows: lower(expression, rows), order=order)
    place = next(i for i, line in enumerate(kernel.lines) if line.startswith("lsr "))
    wrong = bytearray(kernel.code)
    wrong[4 * place + bit // 8] ^= 1 << bit % 8
    with pytest.raises(ProofError):
        prove(bytes(wrong), contract_named("mul", f.p, f.n), "aapcs64", architecture="aarch64")


def test_only_such_primes_have_them() -> None:
    for name, has in (("bls12-381-r", True), ("p384", False), ("bn254-p", False)):
        assert can_shift_high(find_field(name).n0, 64) is has


def test_a_sum_has_no_shifted_operand_then() -> None:
    expression = choose(find_field("bls12-381-r"), "mul", "cios")
    for shifts in (False, True):
        order = ArmOrder(ROWS[0], 2, shifts=shifts)
        kernel = compile_words(lambda rows: lower(expression, rows), order=order)
        assert sum(line.startswith("lsl ") for line in kernel.lines) == (4 if shifts else 0)
        assert sum(line.startswith("mul ") for line in kernel.lines) == (28 if shifts else 32)


def test_they_are_tried_where_there_are_some() -> None:
    for core in map(find_processor, ("apple-m1", "neoverse-v2")):
        assert any(order.shifts for order in orders_for(core, False, has_shifts=True))
        assert not any(order.shifts for order in orders_for(core, False))
