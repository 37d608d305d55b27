"""Kernels of the crate are proved for every odd modulus of their class at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fieldc.packages.rust.classes import (
    COMPLEMENT,
    FOLD,
    FULL,
    LAZY_FOLD,
    LAZY_FULL,
    LIMBS,
    SPARE,
    PrimeClass,
)
from fieldc.packages.rust.plain import class_name, shaped_primes
from fieldc.packages.rust.sums import FITTING
from fieldc.packages.rust.theorems import (
    Theorem,
    code_of,
    code_of_sum,
    kernels_of_classes,
    moduli_of,
    sums_of_classes,
)
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.claims import CLASS_CLAIMS
from fieldc.proof.classes.modulus import Moduli
from fieldc.proof.classes.prove import prove_class

GENERATED = Path(__file__).parents[1] / "crates" / "fieldc" / "src" / "generated"
QUICK = (2, 4, 6)


@cache
def of_one_prime() -> re.Pattern[str]:
    """Kernels for one prime, which are proved with its constants, and those of towers."""
    own = "|".join(f"_{class_name(f)}_" for f in shaped_primes())
    return re.compile(rf"_plain_|_extension_|_tower_|{own}")


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in LIMBS[1:]]
)
def test_every_kernel_of_a_class_is_a_theorem(limbs: int) -> None:
    kernels = {k.symbol: k for k in kernels_of_classes(GENERATED, limbs)}
    written = kernels_in((GENERATED / f"n{limbs:02}.rs").read_text())
    assert kernels.keys() == {symbol for symbol in written if not of_one_prime().search(symbol)}
    for symbol, kernel in kernels.items():
        cases = 1 if "_lazy_" in symbol else 4 if symbol.startswith("sum_of_products_full") else 2
        assert kernel.prove() == cases, symbol


@cache
def kernel_of(symbol: str, limbs: int = 2) -> Theorem:
    return next(k for k in kernels_of_classes(GENERATED, limbs) if k.symbol == symbol)


@pytest.mark.parametrize("limbs", FITTING)
def test_every_sum_is_a_theorem(limbs: int) -> None:
    sums = [*sums_of_classes(limbs)]
    assert [theorem.operation for theorem in sums] == [
        *("add", "double", "add", "double", "sub", "neg", "reduce_lazy")
    ]
    for theorem in sums:
        assert theorem.prove() == 2


def test_a_changed_sum_is_no_theorem() -> None:
    spare, twice, *others = sums_of_classes(2)
    for theorem in (spare, twice, others[-1]):
        assert theorem.top == 1 << 63
        with pytest.raises(ProofError):
            replace(theorem, top=FULL.top).prove(runs=0)
    for theorem in (spare, twice, *others):
        for place, line in enumerate(theorem.piece.lines):
            if line.startswith("mov {y:e}"):
                continue  # y is taken for a word then
            lines = theorem.piece.lines[:place] + theorem.piece.lines[place + 1 :]
            if theorem.operation == "reduce_lazy" and line.startswith("mov {t"):
                continue  # scratch is taken for a constant then
            with pytest.raises(ProofError):
                replace(theorem, piece=replace(theorem.piece, lines=lines)).prove(runs=0)


def test_a_sum_is_no_theorem_of_another_operation() -> None:
    for theorem in sums_of_classes(2):
        code = code_of_sum(theorem.piece, 2, theorem.operation)
        for operation, said in CLASS_CLAIMS.items():
            if operation != theorem.operation and said.below == 1:
                with pytest.raises(ProofError):
                    prove_class(code, operation, Moduli(2, theorem.top), runs=0)


WIDER = {
    "mul_spare_mulx": FULL,
    "square_spare_mulx": FULL,
    "sum_of_products_spare_mulx": FULL,
    "mul_complement_mulx": FULL,
    "square_complement_mulx": FULL,
    "mul_near_mulx": FULL,
    "square_near_mulx": FULL,
    "mul_fold_mulx": SPARE,
    "square_fold_mulx": SPARE,
    "mul_lazy_full_mulx": SPARE,
    "square_lazy_spare_mulx": SPARE,
    "mul_lazy_fold_mulx": LAZY_FULL,
    "square_lazy_fold_mulx": LAZY_FULL,
}


@pytest.mark.sweep(7)
@pytest.mark.parametrize("symbol", WIDER)
def test_no_theorem_holds_for_a_wider_class(symbol: str) -> None:
    kernel = kernel_of(symbol)
    kernel.prove()
    with pytest.raises(ProofError):
        replace(kernel, of=WIDER[symbol]).prove(runs=0)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("of", [FOLD, COMPLEMENT, LAZY_FOLD])
def test_folds_need_both_limits(of: PrimeClass) -> None:
    """Of p, and of n0, which says how large mu is."""
    for operation, _ in of.algorithms:
        kernel = kernel_of(f"{operation}_{of.suffix}_mulx")
        for wider in (replace(of, top=FULL.top), replace(of, n0=FULL.n0)):
            with pytest.raises(ProofError):
                replace(kernel, of=wider).prove(runs=0)


def test_no_theorem_is_of_another_operation() -> None:
    for symbol, other in (
        ("mul_spare_mulx", "square"),
        ("square_spare_mulx", "mul"),
        ("mul_lazy_full_mulx", "mul"),
        ("mul_spare_mulx", "mul_lazy"),
        ("sum_of_products_spare_mulx", "mul"),
    ):
        kernel = kernel_of(symbol)
        with pytest.raises(ProofError):
            prove_class(code_of(kernel.kernel), other, moduli_of(kernel.of, 2), runs=0)


def changed(lines: str) -> Iterator[str]:
    """Constants that change places, and each sum without its carry, or left out."""
    found = re.search(r"\.quad (.*)", lines)
    assert found is not None
    names = found[1].split(", ")
    for i in range(1, len(names)):
        swapped = [*names[: i - 1], names[i], names[i - 1], *names[i + 1 :]]
        yield lines.replace(found[1], ", ".join(swapped))
    if "cmovc" in lines:
        yield lines.replace("cmovc", "cmovnc")
    for row in re.finditer(r"^(adc|sbb|add|sub|imul|lea) .*$", lines, re.MULTILINE):
        first, last, name = row.start(), row.end(), row[1]
        if "rip" in row[0]:
            continue
        yield lines[:first] + lines[last:]  # an empty line
        other = {"adc": "add", "sbb": "sub", "add": "sub", "sub": "add"}.get(name)
        if other:
            yield lines[:first] + row[0].replace(name, other, 1) + lines[last:]


SAME = {
    "mul_near_mulx": (
        *(("sub r8, r9", ""), ("sub rdi, rsi", "")),
        *(("sbb rdi, rdx", "sub rdi, rdx"), ("sbb r11, rdx", "sub r11, rdx")),
    ),
    "square_near_mulx": (("sbb rdi, rdx", "sub rdi, rdx"), ("sbb rsi, rdx", "sub rsi, rdx")),
}
"""Lines that may change: q*c ends with the limb that q was made of, so no borrow leaves it."""


def is_same(symbol: str, text: str) -> bool:
    """Whether a changed kernel is known to compute the same."""
    lines = kernel_of(symbol).kernel.lines
    pairs = SAME.get(symbol, ())
    return text in {re.sub(f"^{old}$", new, lines, flags=re.MULTILINE) for old, new in pairs}


MUTANTS = [
    (symbol, text)
    for symbol in ("mul_full_mulx", "square_full_mulx", "sum_of_products_full_mulx", *WIDER)
    for text in dict.fromkeys(changed(kernel_of(symbol).kernel.lines))
    if not is_same(symbol, text)
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("symbol", "text"), MUTANTS, ids=range(len(MUTANTS)))
def test_a_changed_kernel_is_no_theorem(symbol: str, text: str) -> None:
    kernel = kernel_of(symbol)
    assert text != kernel.kernel.lines
    wrong = replace(kernel, kernel=replace(kernel.kernel, lines=text))
    with pytest.raises(ProofError):
        wrong.prove(runs=0)
