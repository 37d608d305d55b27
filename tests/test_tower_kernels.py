"""Kernels of double width: integers modulo R^2 that towers add up and reduce later."""

from __future__ import annotations

import random
import re

import pytest
from contracts import contract_named

from fieldc.algorithms.towers import MULTIPLY, REDUCE, SUMS, TOWERS
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.language import Kernel
from fieldc.machine.assemble import host_triple
from fieldc.operations import OPERATIONS, TOWER_OPERATIONS
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.crate import FOLDER
from fieldc.packages.rust.kernels import caller_of
from fieldc.packages.rust.towers import tower_symbol
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.prove import prove

F = find_field("bls12-381-p")
MUTANTS = 10
"""Changed instructions of each kernel; there are up to six hundred."""

here = pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")


def test_they_are_no_operations_of_a_field():
    assert not TOWER_OPERATIONS.keys() & OPERATIONS.keys()
    assert {kernel.operation for kernel in TOWERS} == TOWER_OPERATIONS.keys()


@pytest.mark.parametrize("kernel", TOWERS, ids=lambda kernel: kernel.operation)
def test_each_is_its_operation(kernel: Kernel):
    """At the ends of its operands' ranges, and for random numbers."""
    draw = random.Random(1)
    ranges = [(bound.high(F), bound.count) for _, bound in kernel.operands]
    ends = [tuple(end * high for high, _ in ranges) for end in (0, 1)]
    for given in [
        *ends,
        *(tuple(draw.randrange(high + 1) for high, _ in ranges) for _ in range(9)),
    ]:
        operands = [
            bound.number(F, [value] * bound.count)
            for value, (_, bound) in zip(given, kernel.operands, strict=True)
        ]
        assert kernel.run(F, *operands) == kernel.computes(F, *operands)


def test_a_negative_number_is_in_twos_complement():
    sub = next(kernel for kernel in SUMS if kernel.operation == "wide_sum_1_1")
    assert sub.run(F, 3, 5) == F.R**2 - 2
    one = (0, 1)  # u*u = -1
    x = sum(value << 64 * F.n * i for i, value in enumerate(one))
    assert MULTIPLY.run(F, x, x) == F.R**2 - 1
    assert REDUCE.run(F, 2 * F.p * F.R - F.R) == F.p - 1


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("wide_sum", {"plus": 0, "minus": 2}),
        ("wide_sum", {"plus": 1, "minus": -1}),
        ("wide_sum", {"plus": 3, "minus": 2}),
        ("wide_sum", {"plus": 3}),
        ("fp2_mul_wide", {"beta": -1}),
        ("fp2_mul_wide", {"lazy": 33}),
        ("redc", {"lazy": 33}),
        ("redc", {"lazy": -1}),
    ],
)
def test_others_have_no_contract(family: str, parameters: dict[str, int]):
    with pytest.raises(ProofError, match="there is no"):
        contract_of(family, F.p, F.n, parameters)


@here
@pytest.mark.parametrize("kernel", TOWERS, ids=lambda kernel: kernel.operation)
def test_a_changed_instruction_is_refused(kernel: Kernel):
    """A carry left out, a borrow left out, another word read."""
    symbol = tower_symbol(kernel, "mulx")
    text = (ROOT / FOLDER / f"n{F.n:02}.rs").read_text()
    written = kernels_in(text)[symbol]
    lines = written.lines_for(F).splitlines()
    places = [i for i, line in enumerate(lines) if re.match(r"(adc|sbb) ", line)]
    contract = contract_named(kernel.operation, F.p, F.n)
    for place in random.Random(1).sample(places, min(MUTANTS, len(places))):
        one = lines[place].replace("adc", "add", 1).replace("sbb", "sub", 1)
        changed = "\n".join((*lines[:place], one, *lines[place + 1 :]))
        function = function_of(caller_of(written, changed), symbol)
        with pytest.raises(ProofError):
            prove(function.code, contract, start=function.start)
