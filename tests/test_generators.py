"""Generators of the multiplicative groups, as far as the factors of p - 1 are known."""

from __future__ import annotations

import math

import pytest

from fieldc.catalogue import named_primes
from fieldc.modulus import is_prime, jacobi

FACTORS = {
    "bls12-381-p": [
        2,
        3,
        11,
        23,
        47,
        10177,
        859267,
        52437899,
        2584487767265781317813,
        15778400344354997994418419698270088123916926905054652752758194827714659,
    ],
    "bls12-381-r": [
        2,
        3,
        11,
        19,
        10177,
        125527,
        859267,
        906349,
        2508409,
        2529403,
        52437899,
        254760293,
    ],
    "bls12-377-p": [
        2,
        3,
        7,
        13,
        53,
        409,
        499,
        2557,
        6633514200929891813,
        73387170334035996766247648424745786170238574695861388454532790956181,
    ],
    "bls12-377-r": [2, 3, 5, 7, 13, 499, 958612291309063373, 9586122913090633729],
    "bn254-p": [
        2,
        3,
        13,
        29,
        67,
        229,
        311,
        983,
        11003,
        405928799,
        11465965001,
        13427688667394608761327070753331941386769,
    ],
    "bn254-r": [
        2,
        3,
        13,
        29,
        983,
        11003,
        237073,
        405928799,
        1670836401704629,
        13818364434197438864469338081,
    ],
    "fp254bnb-p": [
        2,
        3,
        7,
        641,
        71693,
        1033337,
        15698303,
        65982793,
        5994341377,
        22009001472962227,
        6848045079628454069,
    ],
    "fp254bnb-r": [
        2,
        3,
        7,
        641,
        16843,
        140977,
        15698303,
        65982793,
        101148471075752777,
        1254043595354617963043866617659,
    ],
    "bw6-761-p": [2, 3, 1871, 3673],
    "secp256k1-p": [
        2,
        3,
        7,
        13441,
        205115282021455665897114700593932402728804164701536103180137503955397371,
    ],
    "secp256k1-n": [
        2,
        3,
        149,
        631,
        107361793816595537,
        174723607534414371449,
        341948486974166000522343609283189,
    ],
    "p256": [
        2,
        3,
        5,
        17,
        257,
        641,
        1531,
        65537,
        490463,
        6700417,
        835945042244614951780389953367877943453916927241,
    ],
    "p384": [
        2,
        19,
        67,
        807145746439,
        19173790298027098165721053155794528970226934547887232785722672956982046098136719667167519737147526097,
    ],
    "p521": [
        2,
        3,
        5,
        11,
        17,
        31,
        41,
        53,
        131,
        157,
        521,
        1613,
        2731,
        8191,
        42641,
        51481,
        61681,
        409891,
        858001,
        5746001,
        7623851,
        34110701,
        308761441,
        2400573761,
        65427463921,
        108140989558681,
        145295143558111,
        173308343918874810521923841,
    ],
    "curve25519": [
        2,
        3,
        65147,
        74058212732561358302231226437062788676166966415465897661863160754340907,
    ],
    "pallas": [2, 3, 463, 539204044132271846773, 8999194758858563409123804352480028797519453],
    "vesta": [2, 3, 1709, 24859, 1690502597179744445941507, 10427374428728808478656897599072717],
    "goldilocks": [2, 3, 5, 17, 257, 65537],
    "csidh-512": [
        2,
        316423,
        903311,
        9318072020291357356880526063032915472946197234375057633175008662825082802384244309931491732371161423143870095750796133152788087727577034307893,
    ],
    "m-511": [
        2,
        3,
        5,
        31,
        1063,
        99436943,
        72371792138339,
        471155737497642486266649722911997034941785580633861408520357030668404527002692877857903580176417856629449583072727858932500851,
    ],
}
"""The primes that divide p - 1."""

UNKNOWN = {"bw6-761-p"}
"""Nobody knows the other factors of these; the generator is the one that is published."""


@pytest.mark.parametrize("name", named_primes())
def test_generators_have_the_full_order(name: str) -> None:
    prime = named_primes()[name]
    generator, order = prime.generator, prime.p - 1
    assert generator is not None and 1 < generator < prime.p
    for factor in FACTORS[name]:
        assert is_prime(factor) and order % factor == 0
        assert pow(generator, order // factor, prime.p) != 1
    rest = order
    for factor in FACTORS[name]:
        while rest % factor == 0:
            rest //= factor
    assert (rest == 1) == (name not in UNKNOWN)
    assert not is_prime(rest)


@pytest.mark.parametrize("name", named_primes())
def test_generators_are_no_squares(name: str) -> None:
    """So they have full 2-adic order, which is what roots of unity need."""
    prime = named_primes()[name]
    assert prime.generator is not None
    assert jacobi(prime.generator, prime.p) == -1
    odd = (prime.p - 1) // math.gcd(prime.p - 1, 1 << prime.p.bit_length())
    root = pow(prime.generator, odd, prime.p)
    assert pow(root, (prime.p - 1) // odd // 2, prime.p) == prime.p - 1
