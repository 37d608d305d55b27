"""The base line computes what the operation means, on plain residues."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fieldc.algorithms import OPERATIONS, STUDIED_OPERATIONS, every_kernel_for
from fieldc.catalogue import find_field
from fieldc.lab.base_line import base_line, gmpy2_number
from fieldc.language import Kernel
from fieldc.machine.check import operands_of

CONVERSIONS = {"to_montgomery", "from_montgomery"}
F = find_field("bls12-381-p")


def plainly(kernel: Kernel, operands: tuple[int, ...]) -> list[int]:
    """What the operation gives where R is 1: its meaning, without the powers of 1/R."""
    entered = [
        bound.number(F, [v * F.R % F.p for v in bound.values(F, x)]) if bound.is_residue else x
        for (_, bound), x in zip(kernel.operands, operands, strict=True)
    ]
    name = kernel.computes.family
    if name.endswith("_plain"):
        return [kernel.computes(F, *operands)]
    if name in ("reduce", "redc"):
        return [operands[0] % F.p]
    found = kernel.computes(F, *entered)
    return [F.from_montgomery(v) for v in kernel.result.values(F, found)]


@pytest.mark.parametrize("number", ["int", "mpz"])
@pytest.mark.parametrize("operation", (*OPERATIONS, *STUDIED_OPERATIONS))
def test_every_operation_has_a_base_line(operation: str, number: str) -> None:
    make: Callable[[int], object] | None = int if number == "int" else gmpy2_number()
    if make is None:
        pytest.skip("SKIPPED: gmpy2 is not installed")
    kernel = every_kernel_for(operation)[0]
    for operands in list(operands_of([bound for _, bound in kernel.operands], F, 1))[-5:]:
        call = base_line(kernel, F, operands, make)
        assert (call is None) == (operation in CONVERSIONS)
        if call is not None:
            found = call()
            values = [*found] if isinstance(found, tuple) else [found]
            assert values == plainly(kernel, operands)
