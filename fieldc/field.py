"""A prime field and everything derived from its modulus.

n limbs of w bits; R = 2^(w*n); Montgomery form of a is a*R mod p. The derived constants come from
the extended Euclidean algorithm, as relations of Bezout, and each is checked by its defining
identity when the field is made.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.errors import shorten
from fieldc.modulus import ModulusError, check_modulus

WORD_SIZES = (64, 32)
MAX_BITS = 1088
"""Largest modulus offered: 17 limbs of 64 bits."""

LONG_MULTIPLE = 1 << 20
"""Multiples of p from this one on are shown by a power of two."""


class FieldError(ArithmeticError):
    """A derived constant does not meet its defining identity (a defect, never bad input)."""


def extended_euclid(a: int, b: int) -> tuple[int, int, int]:
    """(g, s, t) with s*a + t*b = g = gcd(a, b), for a, b > 0 (Bezout's identity)."""
    (g, s, t), (g1, s1, t1) = (a, 1, 0), (b, 0, 1)
    while g1:
        q = g // g1
        (g, s, t), (g1, s1, t1) = (g1, s1, t1), (g - q * g1, s - q * s1, t - q * t1)
    return g, s, t


@dataclass(frozen=True)
class Field:
    """The integers modulo an odd prime p, in limbs of `word` bits.

    Any word width from 2 to 64 works (small ones serve exhaustive tests). `least` asks for more
    limbs than p needs. Raises ModulusError for a modulus that is even, composite, too small or
    too large.
    """

    p: int
    word: int = 64
    name: str = ""
    least: int = 0

    n: int = field(init=False)
    """Limbs of one residue."""
    bits: int = field(init=False)
    """Bits of p."""
    base: int = field(init=False)
    """2^w, the radix of the limbs."""
    R: int = field(init=False)
    """2^(w*n)."""
    R_inverse: int = field(init=False)
    """1/R mod p."""
    R2: int = field(init=False)
    """R^2 mod p: a product with it enters Montgomery form."""
    p_prime: int = field(init=False)
    """-1/p mod R."""
    n0: int = field(init=False)
    """-1/p mod 2^w: t + (t*n0 mod 2^w)*p is divisible by 2^w."""
    mu: int = field(init=False)
    """2^-w mod p: low + 2^w*high = 2^w*(high + low*mu) mod p."""
    minus_mu: int = field(init=False)
    """-2^-w mod p."""
    fold_rest: int = field(init=False)
    """1 - 2^(-w*(n-1)) mod p: what n - 1 folds of complements leave to be added."""

    def __post_init__(self) -> None:
        p, w = self.p, self.word
        if type(w) is not int or not 2 <= w <= 64:
            raise ModulusError(f"word width {shorten(repr(w))} is not supported; use 64 or 32")
        check_modulus(p, MAX_BITS)
        bits = p.bit_length()
        n = max(-(-bits // w), self.least)
        R, base = 1 << (w * n), 1 << w
        g, s, t = extended_euclid(R, p)
        derived = {
            "n": n,
            "bits": bits,
            "base": base,
            "R": R,
            "R_inverse": s % p,
            "R2": R * R % p,
            "p_prime": -t % R,
            "n0": -t % base,
            "mu": extended_euclid(base, p)[1] % p,
        }
        derived["minus_mu"] = p - derived["mu"]
        derived["fold_rest"] = (1 - base * derived["R_inverse"]) % p
        for key, value in derived.items():
            object.__setattr__(self, key, value)
        identities = {
            "R and p are coprime": g == 1,
            "R * R_inverse - p * p_prime = 1": R * self.R_inverse - p * self.p_prime == 1,
            "n0 * p = -1 mod 2^w": (self.n0 * p + 1) % base == 0,
            "mu * 2^w = 1 mod p": self.mu * base % p == 1 % p,
            "minus_mu * 2^w = -1 mod p": (self.minus_mu * base + 1) % p == 0,
            "(1 - fold_rest) * R = 2^w mod p": ((1 - self.fold_rest) * R - base) % p == 0,
            "R2 * R_inverse = R mod p": self.R2 * self.R_inverse % p == R % p,
        }
        for identity, holds in identities.items():
            if not holds:
                raise FieldError(f"{self.label}: {identity} does not hold")

    @property
    def short(self) -> str:
        """The label for a message of one line: of a long number its ends."""
        return shorten(self.label, 24)

    @property
    def p_inverse(self) -> int:
        """1/p mod 2^w: t - (t*p_inverse mod 2^w)*p is divisible by 2^w."""
        return self.base - self.n0

    @property
    def complement(self) -> int:
        """R - p."""
        return self.R - self.p

    @property
    def raised_p(self) -> int:
        """2^61 * p, of n + 1 limbs: it makes up for what updates after divsteps subtract."""
        return self.p << 61

    @property
    def label(self) -> str:
        """The field's name, or its modulus in hexadecimal."""
        return self.name or hex(self.p)

    @property
    def size(self) -> str:
        """How long an element is: `4 limbs of 64 bits`, `5 digits of 52 bits`."""
        part = "digit" if self.word & (self.word - 1) else "limb"
        return f"{self.n} {part}{'s' * (self.n > 1)} of {self.word} bits"

    @property
    def spare_bits(self) -> int:
        """w*n - bits(p); 0 for a full-bit prime."""
        return self.word * self.n - self.bits

    @property
    def one(self) -> int:
        """R mod p, the Montgomery form of 1."""
        return self.R % self.p

    def in_p(self, bound: int) -> str:
        """A bound as a multiple of p, rounded up: to hundredths, a long one to a power of two."""
        hundredths = -(-bound * 100 // self.p)
        sign, whole, rest = "-" * (hundredths < 0), *divmod(abs(hundredths), 100)
        if whole < LONG_MULTIPLE:
            return f"{sign}{whole}.{rest:02}p"
        return f"{sign}p*2^{((abs(bound) - 1) // self.p).bit_length()}"

    def limbs(self, value: int, count: int | None = None) -> list[int]:
        """The w-bit limbs of a number, least significant first (n of them unless said)."""
        return [value >> self.word * i & self.base - 1 for i in range(count or self.n)]

    def to_montgomery(self, a: int) -> int:
        """a*R mod p."""
        return a * self.R % self.p

    def from_montgomery(self, a: int) -> int:
        """a/R mod p."""
        return a * self.R_inverse % self.p
