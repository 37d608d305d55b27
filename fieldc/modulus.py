"""Is a number a modulus we can compile for? Typed errors, one line each."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

from fieldc.errors import UserError


class ModulusError(UserError, ValueError):
    """The modulus cannot be used; the message is one line for the user."""


MOST_SHOWN = 384
"""Bits up to which a message has room for the whole of a prime."""
SMALL_PRIMES = tuple(q for q in range(3, 212, 2) if all(q % d for d in range(3, q, 2)))


@lru_cache(maxsize=256)
def is_prime(p: int) -> bool:
    """Whether p is prime: trial division, then a strong base-2 and a strong Lucas test (BPSW).

    No composite is known to pass; deterministic below 2^64 (Baillie, Wagstaff 1980; Feitsma 2013).
    """
    if p < 2 or p % 2 == 0:
        return p == 2
    for q in SMALL_PRIMES:
        if p % q == 0:
            return p == q
    return _strong_base_2(p) and _strong_lucas(p)


def _strong_base_2(p: int) -> bool:
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    x = pow(2, odd, p)
    if x in (1, p - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % p
        if x == p - 1:
            return True
    return False


def jacobi(a: int, n: int) -> int:
    """The Jacobi symbol (a/n) for odd n > 0."""
    a, sign = a % n, 1
    while a:
        while a % 2 == 0:
            a //= 2
            if n % 8 in (3, 5):
                sign = -sign
        a, n = n, a
        if a % 4 == 3 and n % 4 == 3:
            sign = -sign
        a %= n
    return sign if n == 1 else 0


def _strong_lucas(p: int) -> bool:
    """Strong Lucas probable prime with Selfridge's parameters (P = 1, Q = (1 - D)/4)."""
    if isqrt(p) ** 2 == p:
        return False
    d = 5
    while (symbol := jacobi(d, p)) != -1:
        if symbol == 0 and abs(d) != p:
            return False
        d = -(d + 2) if d > 0 else -d + 2
    odd, twos = p + 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    q = (1 - d) // 4
    u, v, power = 0, 2, 1
    for bit in bin(odd)[2:]:
        u, v, power = u * v % p, (v * v - 2 * power) % p, power * power % p
        if bit == "1":
            u, v = (u + v) % p, (v + d * u) % p
            u, v = (u if u % 2 == 0 else u + p) // 2, (v if v % 2 == 0 else v + p) // 2
            power = power * q % p
    if u % p == 0 or v % p == 0:
        return True
    for _ in range(twos - 1):
        v, power = (v * v - 2 * power) % p, power * power % p
        if v == 0:
            return True
    return False


def check_modulus(p: int, max_bits: int) -> None:
    """Raise ModulusError, naming what is wrong and the nearest thing that works."""
    if p < 3:
        raise ModulusError(f"modulus {shown(p)} is too small; the smallest odd prime is 3")
    if p.bit_length() > max_bits:
        raise ModulusError(
            f"modulus has {p.bit_length()} bits, too large; at most {max_bits} bits are supported"
        )
    if not is_prime(p):
        what = "even" if p % 2 == 0 else "composite"
        raise ModulusError(f"modulus {shown(p)} is {what}; {nearest_prime(p)}")


def shown(p: int) -> str:
    """A number for a message: decimal where it is short, else the ends of its hexadecimal."""
    text = f"{p:#x}"
    return (
        str(p) if abs(p) < 1 << 64 else text if len(text) <= 40 else f"{text[:20]}...{text[-16:]}"
    )


def nearest_prime(p: int) -> str:
    """What the nearest odd prime of no more bits is: its distance from p, and the prime itself."""
    near = (q for k in range(1, 1 << 20) for q in (p - k, p + k))
    primes = (q for q in near if q > 2 and is_prime(q))
    nearest = q = next(primes)
    while q.bit_length() > p.bit_length():
        q = next(primes)
    which = "the nearest prime" if q == nearest else f"the nearest prime of {p.bit_length()} bits"
    itself = hex(q) if 1 << 64 <= q < 1 << MOST_SHOWN else shown(q)
    return f"{which} is p {'+' if q > p else '-'} {abs(q - p)} = {itself}"
