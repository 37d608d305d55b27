"""Where latency decides between kernels whose bounds of throughput are close."""

from __future__ import annotations

from math import inf

import pytest

from fieldc.catalogue import find_field
from fieldc.decisions.model import Figure
from fieldc.decisions.orders import CLOSE_PLAIN, quicker_first
from fieldc.decisions.preferred import preferred
from fieldc.targets.choice import Variant
from fieldc.targets.registry import TARGETS


@pytest.mark.parametrize(
    ("name", "operation", "algorithm", "least"),
    [
        ("curve25519", "mul_plain", "top-first", "next-multiple"),
        ("curve25519", "square_plain", "top-first", "top-first-next"),
        ("secp256k1-p", "mul_plain", "top-first-next", "next-multiple"),
        ("m-511", "square_plain", "top-first-next", "next-multiple"),
    ],
)
def test_latency_decides_between_close_products_of_plain_residues(
    name: str, operation: str, algorithm: str, least: str
) -> None:
    """Of the variant's kernels another has the least bound of throughput, and takes longer."""
    f, x86 = find_field(name), TARGETS["x86_64-linux"]
    found = preferred(f, operation, x86, "sapphire-rapids").unscheduled
    alike = [c for c in found.candidates if c.choice.variant == found.preferred.variant]
    figures = {c.algorithm: c.figure for c in alike}
    first, other = figures[algorithm], figures[least]
    assert found.preferred.expression.kernel.algorithm == algorithm and first and other
    assert other.throughput < first.throughput <= CLOSE_PLAIN * other.throughput
    assert first.latency < other.latency


@pytest.mark.parametrize(
    ("name", "operation", "variant", "algorithm", "least"),
    [
        ("bls12-381-r", "mul", "mulx", "log-jump-complement", "cios"),
        ("2^448-2^224-1", "square_plain", "mulx", "solinas", "solinas"),  # the least bound is adx's
    ],
)
def test_latency_decides_between_close_products_on_zen_5(
    name: str, operation: str, variant: str, algorithm: str, least: str
) -> None:
    """Measured 44.7 | 48.6 cycles, and `cios` 45.6 | 55.4; 75.3 | 78.6, and adx 84.6 | 90.7."""
    found = preferred(find_field(name), operation, TARGETS["x86_64-linux"], "zen-5").unscheduled
    assert found.preferred.variant.name == variant
    assert found.preferred.expression.kernel.algorithm == algorithm
    other = min(found.candidates, key=lambda c: c.figure.throughput if c.figure else inf)
    assert other.algorithm == least and other.choice != found.preferred


@pytest.mark.parametrize("processor", ["cascade-lake", "sapphire-rapids", "zen-5"])
def test_latency_decides_between_repeated_squarings(processor: str) -> None:
    """On Zen 5 this took 340.6 | 351.6 cycles, and `cios`, of the lower bound, 392.9 | 410."""
    f, x86 = find_field("bls12-381-r"), TARGETS["x86_64-linux"]
    found = preferred(f, "square_times_8", x86, processor)
    least = min(found.candidates, key=lambda c: c.figure.latency if c.figure else inf)
    assert found.preferred == least.choice and least.algorithm == "log-jump-complement"


def test_variants_are_compared_by_the_same_figures_whatever_else_competes() -> None:
    """m-511's plain square: `top-first-next` in adx takes as much alone as among the others."""
    mulx, adx = Variant("mulx"), Variant("adx")
    both = [(mulx, Figure(53.0, 53.0, 405)), (adx, Figure(53.0, 53.0, 400))]
    others = [(mulx, Figure(52.0, 64.0, 400)), (adx, Figure(53.0, 64.0, 400))]

    def ranked(*found: tuple[Variant, Figure]) -> list[tuple[Variant, Figure]]:
        return quicker_first(found, CLOSE_PLAIN, lambda one: one[1], lambda one: one[0])

    assert ranked(*both) == both[::-1]
    assert [one for one in ranked(*others, *both) if one in both] == both[::-1]
    assert ranked(*others, *both)[0] == both[1]


def test_latency_may_decide_between_variants() -> None:
    """2^448 - 2^224 - 1, plain squares, and a third variant that is far behind."""
    names = {"adx": (44.25, 68), "mulx": (44.5, 47), "base": (60, 40)}
    found = [(Variant(name), Figure(*figure, 400)) for name, figure in names.items()]
    for close, first in ((1, "adx"), (1.08, "mulx")):
        ranked = quicker_first(found, 1, lambda one: one[1], lambda one: one[0], close)
        assert [variant.name for variant, _ in (ranked[0], ranked[-1])] == [first, "base"]
