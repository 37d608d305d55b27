"""A word in two parts, low + 2^k*top: what bounds know of the low one as a word of k bits.

Where 2^m is 1 modulo p, x mod 2^m and x >> m are added. The sum is below 2p only because a word's
low bits are in the one and its top bits in the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from fieldc.proof.algebra.combinations import Combination
from fieldc.proof.algebra.equations import (
    Equation,
    Polynomial,
    System,
    add_to,
    product,
    ratio,
)
from fieldc.proof.algebra.totals import Total

Cuts = Mapping[int, tuple[Equation, int]]
"""By the variable of top bits: a row in which it stands with a negative factor, and the factor."""


def cuts(system: System, asked: Polynomial, fixed: Mapping[int, int]) -> Cuts:
    """The rows low = word - 2^k*top, or 2^j as much of both: a shift to the left.

    Where a top is asked for, any rows that take tops away. None of a top whose value is fixed.
    """
    if not system.top_bits:
        return {}
    words = {top: cut for cut, top in system.top_bits.items()}
    is_asked = not words.keys().isdisjoint(v for monomial in asked for v in monomial)
    found: dict[int, tuple[Equation, int]] = {}
    for row in system.rows:
        if not isinstance(row, Equation) or row.kind != "bits":
            continue
        for top in (m[0] for m, c in row.right.items() if len(m) == 1 and c < 0):
            if top not in words or top in fixed:
                continue
            word, shift = words[top]
            size = row.right.get((word,), 0)
            is_low = len(row.right) == 2 and size * (1 << shift) == -row.right[top,]
            if is_low or (is_asked and top not in found):
                found[top] = row, -int(row.right[top,])
    return found


def without_tops(total: Total, known: Cuts, rows: Combination) -> None:
    """Replace each top by (word - low)/2^k, in place; the multiples of rows go into `rows`."""
    for _ in known:  # a row may bring another top
        tops = [top for top in known if top in total.places]
        if not tops:
            return
        for top in tops:
            row, factor = known[top]
            multiple = {m: ratio(c, factor) for m, c in total.split(top).items()}
            parts: Polynomial = {m: c for m, c in row.right.items() if m != (top,)}
            add_to(parts, {(row.word,): -1})
            total.add(product(multiple, parts))
            add_to(rows.setdefault(row.number, {}), multiple)
