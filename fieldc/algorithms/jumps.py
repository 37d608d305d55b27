"""The rest of the log-jump family: the whole product first, then folds by constants mod p.

Domb, "Barrett-Montgomery", hackmd.io/@Ingonyama/Barret-Montgomery. To fold k limbs is to multiply
them by 2^(-w*k) mod p; the last limb is dropped by a quotient. All have 2n^2 + 1 products. They
differ in which steps wait for which. The one that alternates rows with folds is in montgomery.py.
"""

from __future__ import annotations

from fieldc.algorithms.reduction import (
    drop_limb,
    drop_limbs,
    fold_limb,
    fold_limbs,
    subtract_all,
    subtract_once,
)
from fieldc.algorithms.scanning import schoolbook
from fieldc.field import Field
from fieldc.language import Number, Residue, kernel, limbs


@kernel("mul", "log-jump-serial")
def multiply_serial(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: the product, then limb after limb is folded by mu."""
    t = schoolbook(f, x, y)
    for _ in range(f.n - 1):
        t = fold_limb(f, t)
    return subtract_all(drop_limb(f, t), f.p)


@kernel("mul", "log-jump-pairs")
def multiply_pairs(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: the product, then two limbs are folded at a time by 2^(-2w) mod p."""
    t, left = schoolbook(f, x, y), f.n - 1
    while left:
        step = min(2, (left + 1) // 2)  # the last fold is of one limb, else t would be b*p
        t, left = fold_limbs(f, t, step), left - step
    return subtract_all(drop_limb(f, t), f.p)


@kernel("mul", "log-jump-halves")
def multiply_halves(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: the product, then half of what is left is folded at once, log2(n) times."""
    t, left = schoolbook(f, x, y), f.n - 1
    while left:
        half = (left + 1) // 2
        t, left = fold_limbs(f, t, half), left - half
    return subtract_all(drop_limb(f, t), f.p)


@kernel("mul", "log-jump-unrolled")
def multiply_unrolled(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p: the product, then each low limb has its own power of mu; no fold waits.

    As in the Rust code that the article "Theory vs practice" (2025) measures, for any n.
    """
    t, jump = schoolbook(f, x, y), f.n - 1
    total = t >> f.word * jump
    for i, t_i in enumerate(limbs(f, t)[:jump]):
        total = total + t_i * pow(f.mu, jump - i, f.p)
    return subtract_all(drop_limb(f, total), f.p)


@kernel("mul", "two-limb-quotients")
def multiply_two_limb_quotients(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p as by cios, but two rows at a time and a quotient of two limbs for both.

    Half as many quotients wait for each other; each costs 3 products, not 2.
    """
    ys = limbs(f, y)
    t: Number = 0
    for low, high in zip(ys[::2], ys[1::2], strict=False):
        t = drop_limbs(f, t + x * low + (x * high << f.word), 2)
    if f.n % 2:
        t = drop_limb(f, t + x * ys[-1])
    return subtract_once(t, f.p)
