"""What one asks of a prime beside its constants: its form, its names, its roots of unity."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.catalogue import NamedPrime, every_prime
from fieldc.modulus import jacobi

TINY_BITS, SMALL_BITS = 16, 32
"""How large c may be for a prime to be called 2^k - c or 2^k + c: first, and if all else fails."""
FEW = 6
"""Most powers of two in a sum that is called short."""
LEAST_ADICITY = 4
"""A number-theoretic transform is of use if it may take at least 2^4 elements."""


@dataclass(frozen=True)
class Properties:
    """Facts about an odd prime."""

    shape: str
    names: tuple[str, ...]
    """Its names in primes.toml, aliases included."""
    two_adicity: int
    """The largest s such that 2^s divides p - 1."""
    root_of_unity: int
    """A primitive root of unity of order 2^s: g^((p - 1)/2^s) for a known generator g of the
    multiplicative group, else for the least quadratic non-residue."""
    generator: int | None
    """The known generator."""


def properties(p: int) -> Properties:
    """The facts about an odd prime."""
    known = next((prime for prime in every_prime().values() if prime.p == p), None)
    adicity = two_adicity(p)
    base = known.generator if known and known.generator else least_non_residue(p)
    return Properties(
        shape(p),
        names_of(known),
        adicity,
        pow(base, (p - 1) >> adicity, p),
        known.generator if known else None,
    )


def names_of(known: NamedPrime | None) -> tuple[str, ...]:
    """All names of a prime."""
    return (known.name, *known.aliases) if known else ()


def two_adicity(p: int) -> int:
    """The largest s such that 2^s divides p - 1."""
    return ((p - 1) & (1 - p)).bit_length() - 1


def has_transforms(p: int) -> bool:
    """Whether number-theoretic transforms modulo a prime take enough elements to be of use."""
    return two_adicity(p) >= LEAST_ADICITY


def least_non_residue(p: int) -> int:
    """The least number that is no square modulo p."""
    return next(a for a in range(2, p) if jacobi(a, p) == -1)


def shape(p: int) -> str:
    """The form of a prime: 2^k - c, a sum of few powers of two, or 2^s * m + 1 for a large s."""
    terms = signed_powers(p)
    if (found := _near_a_power(p, TINY_BITS)) is not None:
        return found
    if len(terms) <= min(FEW, p.bit_length() // 4):
        return "".join(map(_term, range(len(terms)), terms))
    if (found := _near_a_power(p, SMALL_BITS)) is not None:
        return found
    adicity = two_adicity(p)
    return f"2^{adicity} * m + 1" if adicity >= SMALL_BITS else "no special form"


def _near_a_power(p: int, most: int) -> str | None:
    """The prime as 2^k - c or 2^k + c with c of at most so many bits, and of half as many as p."""
    bits = p.bit_length()
    for k in (bits, bits - 1):
        rest = p - (1 << k)
        if abs(rest).bit_length() <= min(most, k // 2):
            return f"2^{k} {'+' if rest > 0 else '-'} {abs(rest)}"
    return None


def signed_powers(p: int) -> list[tuple[int, int]]:
    """(sign, exponent) of the non-adjacent form, the largest power first (Reitwiesner, 1960)."""
    terms, exponent = [], 0
    while p:
        if p & 1:
            sign = 2 - p % 4
            terms.append((sign, exponent))
            p -= sign
        p, exponent = p >> 1, exponent + 1
    return terms[::-1]


def _term(place: int, term: tuple[int, int]) -> str:
    sign, exponent = term
    power = f"2^{exponent}" if exponent else "1"
    if not place:
        return power
    return f" {'+' if sign > 0 else '-'} {power}"
