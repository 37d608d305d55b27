"""Quotients by shifts: the numbers that they are for, and the kernels, proved."""

from __future__ import annotations

import pytest
from contracts import contract_named

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.machine.processors import find_processor
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.kernel import ROWS, ArmOrder, compile_words, orders_for
from fieldc.targets.aarch64.quotients import ShiftedFactor, as_shift, with_shifts
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

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
