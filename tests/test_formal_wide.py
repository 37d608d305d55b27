"""The checker that is proved in Coq, on kernels of double width: integers modulo R^2."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from certificates import LINUX
from formal_checker import answers

from fieldc.algorithms.towers import TOWERS
from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.operations import TOWER_OPERATIONS
from fieldc.proof.certificate import certify
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

F = find_field("2^61-1")
KERNELS = {kernel.operation: kernel for kernel in TOWERS}


def text_of(operation: str) -> str:
    kernel = KERNELS[operation]
    return compile_expression(kernel.expression(F), "kernel", VARIANTS["mulx"]).text(GNU)


def code_of(text: str) -> KernelCode:
    return function_of(assemble(text, LINUX), "kernel")


@cache
def certificate_of(operation: str) -> dict[str, Any]:
    record, code = TOWER_OPERATIONS[operation], code_of(text_of(operation))
    given = code.code[code.start :]
    return certify(given, record.family, F.p, F.n, parameters=record.parameters)


def claim_of(operation: str, text: str) -> KernelClaim:
    record, certificate = TOWER_OPERATIONS[operation], certificate_of(operation)
    written = json.dumps(certificate).encode()
    stack = certificate["stack"]
    return claim_for(code_of(text), record.family, record.parameters, F.p, F.n, stack, written)


@pytest.mark.parametrize("operation", KERNELS)
def test_each_is_certified_and_no_other_carry_is(operation: str, certifier: Path) -> None:
    """Of each kernel the changed ones lack a carry or a borrow."""
    text = text_of(operation)
    lines = text.splitlines()
    changed = [
        "\n".join(
            (*lines[:i], line.replace("adc ", "add ").replace("sbb ", "sub "), *lines[i + 1 :])
        )
        for i, line in enumerate(lines)
        if line.strip().startswith(("adc ", "sbb "))
    ]
    assert changed
    claims = [claim_of(operation, one + "\n") for one in (text, *changed)]
    assert answers(certifier, claims) == ["accepted"] + ["refused"] * len(changed)


def test_another_sum_is_refused(certifier: Path) -> None:
    claim = claim_of("wide_sum_2_1", text_of("wide_sum_2_1"))
    others = [{"plus": 1, "minus": 2}, {"plus": 3, "minus": 0}, {"plus": 2, "minus": 0}]
    claims = [claim, *(replace(claim, parameters=other) for other in others)]
    assert answers(certifier, claims) == ["accepted", *["refused"] * 3]


def test_a_wider_operand_is_refused(certifier: Path) -> None:
    """A reduction below p of what is below 2pR is none of what is below 5pR."""
    claim = claim_of("redc_lazy", text_of("redc_lazy"))
    claims = [claim, replace(claim, parameters={"lazy": 4})]
    assert answers(certifier, claims) == ["accepted", "refused"]
