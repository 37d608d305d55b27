"""Dropped borrows that equal what the code left out: shown where that is so, and not beyond."""

from __future__ import annotations

import pytest
from certificates import BARRETT, code_of
from contracts import contract_named
from sampling import sampled

from fieldc.catalogue import find_field
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Polynomial, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.refute import complete, evaluate, samples
from fieldc.proof.algebra.wraps import Equality, equate_dropped
from fieldc.proof.prove import prove

P = 241


def remainder(most: int) -> tuple[Case, dict[str, int], int]:
    """(q*p + r + e) - q*p in words of 8 bits without what is above them, for e of 0 or 1."""
    system = System(8)
    highs = {"q": 255, "r": most, "e": 1}
    names = {name: system.new(name, high) for name, high in highs.items()}
    q, r, e = names.values()
    first, _ = system.define("mul", {(q,): P}, 1, "q*p")
    total, _ = system.define("add", {(first,): 1, (r,): 1, (e,): 1}, 1, "+ r + e")
    second, _ = system.define("mul", {(q,): P}, 1, "q*p again")
    _, borrow = system.define("sub", {(total,): 1, (second,): -1}, -1, "the difference")
    inputs = tuple(Input(name, (number,), highs[name]) for name, number in names.items())
    return Case(system, inputs), names, borrow


def equalities(case: Case, claim: Polynomial) -> dict[int, Equality]:
    """What is found of dropped carries, by the carry."""
    runs = [sample.values for sample in samples(case.system, case.inputs, 16)]
    return {equality.carry: equality for equality in equate_dropped(case, claim, P, runs)}


@pytest.mark.parametrize(("most", "holds"), [(100, True), (254, True), (255, False)])
def test_a_borrow_equals_what_is_left_out(most: int, holds: bool) -> None:
    """r + e must be below 2^8: where it may be 2^8, the limbs are another number."""
    case, names, borrow = remainder(most)
    q, r, e = names.values()
    found = equalities(case, {(r,): 1, (e,): 1})
    assert (borrow in found) == holds
    system = remainder(most)[0].system
    for numbers in [{q: a, r: b, e: c} for a in range(256) for b in (0, 9, most) for c in (0, 1)]:
        complete(system, numbers)
        for equality in found.values():
            assert numbers[equality.carry] == evaluate(equality.value, numbers)


def test_a_number_that_is_not_claimed_is_left_alone() -> None:
    for more in ({(): 1}, {(1,): 2}, {(0,): 1}):
        case, names, borrow = remainder(100)
        claim = {(names["r"],): 1, (names["e"],): 1, **more}
        assert borrow not in equalities(case, claim)


@pytest.mark.parametrize("case", sampled([], [BARRETT[1], BARRETT[3]]), ids="-".join)
def test_a_worse_estimate_is_refused(case: tuple[str, str, str, str]) -> None:
    """R^2/p with one of its upper bits off: the remainder is below 0, or too large."""
    f, code = find_field(case[0]), code_of(*case)
    contract = contract_named(case[1], f.p, f.n)
    constant = f.R**2 // f.p
    words = [constant >> 64 * i & (1 << 64) - 1 for i in range(1, f.n + 1)]
    places = [code.rfind(word.to_bytes(8, "little")) for word in words if word >> 32]
    assert places
    for place in places:
        for bit in (7, 63) if place == places[-1] else (63,):
            changed = bytearray(code)
            changed[place + bit // 8] ^= 1 << bit % 8
            with pytest.raises(ProofError):
                prove(bytes(changed), contract, runs=0)
    prove(code, contract, runs=0)
