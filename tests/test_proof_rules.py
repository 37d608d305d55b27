"""Single rules of the prover on small equations: what each shows, and what it must not show."""

from __future__ import annotations

import pytest

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import Identity, ProofError
from fieldc.proof.algebra.refute import complete


def sum_of_tops(addend: int) -> tuple[Case, int, dict[int, int]]:
    """A carry out of the top of x*y + z + w, a high half, a carry and a small addend; a run."""
    system = System(8)
    largest = {"x": 127, "y": 255, "z": 100, "w": 100, "u": 127, "v": 255, "s": 255, "t": 255}
    x, y, z, w, u, v, s, t = (system.new(name, high) for name, high in largest.items())
    a = system.new("a", addend)
    low, high = system.define("mul", {(x, y): 1}, 1, "x*y")
    total, first = system.define("add", {(low,): 1, (z,): 1}, 1, "+ z")
    _, second = system.define("add", {(total,): 1, (w,): 1}, 1, "+ w")
    top, _ = system.define("add", {(high,): 1, (first,): 1}, 1, "first carry")
    top, _ = system.define("add", {(top,): 1, (second,): 1}, 1, "second carry")
    _, half = system.define("mul", {(u, v): 1}, 1, "u*v")
    _, bit = system.define("add", {(s,): 1, (t,): 1}, 1, "s + t")
    right = {(top,): 1, (half,): 1, (a,): 1, (bit,): 1}
    _, carry = system.define("add", right, 1, "the sum")
    inputs = tuple(Input(system.names[n], (n,), system.ranges[n][1]) for n in range(9))
    run = {n: system.ranges[n][1] for n in range(9)}
    complete(system, run)
    return Case(system, inputs), carry, run


@pytest.mark.parametrize(("addend", "largest"), [(1, 0), (2, 1)])
def test_a_carry_is_shown_from_integers(addend: int, largest: int) -> None:
    """127 + 126 + 1 + a: as fractions the same bounds pass 256 even where a is 1."""
    case, carry, run = sum_of_tops(addend)
    assert run[carry] == largest
    assert case.system.ranges[carry] == (0, 1)
    assert case.is_always(carry, 0) == (not largest)


@pytest.mark.parametrize(("off", "factor"), [(0, 256), (1, 256), (0, 255)])
def test_a_carry_that_goes_into_a_word_with_newer_ones(off: int, factor: int) -> None:
    """s + 256*c = x + 255, then n = x, then n - c is 0: so s + 256*x = x + 255."""
    system = System(8)
    x = system.new("x", 1)
    s, c = system.define("add", {(x,): 1, (): 255}, 1, "s")
    n = system.define_word({(x,): 1}, "n")
    system.define("sub", {(n,): 1, (c,): -1, (): off}, -1, "n - c")
    identity = Identity(Case(system, (Input("x", (x,), 1),)), 241)
    target = {(s,): 1, (x,): factor - 1, (): -255}
    if off or factor != 256:
        with pytest.raises(ProofError):
            identity.vanishes(target)
    else:
        identity.vanishes(target)


@pytest.mark.parametrize(("number", "p"), [(256, 250), (0, 251), (5, 250)])
def test_a_factor_without_an_inverse_is_a_proof_error(number: int, p: int) -> None:
    """An even modulus, or a factor that p divides, refuses a claim and is no traceback."""
    with pytest.raises(ProofError, match="no inverse modulo"):
        inverse_of(number, p)


def test_a_lost_carry_modulo_an_even_number_is_a_proof_error() -> None:
    """A high half alone asks for the inverse of 2^8, where its low half is shown to be 0."""
    system = System(8)
    x = system.new("x", 255)
    _, high = system.define("mul", {(x,): 256}, 1, "256*x")
    inputs = (Input("x", (x,), 255),)
    Identity(Case(system, inputs), 251).vanishes({(high,): 1, (x,): -1})
    with pytest.raises(ProofError, match="0x6 has no inverse modulo 0xfa"):
        Identity(Case(system, inputs), 250).vanishes({(high,): 1, (x,): -1})
