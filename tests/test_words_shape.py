"""The shape of word programs: SSA, no waste, the steps that bounds save, names, determinism."""

from __future__ import annotations

import pytest
from primes import (
    ALL_STYLES,
    CARRY_STYLES,
    NAMES,
    STYLES,
    distinct,
    expressions,
    named_field,
    shaped,
    shapes,
)
from well_formed import assert_no_dead_carry, assert_no_waste, assert_well_formed

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.words.build import Builder
from fieldc.words.lower import constant_names, lower, without_dead_steps
from fieldc.words.operations import LOAD, Kind
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice, RowStyle


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sweep(10)
def test_programs_are_well_formed(name: str) -> None:
    f = named_field(name)
    for rows in STYLES if name == "bls12-381-p" else CARRY_STYLES if f.n < 8 else STYLES[:1]:
        for expression in expressions(f):
            program = lower(expression, rows)
            assert_well_formed(program)
            assert_no_waste(program)
            assert_no_dead_carry(program)
            assert len(program.results) == f.n


def test_programs_of_odd_shapes_are_well_formed() -> None:
    for word, limbs in ((64, 3), (8, 2)):
        for shape in shapes(limbs):
            for rows in CARRY_STYLES:
                for expression in expressions(shaped(shape, limbs, word)):
                    program = lower(expression, rows)
                    assert_well_formed(program)
                    assert_no_waste(program)
                    assert_no_dead_carry(program)


def test_operands_are_those_of_the_kernel() -> None:
    for word in (64, 32):
        f = named_field("bls12-381-p", word)
        for expression in expressions(f):
            program = lower(expression)
            wide = expression.kernel.operation in ("redc", "sum_of_products")
            expected_limbs = [(n, 2 * f.n if wide else f.n) for n, _ in expression.kernel.operands]
            assert list(program.operands) == expected_limbs
            loads = {(s.operand, s.attribute) for s in program.steps if s.operation is LOAD}
            assert loads == {(n, i) for n, count in expected_limbs for i in range(count)}
            assert (program.name, program.word) == (expression.kernel.operation, word)


def test_spare_bits_shorten_the_chains() -> None:
    spare, full = shaped("three-spare", 6), shaped("full", 6)
    for rows in CARRY_STYLES:
        with_spare = lower(choose(spare, "mul", "cios"), rows)
        without = lower(choose(full, "mul", "cios"), rows)
        assert with_spare.count("add") < without.count("add")
        assert with_spare.count("mul") == without.count("mul")


def test_additions_of_the_two_chains_of_bls12_381() -> None:
    n = 6
    f = named_field("bls12-381-p")
    rows = RowChoice(RowStyle.TWO_CHAINS)
    program = lower(choose(f, "mul", "cios"), rows)
    # Rows of the product: n low and n high halves, but the first row adds no low ones. Rows of
    # the reduction: n and n, and the carry of the low halves into the word above them.
    product_rows = (n - 1) + (n - 1) * 2 * n
    reduction_rows = n * 2 * n
    absorbed = program.count("add") - product_rows - reduction_rows
    assert 0 <= absorbed <= 2 * n
    assert lower(choose(f, "add"), rows).count("add") == n
    assert lower(choose(f, "sub"), rows).count("add") == n
    assert lower(choose(f, "sub"), rows).count("sub") == n


def test_two_lowerings_are_equal() -> None:
    for name in ("bn254-p", "secp256k1-p"):
        for rows in CARRY_STYLES:
            for expression in expressions(named_field(name)):
                again = expression.kernel.expression(Field(expression.field.p, 64, name))
                assert lower(expression, rows) == lower(again, rows)


def test_styles_differ_only_in_what_they_read() -> None:
    expressed = choose(named_field("bls12-381-p"), "mul")
    programs = {rows: lower(expressed, rows) for rows in STYLES}
    assert len({repr(program) for program in programs.values()}) == len(STYLES)
    for rows in ALL_STYLES:
        assert lower(expressed, rows) == programs[distinct(rows)]


def test_constants_carry_their_names() -> None:
    f = named_field("bls12-381-p")
    names = constant_names(f)
    assert names[f.n0] == "n0" and names[0] == "0x0" and names[1] == "0x1"
    assert all(names[limb] == f"p[{i}]" for i, limb in enumerate(f.limbs(f.p)))
    program = lower(choose(f, "mul"))
    used = {v.name for s in program.steps for v in s.inputs if v.constant not in (None, 0)}
    assert {f"p[{i}]" for i in range(6)} | {f"mu[{i}]" for i in range(6)} | {"n0"} == used
    for step in program.steps:
        for v in step.inputs:
            if v.constant is not None and v.kind is Kind.WORD:
                assert names[v.constant] == v.name


def test_dead_steps_are_removed_in_one_pass() -> None:
    build = Builder(8)
    x = build.load("x", 0, 255)
    unread = build.mul(x, x)[0]
    build.add(unread, x, build.no_carry)
    kept = build.add(x, x, build.no_carry)[0]
    program = Program("p", 8, (("x", 1),), tuple(build.steps), (kept,))
    clean = without_dead_steps(program)
    assert [s.operation.name for s in clean.steps] == ["load", "add"]
    assert without_dead_steps(clean) == clean
