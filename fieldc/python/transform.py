"""Number-theoretic transforms of arrays: Stockham's form, each level one butterfly of two arrays.

Source: C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7.
"""

from __future__ import annotations

from fieldc.field import Field
from fieldc.properties import properties
from fieldc.python.arrays import LengthMismatch, ResidueArray, array, compute, empty


def root_of_unity(f: Field, order: int) -> int:
    """An element of an order 2^k: a power of the field's `properties(p).root_of_unity`.

    Raises LengthMismatch where there is none.
    """
    facts = properties(f.p)
    most = 1 << facts.two_adicity
    if order < 1 or order & order - 1 or order > most:
        raise LengthMismatch(
            f"a transform takes 2^k elements, k up to {facts.two_adicity} modulo {f.label}, "
            f"not {order}"
        )
    return pow(facts.root_of_unity, most // order, f.p)


def transform(x: ResidueArray) -> ResidueArray:
    """The values of the polynomial with these coefficients at 1, r, r^2, ... Raises LengthMismatch.

    r is `root_of_unity` of the length.
    """
    return _transform(x, root_of_unity(x.f, x.count))


def inverse_transform(x: ResidueArray) -> ResidueArray:
    """The coefficients of the polynomial with these values. Raises LengthMismatch."""
    f = x.f
    sums = _transform(x, pow(root_of_unity(f, x.count), -1, f.p))
    return sums.computed("mul", array(f, [pow(x.count, -1, f.p)]).repeated(x.count))


def _transform(x: ResidueArray, root: int) -> ResidueArray:
    """Sums of x_j * root^(i*j) for each i.

    After a level, row k of the array has entry k of every transform of so many elements. The next
    level joins the halves of each row.
    """
    f, half = x.f, x.count // 2
    powers = _powers(f, root, half)
    rows = 1
    while rows < x.count:
        low, high = _halves(x, rows)
        factors, joined = _spread(powers, rows), empty(f, x.count)
        ends, given = (joined.address, joined.at(half)), (low.address, high.address)
        compute(f, "butterfly", half, *ends, *given, factors.address)
        x, rows = joined, 2 * rows
    return x.start(x.count, x.count)


def _powers(f: Field, root: int, count: int) -> ResidueArray:
    """root^i for i < count, a power of two or 0: each step doubles how many there are."""
    found, have = empty(f, count), 1
    one = array(f, [1])
    if count:
        found.flat[: f.n] = one.flat
    while have < count:
        factors = array(f, [pow(root, have, f.p)]).repeated(have)
        compute(f, "mul", have, found.at(have), found.address, factors.address)
        have *= 2
    return found


def _halves(x: ResidueArray, rows: int) -> tuple[ResidueArray, ResidueArray]:
    """The first halves of all rows, and the second ones."""
    low, high = empty(x.f, x.count // 2), empty(x.f, x.count // 2)
    words = x.f.n * x.count // rows
    half, source = words // 2, x.flat
    for start, made in ((0, low), (half, high)):
        target = made.flat
        if rows <= half:
            for row in range(rows):
                at = row * words + start
                target[row * half : (row + 1) * half] = source[at : at + half]
        else:
            for word in range(half):
                target[word::half] = source[start + word :: words]
    return low, high


def _spread(powers: ResidueArray, rows: int) -> ResidueArray:
    """The first power of every part of the array, in all places of the part; `rows` parts."""
    made = empty(powers.f, powers.count)
    n, words = powers.f.n, powers.f.n * powers.count // rows
    source, target = powers.flat, made.flat
    if rows * n <= words:
        for row in range(rows):
            at = row * words
            part = bytes(source[at : at + n]) * (words // n)
            target[at : at + words] = memoryview(part).cast("Q")
    else:
        for word in range(words):
            target[word::words] = source[word % n :: words]
    return made
