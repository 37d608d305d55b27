"""How straight-line formulas divide by R, and how sums of several products are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldc.artifacts.write import build
from fieldc.catalogue import find_field
from fieldc.counting.functions import count_in
from fieldc.decisions.formulas import decide_formula
from fieldc.field import Field
from fieldc.formulas import Element, formula
from fieldc.formulas.divisions import DIVISIONS
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import joined_sums
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import planned
from fieldc.language import DoesNotApply
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED
from fieldc.targets.x86_64.targets import plan_of

EXAMPLES = Path(__file__).parents[1] / "examples"
LAST_TWO = DIVISIONS["log-jump-last-two"]


def _formula(file: str, name: str) -> Formula:
    return next(one for one in load_formulas(EXAMPLES / file) if one.name == name)


def _check(f: Field) -> None:
    LAST_TWO.check(f)


def test_two_quotients_are_for_large_primes_of_three_limbs_or_more() -> None:
    """With two spare bits rows of mu alone are small enough; of two limbs both are dropped so."""
    _check(find_field("bls12-381-r"))
    _check(find_field("secp256k1-p"))
    for other in ("bn254-p", "bls12-381-p", "goldilocks"):
        with pytest.raises(DoesNotApply):
            _check(find_field(other))


def test_a_butterfly_takes_the_shorter_of_two_chains_that_bind_alike() -> None:
    butterfly = _formula("butterfly.py", "butterfly")
    target = TARGETS["x86_64-linux"]
    chosen = decide_formula(find_field("bls12-381-r"), butterfly, target, "sapphire-rapids")
    assert chosen.preferred.expression.kernel.algorithm == "log-jump-last-two"
    figures = {c.algorithm: c.figure for c in chosen.candidates if c.choice.variant.name == "mulx"}
    quick, short = figures["log-jump-last-two"], figures["cios"]
    assert quick and short and quick.latency < short.latency
    assert quick.throughput <= 1.04 * short.throughput


def test_two_products_of_a_sum_are_made_together() -> None:
    """Their rows go into one sum, which is shorter code than two sums one after the other."""
    f = find_field("bls12-381-r")
    sums, parts = joined_sums(planned(_formula("integers.py", "two_steps").over(f)))
    ((start, pairs),) = sums.values()
    assert len(start) == 1 and len(pairs) == 2 and len(parts) == 1
    one, two = (
        decide_formula(f, _formula("integers.py", name), TARGETS["x86_64-linux"], "sapphire-rapids")
        for name in ("step", "two_steps")
    )
    lengths = [
        len(plan_of(of.preferred).compile(of.preferred.expression, "k").code) for of in (one, two)
    ]
    assert lengths[1] < 1.75 * lengths[0]


@formula
def products(x: Element, y: Element, w: Element) -> Element:
    """Two products of factors that fit the limbs."""
    return x * w + x * y


@formula
def square_and_product(x: Element, y: Element, w: Element) -> Element:
    """A square in a sum: x + y + w may not fit the limbs."""
    return (x + y + w) ** 2 + x * y


def test_both_factors_of_a_square_fit_the_limbs() -> None:
    """One had a word more, and a product of two numbers that stand for one is no square."""
    f, target = find_field("bls12-381-r"), TARGETS["x86_64-linux"]
    counts = []
    for one in (products, square_and_product):
        made = build([decide_formula(f, one, target, "zen-3")], lambda *_: None)
        assert {kernel.status for kernel in made} == {PROVED}
        counts.append([count_in(k.code or b"", k.symbol).multiplications for k in made])
    assert counts[0] == counts[1]


def test_a_sum_of_one_product_stays_as_it_is() -> None:
    plan = planned(_formula("integers.py", "step").over(find_field("bn254-r")))
    assert joined_sums(plan) == ({}, frozenset())
