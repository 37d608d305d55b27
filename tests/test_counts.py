"""The table that predicts multiplications and additions is what the compiler counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from primes import named_kernel, random_field, search, upwards

from fieldc.algorithms import FUSED, KERNELS, STUDIED
from fieldc.algorithms.counts import PREDICTIONS
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel
from fieldc.words.lower import lower


@cache
def generic(limbs: int) -> Field:
    """A prime with spare bits and without any limb 0 or 1 in its constants."""
    return next(_generic(limbs))


@cache
def roomy(limbs: int) -> Field:
    """Such a prime with a small mu, modulo which -1 is no square."""
    return next(f for f in _generic(limbs) if f.p % 4 == 3 and 2 * f.mu < f.p)


def _generic(limbs: int) -> Iterator[Field]:
    fields = (random_field(seed, 64, 64 * limbs - 6) for seed in range(100))
    return (
        f
        for f in fields
        if not {0, 1} & {f.n0, *(w for c in (f.p, f.mu, f.R2) for w in f.limbs(c))}
    )


@cache
def below_a_power(limbs: int) -> Field:
    """A prime 2^a - c with a small c."""
    return Field(search(upwards((1 << 64 * limbs - 6) - (1 << 40) - 1, -2)))


def near_radix(limbs: int) -> Field:
    """A prime R - c with c of one limb, none of whose words is 0 or 1."""
    return Field(search(upwards((1 << 64 * limbs) - (1 << 40) - 1, -2)))


MERSENNE = {2: 127, 9: 521, 10: 607}
"""By limbs, a k for which 2^k - 1 is prime. Other numbers of limbs up to 16 have none."""


def mersenne(limbs: int) -> Field:
    """A prime 2^k - 1."""
    return Field((1 << MERSENNE[limbs]) - 1)


SHAPED = {
    "rotation": mersenne,
    "pseudo-mersenne": below_a_power,
    "next-multiple": below_a_power,
    "top-first": below_a_power,
    "top-first-next": below_a_power,
    "mask": below_a_power,
    "chosen": near_radix,
    "near-radix": near_radix,
    "signed-limbs": near_radix,
}
"""Primes that have the shape that an algorithm needs."""


def counted(kernel: Kernel, f: Field) -> tuple[int, int]:
    """Multiplications, those of half a product included, and additions of words."""
    program = lower(kernel.expression(f))
    return program.count("mul") + program.count("mul_low"), program.count("add")


@pytest.mark.parametrize("name", PREDICTIONS, ids="-".join)
def test_predictions(name: tuple[str, str]) -> None:
    """Of polynomials of degree 2 that may differ for odd n: more points than they have terms."""
    check_predictions(name, range(2, 9))


@pytest.mark.full
@pytest.mark.parametrize("name", PREDICTIONS, ids="-".join)
def test_predictions_at_more_limbs(name: tuple[str, str]) -> None:
    check_predictions(name, range(9, 17))


def check_predictions(name: tuple[str, str], limbs: range) -> None:
    """Count a kernel at each number of limbs."""
    prediction = PREDICTIONS[name]
    if name[1] == "solinas":
        pytest.skip("the prime decides")
    for n in (n for n in limbs if n in MERSENNE or name[1] != "rotation"):
        make = roomy if name[0] in {k.operation for k in FUSED} else generic
        f = SHAPED.get(name[1], make)(n)
        products, additions = counted(named_kernel(*name), f)
        # Of some algorithms the prime decides how many additions there are.
        predicted = prediction.products(n), prediction.additions_of(n) or additions
        assert predicted == (products, additions), n


@pytest.mark.parametrize("p", [2**224 - 2**96 + 1, 2**256 - 2**224 + 2**192 + 2**96 - 1])
def test_sums_of_solinas_need_no_products(p: int) -> None:
    f = Field(p)
    for operation in ("mul_plain", "reduce"):
        predicted = PREDICTIONS[operation, "solinas"].products(f.n)
        assert counted(named_kernel(operation, "solinas"), f)[0] == predicted


def test_every_algorithm_on_words_is_predicted() -> None:
    for kernel in (*KERNELS, *STUDIED):
        if (kernel.operation, kernel.algorithm) not in PREDICTIONS:
            with pytest.raises(DoesNotApply):  # it needs integers, or one limb
                kernel.expression(generic(4))


def test_formulas_as_text() -> None:
    said = {name: (str(p.products), str(p.additions)) for name, p in PREDICTIONS.items()}
    assert said["mul", "cios"] == ("2n^2 + n", "4n^2 + n - 1")
    assert said["mul", "two-limb-quotients"][0] == "2n^2 + 1.5n (odd n: -0.5)"
    assert said["add", "add"] == ("0", "n")
