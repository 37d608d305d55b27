"""Primes as users write them, drawn from a seed: the text, and the number by other arithmetic."""

from __future__ import annotations

import random
from collections.abc import Callable

from primes import NAMES, SHAPES, is_probable_prime, random_prime, search, shapes, upwards

from fieldc.catalogue import named_primes

BITS = 576
"""The most bits of a drawn prime: of longer ones the packages take minutes."""
Prime = tuple[str, int]


def _written(draw: random.Random, p: int) -> Prime:
    return draw.choice((str, hex))(p), p


def _random(draw: random.Random, bits: int) -> Prime:
    return _written(draw, random_prime(draw, bits))


def _full(draw: random.Random, bits: int) -> Prime:
    return _random(draw, -(-bits // 64) * 64)


def _shaped(draw: random.Random, bits: int) -> Prime:
    limbs = -(-bits // 64)
    _, find = SHAPES[draw.choice(shapes(limbs))]
    return _written(draw, find(draw, 64, limbs))


def _two_adic(draw: random.Random, bits: int) -> Prime:
    s = draw.randrange(2, bits - 3)
    top = 1 << bits - s - 1
    return _written(draw, search((draw.randrange(top, 2 * top) << s) + 1 for _ in upwards(0)))


def _near_power(draw: random.Random, bits: int) -> Prime:
    first = draw.randrange(1 << min(bits // 2, draw.choice((10, 24)))) | 1
    c = next(c for c in upwards(first) if is_probable_prime((1 << bits) - c))
    return f"2^{bits}-{c}", (1 << bits) - c


def _few_powers(draw: random.Random, bits: int) -> Prime:
    while True:
        places = draw.sample(range(1, bits - 1), draw.choice((1, 2, 3)))
        terms = [(draw.choice((1, -1)), k) for k in (*sorted(places, reverse=True), 0)]
        p = (1 << bits) + sum(sign << k for sign, k in terms)
        if is_probable_prime(p):
            powers = "".join(f"{'-+'[sign > 0]}2^{k}" for sign, k in terms[:-1])
            return f"2^{bits}{powers}{'-+'[terms[-1][0] > 0]}1", p


def _named(draw: random.Random, _: int) -> Prime:
    numbers = {name: named_primes()[name].p for name in NAMES}
    name = draw.choice([name for name in NAMES if numbers[name].bit_length() <= BITS])
    return name, numbers[name]


KINDS: dict[str, Callable[[random.Random, int], Prime]] = {
    "random": _random,
    "full-bit": _full,
    "shaped": _shaped,
    "two-adic": _two_adic,
    "near-power": _near_power,
    "few-powers": _few_powers,
    "named": _named,
}
"""Kind -> what draws one of about so many bits, 9 or more."""


def drawn_prime(draw: random.Random) -> Prime:
    """A prime of any kind: as it is written, and as a number."""
    kind = draw.choice(tuple(KINDS))
    return KINDS[kind](draw, draw.randrange(9, draw.choice((65, 260, 400, BITS + 1))))
