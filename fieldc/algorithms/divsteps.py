"""The step of an inversion by divsteps that works modulo p: what a batch does to d and e."""

from __future__ import annotations

from fieldc.algorithms.integers import times_integer
from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number
from fieldc.operations import DIVSTEP_BITS, DIVSTEP_SHIFT, divstep_update
from fieldc.polynomial_bounds import tighten


def _update(f: Field, x: tuple[Number, Number], u: Number, v: Number) -> Number:
    """(u*x[0] + v*x[1])/2^64 mod p, u and v raised by 2^61, so that no sign is looked at.

    For each value k*x = (k + 2^61)*x + 2^61*(p - x) modulo p, and no term is negative. The sum is
    below p*2^64, so one subtraction follows the division, which is one limb of REDC.
    Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), 10.
    """
    if DIVSTEP_SHIFT % f.word:
        raise DoesNotApply(f"a division by 2^{DIVSTEP_SHIFT} is no whole number of limbs")
    count = DIVSTEP_SHIFT // f.word
    rows = sum(times_integer(f, value, k, count) for value, k in zip(x, (u, v), strict=True))
    t = tighten(rows + ((2 * f.p - x[0] - x[1]) << DIVSTEP_BITS - 1))
    for _ in range(count):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


DIVSTEPS = (Kernel(divstep_update(), "raised", _update),)
