"""Primality and the derived constants, against definitions that share no code with them."""

from __future__ import annotations

from math import gcd, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldc import field as field_module
from fieldc.field import MAX_BITS, Field, FieldError, extended_euclid
from fieldc.modulus import ModulusError, is_prime, jacobi

MERSENNE = (2, 3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127, 521, 607)
STRONG_BASE_2 = (2047, 3277, 4033, 4681, 8321, 15841, 29341, 1093**2, 3511**2)
STRONG_LUCAS = (5459, 5777, 10877, 16109, 18971, 22499, 24569, 25199, 40309)
STRONG_MANY_BASES = (3215031751, 3825123056546413051, 318665857834031151167461)
CARMICHAEL = (561, 1105, 1729, 2465, 2821, 6601, 8911, 62745, 825265, 321197185, 9746347772161)


def sieve(limit: int) -> set[int]:
    """The primes below limit (Eratosthenes)."""
    alive = bytearray([1]) * limit
    alive[0:2] = b"\0\0"
    for q in range(2, int(limit**0.5) + 1):
        if alive[q]:
            alive[q * q :: q] = bytes(len(range(q * q, limit, q)))
    return {k for k in range(limit) if alive[k]}


SMALL = sieve(1000)
PRIMORIAL = prod(SMALL)


def fermat(k: int) -> bool:
    """A quick search criterion; Field itself then decides."""
    if k < 1000:
        return k in SMALL
    return gcd(k, PRIMORIAL) == 1 and pow(2, k - 1, k) == 1 == pow(3, k - 1, k)


def search(start: int, step: int, stop: int) -> int:
    """The first probable prime of start, start + step, ... before stop, or 3."""
    return next((k for k in range(start, stop, step) if k > 2 and fermat(k)), 3)


def check_constants(f: Field) -> None:
    """Every constant by its definition, and in its range."""
    p, w = f.p, f.word
    assert f.n == next(n for n in range(1, p.bit_length() + 1) if p < 1 << w * n)
    assert (f.R, f.base) == (1 << w * f.n, 1 << w)
    assert f.bits == len(bin(p)) - 2 and f.spare_bits == w * f.n - f.bits and f.spare_bits >= 0
    assert f.R_inverse == pow(f.R, -1, p)
    assert pow(f.R, 2, p) == f.R2
    assert f.n0 == -pow(p, -1, 1 << w) % (1 << w)
    assert f.p_prime == -pow(p, -1, f.R) % f.R
    assert f.mu == pow(2, -w, p)
    assert f.one == f.R % p == f.to_montgomery(1)
    assert sum(limb << w * i for i, limb in enumerate(f.limbs(p))) == p
    for a in (0, 1, p - 1, p // 2):
        assert f.from_montgomery(f.to_montgomery(a)) == a


def test_is_prime_agrees_with_a_sieve() -> None:
    limit = 60_000
    assert {k for k in range(-10, limit) if is_prime(k)} == sieve(limit)


@pytest.mark.parametrize("k", STRONG_BASE_2 + STRONG_LUCAS + STRONG_MANY_BASES + CARMICHAEL)
def test_pseudoprimes_are_composite(k: int) -> None:
    assert not is_prime(k)
    with pytest.raises(ModulusError, match="composite"):
        Field(k)


def test_mersenne_numbers() -> None:
    assert tuple(k for k in range(2, 620) if is_prime((1 << k) - 1)) == MERSENNE


@given(st.integers(2, 300), st.integers(0))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_products_of_close_primes_are_composite(bits: int, seed: int) -> None:
    first = search((1 << bits - 1) + seed % (1 << bits - 1) | 1, 2, 1 << bits)
    second = search(first + 2, 2, 4 * first + 8)
    assert not is_prime(first * second)
    assert not is_prime(first * first)


@pytest.mark.parametrize("n", [3, 5, 7, 11, 101, 211])
def test_jacobi_is_eulers_criterion_for_primes(n: int) -> None:
    for a in range(-n, 2 * n):
        euler = pow(a, (n - 1) // 2, n)
        assert jacobi(a, n) == (-1 if euler == n - 1 else euler)


@given(st.integers(1, 1 << 300), st.integers(1, 1 << 300))
@settings(derandomize=True)
def test_extended_euclid(a: int, b: int) -> None:
    g, s, t = extended_euclid(a, b)
    assert s * a + t * b == g > 0 and a % g == b % g == 0


@pytest.mark.parametrize("word", [0, 1, 65, 64.0, "64", None, True])
def test_a_word_that_there_is_not(word: Any) -> None:
    with pytest.raises(ModulusError, match=f"word width {word!r} is not supported; use 64 or 32"):
        Field(17, word)


@pytest.mark.parametrize("word", [2, 3, 4, 32, 64])
def test_every_small_prime(word: int) -> None:
    for p in sorted(sieve(1200) - {2}):
        check_constants(Field(p, word))


SIZES = [*range(2, 140), *range(160, 513, 32), 255, 257, 383, 385, 640, 767, 768, 769, 1023, 1024]


@pytest.mark.parametrize("bits", SIZES)
def test_a_prime_of_each_size(bits: int) -> None:
    top = 1 << bits - 1
    p = search(top + (top * 5 // 8 | 1) if bits > 2 else 3, 2, 2 * top)
    assert p.bit_length() == bits
    for word in (64, 32, 2 + bits % 3):
        check_constants(Field(p, word))


WORDS = st.sampled_from([64, 32, 4, 3, 2])


@given(WORDS, st.integers(1, 8), st.integers(0))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_top_limb_all_ones(word: int, n: int, seed: int) -> None:
    low = 1 << word * (n - 1)
    p = search((1 << word * n) - low + (seed % low | 1), 2, 1 << word * n)
    f = Field(p, word)
    check_constants(f)
    if p != 3:
        assert f.spare_bits == 0 and f.limbs(p)[-1] == f.base - 1


@given(WORDS, st.integers(1, 8), st.integers(1))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_low_limb_one(word: int, n: int, seed: int) -> None:
    start = ((seed << word) % (1 << word * n)) + (1 << word) + 1
    p = search(start, 1 << word, start + (4000 << word))
    f = Field(p, word)
    check_constants(f)
    if p != 3:
        assert f.limbs(p)[0] == 1 and f.n0 == f.base - 1


@given(WORDS, st.integers(1), st.integers(0))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_zero_middle_limb(word: int, top: int, low: int) -> None:
    base = 1 << word
    start = (top % base or 1) * base * base
    p = search(start + (low % base | 1), 2, start + base)
    f = Field(p, word)
    check_constants(f)
    if p != 3:
        assert f.limbs(p)[1] == 0 and f.n == 3


BAD_MODULI = [
    (0, "too small"),
    (1, "too small"),
    (2, "too small"),
    (-7, "too small"),
    (4, r"even; the nearest prime is p - 1"),
    (9, r"composite; the nearest prime is p - 2"),
    (91, r"composite; the nearest prime is p - 2"),
    (65535, r"composite; the nearest prime of 16 bits is p - 14 = 65521"),
    ((1 << 255) - 18, "even"),
    ((1 << 255) - 21, r"composite; the nearest prime is p \+ 2"),
    (1 << MAX_BITS, "1089 bits, too large; at most 1088"),
]


@pytest.mark.parametrize(("p", "message"), BAD_MODULI)
def test_bad_moduli(p: int, message: str) -> None:
    with pytest.raises(ModulusError, match=message) as caught:
        Field(p)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", [-64, 0, 1, 65, 10**9])
def test_bad_words(word: int) -> None:
    with pytest.raises(ModulusError, match="not supported; use 64 or 32"):
        Field(17, word)


def test_a_wrong_constant_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(a: int, b: int) -> tuple[int, int, int]:
        g, s, t = extended_euclid(a, b)
        return g, s + 1, t

    monkeypatch.setattr(field_module, "extended_euclid", wrong)
    with pytest.raises(FieldError, match="does not hold"):
        Field(17)


def test_more_limbs_than_needed() -> None:
    f = Field(7, 30, least=3)
    assert (f.n, f.R, f.limbs(2**30 + 5)) == (3, 2**90, [5, 1, 0])
    assert Field(2**89 - 1, 30, least=2).n == 3


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        (0, "0.00p"),
        (1, "0.01p"),
        (255 * 251, "255.00p"),
        (251 * 3 + 1, "3.01p"),
        (-251 - 1, "-1.00p"),
        (-1, "0.00p"),
        (251 << 20, "p*2^20"),
        ((251 << 20) + 1, "p*2^21"),
        (-(251 << 20) - 1, "-p*2^21"),
    ],
)
def test_a_bound_is_shown_as_a_multiple(bound: int, says: str) -> None:
    assert Field(251).in_p(bound) == says


def test_a_bound_of_any_size_is_shown() -> None:
    p = (1 << 1060) - 599
    assert Field(p).in_p((p - 1) ** 2) == "p*2^1060"
