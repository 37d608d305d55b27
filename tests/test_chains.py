"""Addition chains: right for every exponent, short, and the same each time."""

from __future__ import annotations

import random

import pytest

from fieldc.algorithms.chains import Chain, chain
from fieldc.catalogue import find_field, named_primes

P = (1 << 127) - 1


def root_exponent(name: str) -> int:
    """(q - 1)/2 for p - 1 = q * 2^s, q odd."""
    even = find_field(name).p - 1
    return even // (even & -even) // 2


def check(c: Chain) -> None:
    """The steps make the exponent, from places that were written before."""
    exponents = {0: 1}
    for step in c.steps:
        by = 0 if step.by is None else exponents[step.by]
        exponents[step.to] = (exponents[step.of] << step.squarings) + by
        assert 0 <= step.to < c.kept and step.to != step.by
    assert exponents[c.steps[-1].to] == c.exponent
    assert c.run(3, P) == pow(3, c.exponent, P)


def test_small_exponents() -> None:
    for exponent in range(1, 400):
        check(chain(exponent))


@pytest.mark.parametrize("seed", range(6))
def test_random_exponents(seed: int) -> None:
    rng = random.Random(f"chain {seed}")
    ones = ((1 << rng.randrange(1, 90)) - 1) << rng.randrange(200)
    check(chain(rng.getrandbits(rng.randrange(1, 250)) | ones))


@pytest.mark.parametrize(
    ("name", "products"),
    [
        *(("secp256k1-p", 15), ("curve25519", 13), ("p256", 12), ("p384", 16), ("p521", 12)),
        *(("bn254-p", 58), ("bls12-381-r", 46), ("bls12-381-p", 77)),
    ],
)
def test_a_root_takes_few_products(name: str, products: int) -> None:
    c = chain(root_exponent(name))
    check(c)
    assert c.products <= products
    assert c.squarings <= find_field(name).bits + 16


def test_an_exponent_is_positive() -> None:
    with pytest.raises(ValueError, match="positive exponent, not 0"):
        chain(0)


@pytest.mark.full
@pytest.mark.parametrize("name", [n for n, p in named_primes().items() if p.p.bit_length() > 64])
def test_every_named_prime_has_a_chain(name: str) -> None:
    check(chain(root_exponent(name)))
