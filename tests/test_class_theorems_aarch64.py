"""The crate's AArch64 kernels are proved for every odd modulus of their class at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.packages.rust.aarch64_sums import ARM_FITTING
from fieldc.packages.rust.aarch64_theorems import (
    arm_inlined_of_classes,
    arm_kernels_of_classes,
    arm_sums_of_classes,
)
from fieldc.packages.rust.classes import FULL, LIMBS, SPARE
from fieldc.packages.rust.plain import class_name, shaped_primes
from fieldc.packages.rust.theorems import Theorem
from fieldc.packages.rust.written import kernels_in
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.proof.algebra.identity import ProofError

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
QUICK = (2, 4, 6)
INLINED = [*arm_inlined_of_classes(GENERATED, 1)]


@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in LIMBS[1:]]
)
def test_every_aarch64_kernel_of_a_class_is_a_theorem(limbs: int) -> None:
    kernels = {k.symbol: k for k in arm_kernels_of_classes(GENERATED, limbs)}
    written = kernels_in((GENERATED / f"aarch64_n{limbs:02}.rs").read_text())
    own = tuple(f"_{class_name(f)}" for f in shaped_primes())
    of_classes = {s for s in written if "_plain_" not in s and not s.endswith(own)}
    assert kernels.keys() == of_classes
    for symbol, kernel in kernels.items():
        cases = 1 if "_lazy_" in symbol else 4 if symbol.startswith("sum_of_products_full") else 2
        assert kernel.prove() == cases, symbol


def test_every_aarch64_kernel_of_one_limb_is_a_theorem() -> None:
    written = inline_kernels_in((GENERATED / "aarch64_n01.rs").read_text())
    assert {t.symbol for t in INLINED} == {name for name in written if "_shifted" not in name}
    for theorem in INLINED:
        assert theorem.prove() > 0


@pytest.mark.parametrize("limbs", ARM_FITTING)
def test_every_aarch64_sum_is_a_theorem(limbs: int) -> None:
    sums = [*arm_sums_of_classes(limbs)]
    assert len(sums) == 7
    for theorem in sums:
        assert theorem.prove() == 2


def test_no_aarch64_sum_holds_for_a_wider_class() -> None:
    sums = [t for t in arm_sums_of_classes(2) if t.top < FULL.top]
    assert len(sums) == 3
    for theorem in sums:
        with pytest.raises(ProofError):
            replace(theorem, top=FULL.top).prove(runs=0)


WIDER = {
    "mul_spare": FULL,
    "square_spare": FULL,
    "sum_of_products_spare": FULL,
    "mul_near": FULL,
    "mul_fold": SPARE,
    "square_fold": SPARE,
    "mul_lazy_full": SPARE,
    "square_lazy_spare": SPARE,
}


def kernel_of(symbol: str) -> Theorem:
    return next(k for k in arm_kernels_of_classes(GENERATED, 2) if k.symbol == symbol)


@pytest.mark.parametrize("symbol", WIDER)
def test_no_aarch64_theorem_holds_for_a_wider_class(symbol: str) -> None:
    with pytest.raises(ProofError):
        replace(kernel_of(symbol), of=WIDER[symbol]).prove(runs=0)


def changed(lines: str) -> Iterator[str]:
    """Constants that change places, and each sum without its carry, or left out."""
    found = re.search(r"\.quad (.*)", lines)
    assert found is not None
    names = found[1].split(", ")
    for i in range(1, len(names)):
        swapped = [*names[: i - 1], names[i], names[i - 1], *names[i + 1 :]]
        yield lines.replace(found[1], ", ".join(swapped))
    if ", lo\n" in lines:
        yield lines.replace(", lo\n", ", hs\n")
    swapped = {"adcs": "adds", "sbcs": "subs", "adc": "add", "adds": "subs", "subs": "adds"}
    for row in re.finditer(r"^(adcs|sbcs|adc|adds|subs|cmp|mul|umulh) .*$", lines, re.MULTILINE):
        first, last, name = row.start(), row.end(), row[1]
        yield lines[:first] + lines[last:]
        if name in swapped:
            yield lines[:first] + row[0].replace(name, swapped[name], 1) + lines[last:]


MUTANTS = [
    (symbol, text)
    for symbol in ("mul_full", "square_full", "sum_of_products_full", *WIDER)
    for text in dict.fromkeys(changed(kernel_of(symbol).kernel.lines))
]


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("symbol", "text"), MUTANTS, ids=range(len(MUTANTS)))
def test_a_changed_aarch64_kernel_is_no_theorem(symbol: str, text: str) -> None:
    kernel = kernel_of(symbol)
    assert text != kernel.kernel.lines
    with pytest.raises(ProofError):
        replace(kernel, kernel=replace(kernel.kernel, lines=text)).prove(runs=0)


def test_a_result_whose_highest_limb_is_constant_is_no_theorem() -> None:
    """Without its last subtraction the limb is chosen among a constant and a word."""
    kernel = kernel_of("mul_near")
    (last,) = re.findall(r"^sbcs x4, .*\n", kernel.kernel.lines, re.MULTILINE)
    text = kernel.kernel.lines.replace(last, "")
    with pytest.raises(ProofError):
        replace(kernel, kernel=replace(kernel.kernel, lines=text)).prove(runs=0)
