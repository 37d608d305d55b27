"""Each class of defect in DEFECTS.md, put back in and caught; and the table's names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from defects.sabotage import (
    at,
    compiled,
    flipped,
    other_prime,
    places,
    proved,
    proved_text,
    renamed,
    store_early,
)

from fieldc.catalogue import find_field
from fieldc.machine.assemble import host_triple
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import CLAIMS, Contract, Operand
from fieldc.targets.x86_64.choices import VARIANTS

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the fixtures are x86-64")
P = (1 << 62) - 57
PAIR = Contract(P, 1, (Operand("x", 1, P - 1), Operand("y", 1, P - 1)), CLAIMS["add"], 1, P - 1)
ONE = Contract(P, 1, (Operand("x", 1, P - 1),), CLAIMS["neg"], 1, P - 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_carry_lost_in_squaring(variant: str) -> None:
    kernel = compiled("bn254-p", "square", variant)
    rows = places(kernel, "adc", "adcx")
    for place in (rows[len(rows) // 3], rows[len(rows) // 2]):
        with pytest.raises(ProofError):
            proved(renamed(kernel, place, "add"), "bn254-p", "square")


def test_carries_that_do_not_ripple() -> None:
    kernel = compiled("bn254-p", "add", "base")
    with pytest.raises(ProofError, match="carry"):
        proved(renamed(kernel, places(kernel, "adc")[0], "add"), "bn254-p", "add")


SUM = f"mov rax, [rsi]; add rax, [rdx]; movabs r9, {P}; mov r8, rax; "
FROM_P = "sub r8, r9; cmovae rax, r8; mov [rdi], rax; ret"
ABOVE_P = "sub r8, r9; sub r9, rax; cmovb rax, r8; mov [rdi], rax; ret"
"""x + y, less p where x + y >= p, and where x + y > p."""


def test_p_instead_of_0() -> None:
    proved_text(SUM + FROM_P, PAIR)
    with pytest.raises(ProofError, match="canonical"):
        proved_text(SUM + ABOVE_P, PAIR)


def test_two_encodings_of_zero() -> None:
    with pytest.raises(ProofError, match="canonical"):
        proved_text(f"movabs rax, {P}; sub rax, [rsi]; mov [rdi], rax; ret", ONE)


def test_a_missing_reduction() -> None:
    kernel = compiled("bn254-p", "mul")
    for place in reversed(places(kernel, "cmovc")):
        kernel = at(kernel, place)
    with pytest.raises(ProofError):
        proved(kernel, "bn254-p", "mul")


def test_a_wrong_select_flag() -> None:
    kernel = compiled("bn254-p", "mul")
    last = places(kernel, "sbb")[-1]
    for wrong in (renamed(kernel, last, "sub"), at(kernel, last)):
        with pytest.raises(ProofError):
            proved(wrong, "bn254-p", "mul")


def test_a_carry_assumed_clear_on_entry() -> None:
    kernel = compiled("bn254-p", "add")
    with pytest.raises(ProofError, match="flag that is undefined"):
        proved(renamed(kernel, places(kernel, "add")[0], "adc"), "bn254-p", "add")


@pytest.mark.parametrize("full", ["secp256k1-p", "p256"])
def test_a_full_bit_prime_taken_for_one_with_a_spare_bit(full: str) -> None:
    kernel = compiled("bn254-p", "add")
    p = find_field(full).p
    names = [name for name, _ in kernel.constants]
    words = [p >> 64 * int(re.findall(r"\d+", name)[-1]) & (1 << 64) - 1 for name in names]
    proved(kernel, "bn254-p", "add")
    with pytest.raises(ProofError):
        proved(other_prime(kernel, words), full, "add")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_wrong_constant_of_the_generator(variant: str) -> None:
    kernel = compiled("bn254-p", "mul", variant)
    for index in range(0, len(kernel.constants), 3):
        with pytest.raises(ProofError):
            proved(flipped(kernel, index, 63), "bn254-p", "mul")


@pytest.mark.parametrize("operation", ["add", "mul"])
def test_an_input_read_after_the_output_is_written(operation: str) -> None:
    with pytest.raises(ProofError, match="after it wrote z"):
        proved(store_early(compiled("bn254-p", operation)), "bn254-p", operation)


TABLE = (ROOT / "DEFECTS.md").read_text()
NAMES = sorted(set(re.findall(r"`([\w/]+\.(?:py|rs))::(\w+)`", TABLE)))


def test_the_table_names_tests() -> None:
    rows = [line for line in TABLE.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| what")]
    assert len(rows) >= 20 and len(NAMES) >= 20
    for row in rows:
        assert "::" in row or "not here yet" in row, row


@pytest.mark.parametrize("file, name", NAMES, ids=[name for _, name in NAMES])
def test_every_named_test_exists(file: str, name: str) -> None:
    assert re.search(rf"\b(?:def|fn) {name}\b", (ROOT / file).read_text())
