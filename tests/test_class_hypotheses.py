"""What theorems of classes take for granted holds of the constants of real primes."""

from __future__ import annotations

from math import prod

import pytest

from fieldc.catalogue import every_prime
from fieldc.field import Field
from fieldc.packages.rust.classes import (
    CLASSES,
    EXTENSION,
    LAZY_CLASSES,
    PrimeClass,
    representative,
)
from fieldc.packages.rust.theorems import moduli_of
from fieldc.proof.algebra.equations import Polynomial, System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.classes.modulus import Moduli, Modulus, modulus_of

RADIX = 1 << 64


def value(terms: Polynomial, at: dict[int, int]) -> int:
    return sum(int(c) * prod(at[v] for v in m) for m, c in terms.items())


def violated(f: Field, modulus: Modulus) -> list[str]:
    """The hypotheses that do not hold of a field."""
    system, at = modulus.system, dict[int, int]()
    for number in modulus.inputs:
        words = getattr(f, number.name)
        at |= {v: words >> 64 * i & RADIX - 1 for i, v in enumerate(number.limbs)}
    faults = [] if modulus.of.least <= f.p <= modulus.of.most else ["the range of p"]
    faults += [] if value(modulus.p, {**at}) == f.p else ["p"]
    for known in modulus.equations:
        number = sum(int(c) * at[m[0]] for m, c in known.value.items())
        unknown = {v for m in known.factor for v in m} - at.keys()
        rest = known.divisor * number - known.rest
        faults += ["an equation"] if rest % f.p else []
        at |= dict.fromkeys(unknown, rest // f.p)
        faults += [] if value(known.factor, at) * f.p == rest else ["an equation"]
    for pair, residue in modulus.pairs.items():
        faults += [] if (prod(at[v] for v in pair) - residue) % RADIX == 0 else ["a residue"]
    for v, number in at.items():
        faults += [] if 0 <= number <= system.ranges[v][1] else [f"the range of {system.names[v]}"]
    return faults


def names_of(of: PrimeClass, limbs: int, name: str) -> set[str]:
    """All constants; p, or its complement in its place."""
    folds = ("mu", "minus_mu", "fold_rest") if limbs > 1 else ()
    return {"n0", "p_inverse", *(f"{x}[{i}]" for x in (name, *folds) for i in range(limbs))}


@pytest.mark.parametrize("of", [*CLASSES, *LAZY_CLASSES, EXTENSION], ids=lambda of: of.name)
def test_hypotheses_hold_of_the_primes_of_a_class(of: PrimeClass) -> None:
    fields = [representative(of, limbs) for limbs in of.limbs[:3]]
    fields = [f for f in fields if of.has(f)]  # mu of a representative may be above its limit
    fields += [f for f in (Field(prime.p) for prime in every_prime().values()) if of.has(f)]
    assert fields
    for f in fields:
        for name in ("p",) if of.near else ("p", "complement"):
            moduli = moduli_of(of, f.n)
            modulus = modulus_of(moduli, System(64), names_of(of, f.n, name))
            assert not violated(f, modulus), f.label


def test_a_prime_outside_is_noticed() -> None:
    f = Field((1 << 127) - 1)
    assert not violated(f, modulus_of(Moduli(2, 1 << 63), System(64), {"p[0]", "n0"}))
    assert violated(f, modulus_of(Moduli(2, 1 << 62), System(64), {"p[0]", "n0"}))
    small = Moduli(2, 1 << 63, next_of_mu=f.limbs(f.mu)[0] - 1)
    names = {"p[0]", "mu[0]", "mu[1]"}
    assert violated(f, modulus_of(small, System(64), names)) == ["the range of mu[0]"]
    few = Moduli(2, 1 << 63, n0=(0, 0))
    assert violated(f, modulus_of(few, System(64), {"p[0]", "n0"})) == ["the range of n0[0]"]
    assert violated(f, modulus_of(Moduli(2, 1 << 64, is_near=True), System(64), {"p[0]"}))


def test_constants_that_are_unknown_are_refused() -> None:
    for names in ({"p[0]", "R2[0]"}, {"p[2]"}, {"p[0]", "complement[0]"}):
        with pytest.raises(ProofError):
            modulus_of(Moduli(2, 1 << 64), System(64), names)
