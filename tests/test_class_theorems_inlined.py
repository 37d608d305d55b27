"""Kernels of one limb, which are inlined, are proved for every odd modulus of their class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.packages.rust.classes import FULL, SPARE
from fieldc.packages.rust.theorems import (
    InlineTheorem,
    code_of_inlined,
    inlined_of_classes,
    moduli_of,
)
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.claims import CLASS_CLAIMS
from fieldc.proof.classes.prove import prove_class

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
OF_TOWERS = {"fp2_mul", "fp2_square", "redc_lazy"}
THEOREMS = [*inlined_of_classes(GENERATED, 1)]
EACH = [pytest.param(t, id=f"{t.operation}-{t.symbol}") for t in THEOREMS]
QUICK = [t for t in EACH if t.values[0].symbol != "sum_of_products_full"]
"""The mutants of that one take as long as those of all others."""


def test_every_kernel_but_those_of_three_primes_has_a_theorem() -> None:
    written = inline_kernels_in((GENERATED / "n01.rs").read_text())
    assert {t.symbol for t in THEOREMS} == {name for name in written if "_shifted" not in name}
    assert {t.operation for t in THEOREMS} == CLASS_CLAIMS.keys() - OF_TOWERS


@pytest.mark.parametrize("theorem", EACH)
def test_every_kernel_of_one_limb_is_a_theorem(theorem: InlineTheorem) -> None:
    cases = {"square_lazy": 1, "mul_lazy": 1, "sum_of_products_full": 4}
    assert theorem.prove() == cases.get(theorem.symbol, cases.get(theorem.operation, 2))


@pytest.mark.parametrize("theorem", [t for t in EACH if t.values[0].of != FULL])
def test_no_theorem_holds_for_a_wider_class_of_one_limb(theorem: InlineTheorem) -> None:
    wider = SPARE if "_lazy" in theorem.operation else FULL
    if theorem.operation == "reduce_lazy":
        wider = FULL
    with pytest.raises(ProofError):
        replace(theorem, of=wider).prove(runs=0)


@pytest.mark.parametrize("theorem", EACH)
def test_no_theorem_is_of_another_operation_on_the_same_values(theorem: InlineTheorem) -> None:
    code, of = code_of_inlined(theorem.kernel, theorem.operation), theorem.of
    for operation, said in CLASS_CLAIMS.items():
        if operation != theorem.operation and not operation.endswith("_lazy"):
            with pytest.raises(ProofError):
                prove_class(code, operation, moduli_of(of, 1), runs=0)
        assert said.names in ("x", "xy")


def changed(theorem: InlineTheorem) -> Iterator[InlineTheorem]:
    """Other constants, and each instruction that computes changed or left out."""
    kernel = theorem.kernel
    others = {
        "M::P_INVERSE": "M::N0",
        "M::N0": "M::P_INVERSE",
        "M::COMPLEMENT[0]": "M::P[0]",
        "M::P[0]": "M::COMPLEMENT[0]",
    }
    for place, operand in enumerate(kernel.operands):
        if operand.before in others:
            other = replace(operand, before=others[operand.before])
            operands = (*kernel.operands[:place], other, *kernel.operands[place + 1 :])
            yield replace(theorem, kernel=replace(kernel, operands=operands))
    for place, line in enumerate(kernel.lines):
        name = line.split()[0]
        if name == "mov":
            continue
        swapped = {"adc": "add", "sbb": "sub", "add": "sub", "sub": "add", "cmovc": "cmovnc"}
        texts = [(), (line.replace(name, swapped[name], 1),)] if name in swapped else [()]
        for text in texts:
            lines = (*kernel.lines[:place], *text, *kernel.lines[place + 1 :])
            yield replace(theorem, kernel=replace(kernel, lines=lines))


@pytest.mark.parametrize("theorem", QUICK)
def test_a_changed_kernel_of_one_limb_is_no_theorem(theorem: InlineTheorem) -> None:
    _none_is_a_theorem(theorem)


@pytest.mark.full
def test_a_changed_sum_of_products_of_one_limb_is_no_theorem() -> None:
    (longest,) = (t for t in EACH if t not in QUICK)
    _none_is_a_theorem(longest.values[0])


def _none_is_a_theorem(theorem: InlineTheorem) -> None:
    mutants = [*changed(theorem)]
    assert len(mutants) > 3
    for mutant in mutants:
        assert mutant != theorem
        with pytest.raises(ProofError):
            mutant.prove(runs=0)
