"""Number-theoretic transforms of arrays: in four steps, each of them Stockham's form on long rows.

Sources: C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7;
D. H. Bailey, "FFTs in external or hierarchical memory", 1990.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from fieldc.algorithms.lanes import in_lanes
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, WORD_BYTES, ArrayFunction, size
from fieldc.properties import properties
from fieldc.python.arrays import (
    LengthMismatch,
    ResidueArray,
    array,
    compute,
    empty,
    transform_functions,
)


def root_of_unity(f: Field, order: int) -> int:
    """An element of an order 2^k: a power of the field's `properties(p).root_of_unity`.

    Raises LengthMismatch where there is none.
    """
    facts = properties(f.p)
    most = 1 << facts.two_adicity
    if order < 1 or order & order - 1 or order > most:
        raise LengthMismatch(
            f"a transform takes 2^k elements, k up to {facts.two_adicity} modulo {f.short}, "
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

    In rows of m elements: transforms of the columns, factors root^(row*column), the other
    transforms with rows and columns exchanged. So no kernel works on short rows.
    """
    f, count = x.f, x.count
    rows = 1 << (count.bit_length() - 1) // 2
    columns = count // rows
    inner = _levels(x, pow(root, columns, f.p), rows)
    turned = _turned(inner.computed("mul", _factors(f, root, rows, columns)), rows)
    return _levels(turned, pow(root, rows, f.p), columns)


def _levels(x: ResidueArray, root: int, order: int) -> ResidueArray:
    """In row k of `order` rows, entry k of the transforms of all columns; the root has this order.

    A level joins the halves of each row, all by one power.
    """
    f, half, rows = x.f, x.count // 2, 1
    kernels = transform_functions(f)
    if kernels and order > 1 and x.count // order >= BLOCK:
        return _levels_in_digits(kernels, x, root, order)
    powers, element = _powers(f, root, order // 2), size(f, 1)
    while rows < order:
        length, joined = half // rows, empty(f, x.count)
        factors = empty(f, length)
        for row in range(rows):
            power = ctypes.string_at(powers.at(row * (order // (2 * rows))), element)
            ctypes.memmove(factors.address, power * length, element * length)
            ends = joined.at(row * length), joined.at(row * length + half)
            given = x.at(2 * row * length), x.at((2 * row + 1) * length)
            compute(f, "butterfly", length, *ends, *given, factors.address)
        x, rows = joined, 2 * rows
    return x


def _levels_in_digits(
    kernels: Mapping[str, ArrayFunction], x: ResidueArray, root: int, order: int
) -> ResidueArray:
    """The same where rows are whole blocks: values stay in digits, and are reduced at the end."""
    f, half, rows = x.f, x.count // 2, 1
    digits = in_lanes(f)
    roots, root_bytes = _in_rows(kernels, _powers(f, root, order // 2)), WORD_BYTES * digits.n**2
    now, then = (empty(digits, x.count) for _ in range(2))
    kernels["enter"].at(x.count, now.address, x.address)
    while rows < order:
        length = half // rows
        for row in range(rows):
            ends = then.at(row * length), then.at(row * length + half)
            given = now.at(2 * row * length), now.at((2 * row + 1) * length)
            power = row * (order // (2 * rows))
            if not power and rows <= digits.n + 1:  # values of row 0 are below rows*p
                kernels["step_one"].at(length, *ends, *given)
            else:
                at = ctypes.addressof(roots) + power * root_bytes
                kernels["step_by"].at(length, *ends, *given, at)
        now, then, rows = then, now, 2 * rows
    left = empty(f, x.count)
    kernels["leave"].at(x.count, left.address, now.address)
    return left


def _in_rows(kernels: Mapping[str, ArrayFunction], roots: ResidueArray) -> ctypes.Array[Any]:
    """Each root in rows of digits, n rows of n words."""
    digits = in_lanes(roots.f)
    n, held = digits.n, size(digits, roots.count)
    made = (ctypes.c_uint64 * (n * held // WORD_BYTES))()
    words, row = memoryview(made).cast("B").cast("Q"), empty(digits, roots.count)
    kernels["root"].at(roots.count, row.address, roots.address)
    for number in reversed(range(n)):
        given = memoryview(ctypes.string_at(row.address, held)).cast("Q")
        for place in range(n * BLOCK):
            digit, lane = divmod(place, BLOCK)
            first = lane * n * n + number * n + digit
            words[first :: BLOCK * n * n] = given[place :: BLOCK * n]
        before = empty(digits, roots.count)
        kernels["next_row"].at(roots.count, before.address, row.address)
        row = before
    return made


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


def _factors(f: Field, root: int, rows: int, columns: int) -> ResidueArray:
    """root^(row*column): each step doubles how many rows there are."""
    made, have = array(f, [1]).repeated(columns).start(columns, rows * columns), 1
    step = _powers(f, root, columns)
    while have < rows:
        block, place = ctypes.string_at(step.address, size(f, columns)), made.at(have * columns)
        ctypes.memmove(place, block * have, len(block) * have)
        compute(f, "mul", have * columns, place, made.address, place)
        step, have = step.computed("square"), 2 * have
    return made


def _turned(x: ResidueArray, rows: int) -> ResidueArray:
    """Rows and columns exchanged."""
    made, n = empty(x.f, x.count), x.f.n
    words, columns = n * rows, x.count // rows
    source, target = x.flat, made.flat
    for column in range(columns):
        for word in range(n):
            at = column * n + word
            target[column * words + word : (column + 1) * words : n] = source[at :: columns * n]
    return made
