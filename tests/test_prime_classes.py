"""The classes of primes that share the crate's kernels."""

from __future__ import annotations

import pytest

from fieldc.catalogue import find_field, named_primes
from fieldc.packages.rust.classes import (
    CLASSES,
    LAZY_CLASSES,
    LIMBS,
    SHIFT,
    class_of,
    lazy_class_of,
    representative,
    wider_than,
)


@pytest.mark.parametrize("limbs", [2, 4, 8, 12])
def test_a_wider_class_has_every_prime(limbs: int) -> None:
    """Its primes may take the wider one's kernels: a prime near the radix has no spare bit."""
    for prime_class in (*CLASSES, *LAZY_CLASSES):
        if limbs in prime_class.limbs:
            f = representative(prime_class, limbs)
            assert all(wider.has(f) for wider in wider_than(prime_class)), prime_class.name
    near = next(c for c in CLASSES if c.near)
    assert near not in [c for one in CLASSES if one is not near for c in wider_than(one)]


@pytest.mark.parametrize("limbs", LIMBS)
def test_representatives_are_at_the_limits_of_their_classes(limbs: int):
    for prime_class in (*CLASSES, *LAZY_CLASSES):
        if limbs not in prime_class.limbs:
            continue
        f = representative(prime_class, limbs)
        assert f.n == limbs
        near = 1 << SHIFT if prime_class.shifted else 512 if limbs == 1 else 0
        assert f.p >> 64 * (limbs - 1) >= prime_class.top - 1 - near
        least, most = prime_class.n0
        free = (least, most) == (0, (1 << 64) - 1)
        assert free or (f.n0 - least if least else most - f.n0) < 1 << 16


def test_a_prime_s_class_is_the_narrowest():
    names = {name: class_of(find_field(name)).name for name in named_primes()}
    assert names["bls12-381-p"] == "fold" and names["bls12-381-r"] == "complement"
    assert names["csidh-512"] == "spare"
    assert names["secp256k1-p"] == "near" and names["goldilocks"] == "shifted"
    fields = map(find_field, named_primes())
    lazy = {f.name: c.name for f in fields if (c := lazy_class_of(f)) is not None}
    assert lazy["bls12-381-p"] == "lazy_fold" and lazy["bn254-p"] == "lazy_spare"
    assert "bls12-381-r" not in lazy and "secp256k1-p" not in lazy
