"""Kernels of the crate are proved for every odd modulus of their class at once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.packages.rust.classes import CLASSES, LIMBS
from fieldc.packages.rust.sums import FITTING
from fieldc.packages.rust.theorems import (
    Theorem,
    code_of,
    code_of_sum,
    kernels_of_classes,
    sums_of_classes,
)
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes import prove_class

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
QUICK = (2, 3, 4)


@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in LIMBS[1:]]
)
def test_every_kernel_by_cios_is_a_theorem(limbs: int) -> None:
    kernels = [*kernels_of_classes(GENERATED, limbs)]
    variants = {k.symbol.rpartition("_")[2] for k in kernels}
    assert len(kernels) == 3 * len(variants)  # mul and square with a spare bit, mul of all
    for kernel in kernels:
        assert kernel.prove() == 2


def kernel_of(symbol: str, limbs: int = 2) -> Theorem:
    return next(k for k in kernels_of_classes(GENERATED, limbs) if k.symbol == symbol)


@pytest.mark.parametrize("limbs", FITTING)
def test_every_sum_is_a_theorem(limbs: int) -> None:
    pieces = [*sums_of_classes(limbs)]
    assert [piece.name for piece, _, _ in pieces] == ["add_spare", "add_full", "sub"]
    for piece, operation, top in pieces:
        assert prove_class(code_of_sum(piece, limbs), operation, limbs, top) == 2


def test_a_changed_sum_is_no_theorem() -> None:
    others = [*sums_of_classes(2)]
    spare = others[0][0]
    with pytest.raises(ProofError):
        prove_class(code_of_sum(spare, 2), "add", 2, CLASSES[-1].top)
    for piece, operation, top in others:
        for place, line in enumerate(piece.lines):
            if line.startswith("mov {y:e}"):
                continue  # y is taken for a word then
            lines = piece.lines[:place] + piece.lines[place + 1 :]
            with pytest.raises(ProofError):
                prove_class(code_of_sum(replace(piece, lines=lines), 2), operation, 2, top)


def test_no_theorem_holds_for_a_wider_class() -> None:
    full = CLASSES[-1].top
    for symbol in ("mul_spare_mulx", "square_spare_mulx"):
        with pytest.raises(ProofError):
            replace(kernel_of(symbol), of=CLASSES[-1]).prove()
        with pytest.raises(ProofError):
            prove_class(code_of(kernel_of(symbol).kernel), "mul", 2, full)


@pytest.mark.parametrize("symbol", ["mul_spare_mulx", "square_spare_mulx", "mul_full_mulx"])
def test_a_changed_kernel_is_no_theorem(symbol: str) -> None:
    """Constants that change places, and each sum without its carry, or left out."""
    kernel = kernel_of(symbol)
    lines = kernel.kernel.lines
    changes = {
        lines.replace("{n0}, {p0}, {p1}", "{n0}, {p1}, {p0}"),
        lines.replace("{n0}, {p0}, {p1}", "{p0}, {n0}, {p1}"),
        lines.replace("cmovc", "cmovnc"),
    }
    for found in re.finditer(r"^(adc|sbb|add|sub) .*$", lines, re.MULTILINE):
        first, last, name = found.start(), found.end(), found[1]
        other = {"adc": "add", "sbb": "sub", "add": "sub", "sub": "add"}[name]
        changes |= {
            lines[:first] + lines[last:],
            lines[:first] + found[0].replace(name, other, 1) + lines[last:],
        }
    assert lines not in changes
    for changed in changes:
        wrong = replace(kernel, kernel=replace(kernel.kernel, lines=changed))
        with pytest.raises(ProofError):
            wrong.prove()
