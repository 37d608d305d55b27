"""The steps of an inversion by divsteps on whole numbers: what a batch does to f, g, d and e."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from fieldc.algorithms.integers import times_integer
from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number
from fieldc.operations import (
    DIVSTEP_BITS,
    DIVSTEP_SHIFT,
    DIVSTEP_STEPS,
    divstep_de,
    divstep_fg,
    divstep_update,
)
from fieldc.polynomial_bounds import tighten


def _update(f: Field, x: tuple[Number, Number], u: Number, v: Number) -> Number:
    """(u*x[0] + v*x[1])/2^64 mod p, u and v raised by 2^61, so that no sign is looked at.

    For each value k*x = (k + 2^61)*x + 2^61*(p - x) modulo p, and no term is negative. The sum is
    below p*2^64, so one subtraction follows the division, which is one limb of REDC.
    Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), 10.
    """
    if DIVSTEP_SHIFT % f.word:
        raise DoesNotApply(
            f"it divides by 2^{DIVSTEP_SHIFT}, no whole number of limbs of {f.word} bits"
        )
    count = DIVSTEP_SHIFT // f.word
    rows = sum(times_integer(f, value, k, count) for value, k in zip(x, (u, v), strict=True))
    t = tighten(rows + ((2 * f.p - x[0] - x[1]) << DIVSTEP_BITS - 1))
    for _ in range(count):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


def _update_both(f: Field, x: tuple[Number, Number], m: Sequence[Number]) -> tuple[Number, Number]:
    """Both rows of a matrix, raised by 2^59, on values below 2p that stay there.

    What the raised entries are too much by is the same in both rows: nothing is selected. With
    entries below 2^61 a sum is below 1.75*2^64*p, what makes its lowest limb 0 included.
    """
    if f.word != DIVSTEP_SHIFT:
        raise DoesNotApply(f"it divides by 2^64, which is no limb of {f.word} bits; use --word 64")
    if 2 * f.p > f.R:
        raise DoesNotApply(f"values below 2p need a spare bit, not {f.short}")
    raised = f.raised_p - (x[0] + x[1] << DIVSTEP_STEPS)
    u, v, q, r = m
    first = drop_limb(f, tighten(x[0] * u + (x[1] * v + raised)))
    return first, drop_limb(f, tighten(x[0] * q + (x[1] * r + raised)))


def _quotients(f: Field, x: Number, y: Number, m: Sequence[Number]) -> tuple[Number, Number]:
    """x + y - 2*t/2^64 and what the raised numbers add, for a row t of 2^63 - 16*u and the like.

    So nothing is shifted: 2^63 - 16*u has one limb, and a doubled t loses its lowest one. It is 0
    where the division is exact. Else it is subtracted modulo 2^128*R + 1, where -1/2^64 is 2^64*R.
    """
    w = f.word
    if w != DIVSTEP_SHIFT:
        raise DoesNotApply(f"its entries have {DIVSTEP_SHIFT} bits; use --word {DIVSTEP_SHIFT}")
    both = x + y + 9 * f.R // 2

    def row(u: Number, v: Number) -> Number:
        t = tighten(x * u + y * v)
        doubled = t + t
        total = both + ((u + v) << w * (f.n - 1)) - (doubled >> w)
        return total + (doubled % f.base << w * (f.n + 1))

    return row(m[0], m[1]), row(m[2], m[3])


DIVSTEPS = (
    Kernel(divstep_update(), "raised", _update),
    Kernel(divstep_de(), "raised", cast(Callable[..., Number], _update_both)),
)
QUOTIENTS = Kernel(divstep_fg(), "doubled", cast(Callable[..., Number], _quotients))
