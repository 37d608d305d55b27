"""The proof in docs/proof-by-hand.md: its instructions, its equations and its numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.counting.decode import decode
from fieldc.machine.assemble import host_triple
from fieldc.proof.algebra.equations import Equation, Select, System
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.prove import prove
from fieldc.proof.proved import CaseProof
from fieldc.targets.registry import find_target

ON_X86_64 = pytest.mark.skipif(
    "x86_64" not in host_triple(), reason="LLVM here assembles no x86-64"
)
PAGE = (Path(__file__).resolve().parents[1] / "docs" / "proof-by-hand.md").read_text("utf-8")
P, R = (1 << 61) - 1, 1 << 64
NAMES = ("x", "y", "l", "h", "q", "u", "L", "H", "w", "c", "t", "d", "s", "b", "z")
"""The variables by number, as the page calls them."""
X, Y, L_LOW, H_LOW, Q, U, L, H, W, C, T, D, S, B, Z = range(len(NAMES))


class Proof:
    """The proof of the page's kernel: its code, its equations and both cases."""

    def __init__(self) -> None:
        (words,) = re.findall(r"^fieldc build (\S+) --op (\w+) --algorithm (\w+) ", PAGE, re.M)
        name, operation, algorithm = words
        field, target = find_field(name), find_target("x86_64-linux")
        artifacts = {a.variant: a for a in target.produce(choose(field, operation, algorithm))}
        kernel = artifacts["mulx"]
        assert kernel.code is not None
        function = function_of(kernel.code, kernel.symbol)
        self.code, start = function.code, function.start
        self.cases: list[CaseProof] = []
        contract = contract_of("mul", P, 1, {})
        self.system = prove(self.code, contract, "sysv", start, record=self._record).system

    def _record(self, case: object) -> None:
        assert isinstance(case, CaseProof), "the page excludes no case"
        self.cases.append(case)


@pytest.fixture(scope="module")
def proof() -> Proof:
    return Proof()


@ON_X86_64
def test_the_page_has_the_instructions(proof: Proof) -> None:
    listed = re.findall(r"^\| 0x(\w+) \| `(.*?)` \|", PAGE, re.M)
    length = int(listed[-1][0], 16) + 1
    code = decode(proof.code[:length], "x86_64")
    assert [(f"{i.address:02x}", i.text.replace("qword ptr [rip", "[rip")) for i in code] == listed


def said(system: System, row: Equation | Select) -> str:
    """A row as the page writes it."""
    if isinstance(row, Select):
        ((on,),), ((off,),) = row.when_set, row.otherwise
        return f"{NAMES[row.word]} = {NAMES[on]} if {NAMES[row.flag]}, else {NAMES[off]}"
    constants = {P: "p*", (1 << 61) + 1: "(2^61 + 1)*", 1: "", -P: "p"}
    terms = [
        constants[int(factor)] + "*".join(NAMES[v] for v in monomial)
        for monomial, factor in row.right.items()
    ]
    joined = f"{terms[0]} - {terms[1]}" if row.factor < 0 else " + ".join(terms)
    assert row.carry is not None and abs(row.factor) == R == system.radix
    sign = "-" if row.factor < 0 else "+"
    return f"({row.number + 1}) {NAMES[row.word]} {sign} 2^64*{NAMES[row.carry]} = {joined}"


@ON_X86_64
def test_the_page_has_the_equations(proof: Proof) -> None:
    listed = re.findall(r"^\| 0x\w+ \| `.*?` \| ((?:\(|z = ).*?) \|$", PAGE, re.M)
    assert [said(proof.system, row) for row in proof.system.rows] == listed


@ON_X86_64
def test_the_facts(proof: Proof) -> None:
    ranges = [high for _, high in proof.system.ranges]
    assert ranges[H_LOW] == (1 << 58) - 1 == (P - 1) ** 2 // R
    assert ranges[H] == P - 1 == P * (R - 1) // R
    assert ranges[T] == (1 << 58) + P - 1 < R and ranges[D] == 0
    assert (1 + P * ((1 << 61) + 1)) % R == 0
    for case in proof.cases:
        no_carry, no_word = case.case.facts[D], case.case.facts[W]
        assert no_carry.bound is not None and (no_carry.value, no_word.value) == (0, 0)
        assert no_word.residue == {3: {(): 1}, 2: {(): 1}, 1: {(): P}}


@ON_X86_64
def test_the_function_and_the_bound_in_both_forks(proof: Proof) -> None:
    without, with_borrow = proof.cases
    assert (without.case.fixed[B], with_borrow.case.fixed[B]) == (0, 1)
    used = {6: 8, 4: 8, 3: 1, 2: 1, 0: 1}
    assert R % P == 8
    for case, more in ((without, {5: 8}), (with_borrow, {})):
        factors = {row: multiple[()] % P for row, multiple in case.identity.items()}
        assert factors == used | more
    bounds = [Fraction(c.canonical.value) / c.canonical.scale for c in proof.cases]
    assert bounds == [(1 << 58) - 1, P - 1]


def test_the_elimination_on_numbers() -> None:
    for x, y in ((P - 1, P - 1), (0, 5), (3, 1 << 60), (P - 1, 1)):
        low, high = x * y % R, x * y // R
        q = low * ((1 << 61) + 1) % R
        carry = (low + q * P % R) // R
        t = high + q * P // R + carry
        assert R * t - x * y == P * q
        z = t if t < P else t - P
        assert z == x * y * pow(R, -1, P) % P
