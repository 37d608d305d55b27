"""Steps that algorithms share: division by the radix modulo p, and the last subtraction."""

from __future__ import annotations

from collections.abc import Callable

from fieldc.field import Field
from fieldc.language import DoesNotApply, Integer, Number, select
from fieldc.polynomial_bounds import tighten

Reduction = Callable[[Field, Number], Number]
"""Divides by the radix modulo p."""


def drop_limb(f: Field, t: Number) -> Number:
    """t / 2^w mod p, exactly: add the multiple of p that clears the lowest limb.

    Montgomery, "Modular multiplication without trial division" (1985), one limb of REDC.
    """
    q = t * f.n0 % f.base
    return (t + q * f.p) >> f.word


def drop_limb_near(f: Field, t: Number) -> Number:
    """t / 2^w mod p as by drop_limb, for p = R - c: t + q*p = t + q*R - q*c; two products.

    The lowest limbs of t and q*c are equal. They are subtracted all the same: a certificate for one
    prime cannot say that two words are equal, and would lack the low half of q*c.

    Raises DoesNotApply where c has more than one limb, or p only one: nothing is saved then.
    """
    if f.complement >= f.base or f.n == 1:
        raise DoesNotApply(
            f"near-radix needs p = R - c, R = 2^{f.word * f.n}, with c of one limb and p of more,"
            f" not {f.short}"
        )
    q = t * f.n0 % f.base
    return tighten(t + (q << f.word * f.n) - q * f.complement) >> f.word


def drop_limbs(f: Field, t: Number, count: int) -> Number:
    """t / 2^(w*count) mod p by one quotient of several limbs."""
    power = 1 << f.word * count
    q = t % power * (f.p_prime % power) % power
    return (t + q * f.p) >> f.word * count


def fold_limb(f: Field, t: Number) -> Number:
    """t / 2^w mod p by a constant: low + 2^w*high = 2^w*(high + low*mu).

    One multiplication fewer than drop_limb and no serial quotient, but the result is larger.
    Domb, "Barrett-Montgomery", hackmd.io/@Ingonyama/Barret-Montgomery.
    """
    return (t >> f.word) + t % f.base * f.mu


def fold_complement(f: Field, t: Number) -> Number:
    """t / 2^w + 2^-w - 1 mod p: a row of -mu mod p for the complement of the lowest limb.

    For mu near p, where fold_limb's result is too large: low/2^w = low*mu = -low*(p - mu), and
    -low = (2^w - 1 - low) - (2^w - 1). After n - 1 of them `f.fold_rest` is to be added.
    """
    return (t >> f.word) + (f.base - 1 - t % f.base) * f.minus_mu


def fold_limbs(f: Field, t: Number, count: int) -> Number:
    """t / 2^(w*count) mod p by the constant 2^(-w*count) mod p: a row for each limb dropped."""
    return (t >> f.word * count) + t % (1 << f.word * count) * pow(f.mu, count, f.p)


def subtract_once(t: Number, p: Number) -> Number:
    """t mod p for 0 <= t < 2p, without a branch."""
    d = t - p
    return select(d < 0, t, d)


def subtract_all(t: Number, p: int) -> Number:
    """t mod p by subtractions of p, 2p, 4p, ..., as many as the bounds of t ask for."""
    for power in reversed(range((_high(t) // p).bit_length())):
        t = subtract_once(t, p << power)
    return t


def subtract_down(t: Number, p: int, limit: int) -> Number:
    """t if it is below a limit of p or more; else t less p once if that suffices, or t mod p."""
    if _high(t) < limit:
        return t
    return subtract_once(t, p) if _high(t) - p < limit else subtract_all(t, p)


def _high(t: Number) -> int:
    return t.high if isinstance(t, Integer) else t
