"""The other four of Koc, Acar, Kaliski, by the order in which words are multiplied and reduced.

"Analyzing and comparing Montgomery multiplication algorithms" (1996), sections 4 and 6 to 8; CIOS
is in montgomery.py. All have 2n^2 + n products.
"""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.algorithms.reduction import drop_limb, subtract_once
from fieldc.field import Field
from fieldc.language import Number, Residue, kernel, limbs
from fieldc.polynomial_bounds import joined, tighten


def schoolbook(f: Field, x: Number, y: Number) -> Number:
    """x*y, row by row: operand scanning."""
    return schoolbook_sum(f, [(x, y)])


def schoolbook_sum(f: Field, pairs: Sequence[tuple[Number, Number]]) -> Number:
    """x*y + ... of all pairs: the rows of all products that begin at a limb, then at the next one.

    The sum grows from below, so that few of its words wait in registers.
    """
    columns = [(x, limbs(f, y)) for x, y in pairs]
    t: Number = 0
    for i in range(f.n):
        for x, ys in columns:
            t = t + (x * ys[i] << f.word * i)
    return tighten(t)


@kernel("mul", "sos")
def multiply_sos(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p, separated operand scanning: the whole product, then the whole reduction."""
    t = schoolbook(f, x, y)
    for _ in range(f.n):
        t = drop_limb(f, t)
    return subtract_once(t, f.p)


@kernel("mul", "fios")
def multiply_fios(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p, finely integrated operand scanning: one loop over both rows, limb by limb.

    Two carries of a limb, for the row of x and for that of p, instead of a carry run to the top.
    """
    xs, ps = limbs(f, x), f.limbs(f.p)
    t: Number = 0
    for y_i in limbs(f, y):
        q = (t % f.base + xs[0] * y_i) * f.n0 % f.base
        columns: list[Number] = []
        a: Number = 0
        c: Number = 0
        for t_j, x_j, p_j in zip(limbs(f, t), xs, ps, strict=True):
            s = t_j + x_j * y_i + a
            u = s % f.base + q * p_j + c
            a, c = s >> f.word, u >> f.word
            columns.append(u % f.base)
        t = tighten(joined(f, [*columns[1:], (t >> f.word * f.n) + a + c]))
    return subtract_once(t, f.p)


@kernel("mul", "fips")
def multiply_fips(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p, finely integrated product scanning: column by column, three words of sum."""
    n, xs, ys, ps = f.n, limbs(f, x), limbs(f, y), f.limbs(f.p)
    qs: list[Number] = []
    columns: list[Number] = []
    t: Number = 0
    for i in range(2 * n - 1):
        for j in range(max(0, i - n + 1), min(i, n - 1) + 1):
            t = t + xs[j] * ys[i - j]
            if j < len(qs):
                t = t + qs[j] * ps[i - j]
        if i < n:
            qs.append(t * f.n0 % f.base)
            t = t + qs[i] * ps[0]
        else:
            columns.append(t % f.base)
        t = t >> f.word
    return subtract_once(tighten(joined(f, [*columns, t])), f.p)


@kernel("mul", "cihs")
def multiply_cihs(f: Field, x: Residue, y: Residue) -> Residue:
    """x*y/R mod p, coarsely integrated hybrid scanning: the low half of the product by rows.

    Then rows of the reduction, between which the columns of the high half are added.
    """
    n, w, xs, ys = f.n, f.word, limbs(f, x), limbs(f, y)
    t: Number = 0
    for i, y_i in enumerate(ys):
        t = t + (x % (1 << w * (n - i)) * y_i << w * i)
    for i in range(n):
        t = drop_limb(f, t)
        for j in range(i + 1, n):
            t = t + (ys[j] * xs[n + i - j] << w * (n - 1))
    return subtract_once(tighten(t), f.p)
