"""Arrays of residues modulo a prime, in this process's memory.

They lie side by side, n limbs of 64 bits each, or one of 32, in Montgomery form. Kernels on arrays
compute where the processor has AVX-512 or AVX2, Python's integers elsewhere.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from sys import byteorder
from typing import Any, Literal

from fieldc.algorithms.lanes import ARRAY_OPERATIONS, LIMB_BITS, MOST_BITS
from fieldc.algorithms.sums import sums_of
from fieldc.artifacts.arrays import loaded, made_transforms
from fieldc.artifacts.host import SYMBOL
from fieldc.errors import UserError, counted
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, ArrayFunction, packed, size, unpacked
from fieldc.machine.columns import ColumnSums, LoadedColumnKernel
from fieldc.python.chains import LEAST, LINE, PART, chains_of
from fieldc.targets.array_targets import fastest_here
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.offers import ARRAY, array_expression

BYTES, INTEGERS = frozenset("Bbc"), frozenset("QqLlIiNn")
"""Formats of items that buffers of limbs may have, as module `struct` writes them."""


class LengthMismatch(UserError, ValueError):
    """An operation on arrays of two lengths, or a buffer that holds no whole elements."""


class ResidueArray:
    """Residues at an address; `held` owns the memory. Made by `array`, `array_of` and `empty`."""

    __slots__ = ("address", "count", "f", "held")

    def __init__(self, f: Field, count: int, address: int, held: object) -> None:
        self.f, self.count = f, count
        self.address, self.held = address, held

    @property
    def words(self) -> memoryview:
        """The limbs in Montgomery form, lowest first: `count` rows of n words, not a copy."""
        kind_of_word: Literal["Q", "I"] = "Q" if self.f.word == LIMB_BITS else "I"
        if not self.count:
            return memoryview(b"").cast(kind_of_word)
        kind: Any = type("Words", (ctypes.c_char * size(self.f, self.count),), {})
        memory: Any = kind.from_address(self.address)
        memory.held = self  # keeps what owns the memory
        return memoryview(memory).cast("B").cast(kind_of_word, (self.count, self.f.n))

    @property
    def flat(self) -> memoryview:
        """The same limbs in one row."""
        words: Any = self.words
        flat: memoryview = words.cast("B").cast(words.format) if self.count else words
        return flat

    def at(self, place: int) -> int:
        """The address of a value."""
        return self.address + size(self.f, place)

    def values(self, first: int, count: int) -> list[int]:
        """Some of the values, 0 <= value < p."""
        f = self.f
        data = ctypes.string_at(self.address + size(f, first), size(f, count))
        return [f.from_montgomery(form) for form in unpacked(f, data, count)]

    def part(self, places: range) -> ResidueArray:
        """A copy of the values at some places."""
        made, n = empty(self.f, len(places)), self.f.n
        if not places:
            return made
        to, source = made.flat, self.flat
        for word in range(n):
            stop = places.stop * n + word if places.stop >= 0 else None
            to[word::n] = source[places.start * n + word : stop : places.step * n]
        return made

    def power(self, exponent: int) -> ResidueArray:
        """The power of each value; a negative exponent inverts. Raises ZeroDivisionError."""
        if not exponent:
            return self.like(array(self.in_limbs().f, [1]).repeated(self.count))
        base = result = self.inverse() if exponent < 0 else self
        least = (abs(exponent) - 1) % (self.f.p - 1) + 1
        for bit in bin(least)[3:]:
            result = result.computed("square")
            if bit == "1":
                result = result.computed("mul", base)
        return result

    def repeated(self, count: int) -> ResidueArray:
        """The first value `count` times."""
        made = empty(self.f, count)
        data = ctypes.string_at(self.address, size(self.f, 1)) * count
        ctypes.memmove(made.address, data, len(data))
        return made

    def start(self, count: int, length: int) -> ResidueArray:
        """A copy of the first `count` values in an array of `length`, zeros after them."""
        made = empty(self.f, length)
        ctypes.memmove(made.address, self.address, size(self.f, count))
        return made

    def like(self, other: ResidueArray) -> ResidueArray:
        """Another array of this modulus in words as these are."""
        limbs = other.in_limbs()
        if limbs.f.word == self.f.word:
            return limbs
        return array(self.f, limbs.values(0, limbs.count))

    def in_limbs(self) -> ResidueArray:
        """The same residues side by side: this array, unless it is in digits."""
        return self

    def computed(self, operation: str, *others: ResidueArray) -> ResidueArray:
        """One result for each value, by arrays of the same length. Raises LengthMismatch."""
        (result,) = self._results(operation, 1, others)
        return result

    def butterfly(self, y: ResidueArray, w: ResidueArray) -> tuple[ResidueArray, ResidueArray]:
        """x + y*w and x - y*w. Raises LengthMismatch."""
        total, rest = self._results("butterfly", 2, (y, w))
        return total, rest

    def _results(
        self, operation: str, count: int, others: Sequence[ResidueArray]
    ) -> list[ResidueArray]:
        for other in others:
            if other.count != self.count:
                raise LengthMismatch(f"arrays of {self.count} and of {other.count} elements")
        results = [empty(self.f, self.count) for _ in range(count)]
        addresses = (each.address for each in (*results, self, *others))
        compute(self.f, operation, self.count, *addresses)
        return results

    def sum(self) -> int:
        """The sum modulo p: the upper half is added to the lower one, and so on."""
        f, left = self.f, self.count
        if not left:
            return 0
        total = self.start(left, left)
        while left > 1:
            half, at = (left + 1) // 2, total.address
            compute(f, "add", left - half, at, at, at + size(f, half))
            left = half
        return total.values(0, 1)[0]

    def inner_product(self, other: ResidueArray) -> int:
        """x_0*y_0 + x_1*y_1 + ... mod p, in columns by kernels. Raises LengthMismatch."""
        f, kernels = self.f, column_sums(self.f)
        if kernels is None or other.count != self.count:
            return self.computed("mul", other).sum()
        most, columns = kernels.most, ctypes.create_string_buffer(kernels.bytes)
        starts, at = range(0, self.count, most), ctypes.addressof(columns)
        sums, step = empty(kernels.result, BLOCK * len(starts)), size(f, most)
        block = size(kernels.result, BLOCK)
        x, y, z = self.address, other.address, sums.address
        for number, first in enumerate(starts):
            ctypes.memset(at, 0, kernels.bytes)
            here = min(most, self.count - first)
            kernels.accumulate(here, at, x + step * number, y + step * number)
            kernels.collect(BLOCK, z + block * number, at)
        if kernels.result == f:
            return sums.sum()
        # The words are longer, but R is that of f.
        return sum(sums.flat) * f.R_inverse % f.p

    def inverse(self) -> ResidueArray:
        """1/x of each value. Raises ZeroDivisionError with the first position of a zero."""
        chains = chains_of(self.f) if self.count >= LEAST else None
        if chains is None or not chains.takes_limbs:
            return self._inverse_by_halves()
        made = empty(self.f, self.count)
        for first in range(0, self.count, PART):
            here = min(PART, self.count - first)
            if not chains.invert(here, made.at(first), self.at(first)):
                raise self.zero(first)
        return made

    def _inverse_by_halves(self) -> ResidueArray:
        """The same: the product of the halves is inverted first, and so on, as a tree."""
        f, levels = self.f, [self]
        while (count := levels[-1].count) > 1:
            half = (count + 1) // 2
            below, product = levels[-1].address, levels[-1].start(half, half)
            compute(f, "mul", count - half, product.address, below, below + size(f, half))
            levels.append(product)
        values = levels[-1].values(0, levels[-1].count)
        if values == [0]:
            raise self.zero(0)
        inverse = array(f, [pow(value, -1, f.p) for value in values])
        for level in reversed(levels[:-1]):
            half, upper = inverse.count, level.count - inverse.count
            wider = inverse.start(half, level.count)
            place, above, others = wider.address, inverse.address, level.address
            compute(f, "mul", upper, place, above, others + size(f, half))
            compute(f, "mul", upper, place + size(f, half), above, others)
            inverse = wider
        return inverse

    def zero(self, first: int) -> ZeroDivisionError:
        """What is wrong with an array whose first 0 is at a place or after it."""
        place = first + self.values(first, self.count - first).index(0)
        return ZeroDivisionError(f"element {place} is 0, which has no inverse")


def empty(f: Field, count: int) -> ResidueArray:
    """An array of zeros."""
    memory = ctypes.create_string_buffer(size(f, count) + LINE)
    address = ctypes.addressof(memory)
    return ResidueArray(f, count, address + -address % LINE, memory)


def array(f: Field, values: Sequence[int]) -> ResidueArray:
    """An array of values, 0 <= value < p."""
    made = empty(f, len(values))
    forms = [f.to_montgomery(value) for value in values]
    ctypes.memmove(made.address, packed(f, forms), size(f, len(forms)))
    return made


def array_from_bytes(f: Field, data: Any, order: Literal["little", "big"]) -> ResidueArray:
    """An array of values in bytes. Raises LengthMismatch, ValueError, TypeError."""
    int.from_bytes(b"", order)  # a wrong order is also refused where there are no values
    given, each = memoryview(data).tobytes(), -(-f.bits // 8)
    if len(given) % each:
        raise LengthMismatch(f"{len(given)} bytes hold no whole elements of {each}")
    parts = (given[i : i + each] for i in range(0, len(given), each))
    values = [int.from_bytes(part, order) for part in parts]
    for place, value in enumerate(values):
        if value >= f.p:
            raise ValueError(f"element {place} is not below p")
    return array(f, values)


def array_of(f: Field, buffer: Any) -> ResidueArray:
    """An array on a buffer of limbs in Montgomery form, of values below p.

    It is not copied unless it is read-only. Raises LengthMismatch for a buffer that holds no whole
    elements or is not contiguous, TypeError for one of other items than bytes or words.
    """
    view = memoryview(buffer)
    _check_items(f, view)
    if not view.c_contiguous:
        raise LengthMismatch("limbs lie side by side, row after row; give a buffer without gaps")
    if view.nbytes % size(f, 1):
        raise LengthMismatch(
            f"a buffer of {view.nbytes} bytes holds no whole elements of {size(f, 1)}"
        )
    count = view.nbytes // size(f, 1)
    if not count:
        return empty(f, 0)
    if view.readonly:
        view = memoryview(bytearray(view))
    address = ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view))
    return ResidueArray(f, count, address, view)


def _check_items(f: Field, view: memoryview) -> None:
    """Raise TypeError unless a buffer has bytes or words, LengthMismatch for rows of others."""
    native = "@=<" if byteorder == "little" else "@=>!"
    kind, items = view.format.lstrip(native), 8 * view.itemsize
    if kind not in BYTES and not (kind in INTEGERS and items == f.word):
        raise TypeError(
            f"a buffer of limbs has integers of {f.word} bits in this machine's byte order, or "
            f"bytes, not items of format {view.format!r} with {items} bits"
        )
    if view.ndim > 1 and view.shape and view.shape[-1] * view.itemsize != size(f, 1):
        raise LengthMismatch(
            f"a row of {view.shape[-1]} items is no element of {counted(f.n, 'word')}"
        )


def compute(f: Field, operation: str, count: int, *addresses: int) -> None:
    """An operation on arrays at addresses, results first: by a kernel, or by Python's integers."""
    if not count:
        return
    function = _function(f, operation)
    if function is not None:
        function.at(count, *addresses)
        return
    computes = ARRAY_OPERATIONS[operation]
    given = addresses[computes.result.count :]
    data = [ctypes.string_at(address, size(f, count)) for address in given]
    operands: Sequence[list[int]] = [unpacked(f, each, count) for each in data]
    numbers = [computes(f, *values) for values in zip(*operands, strict=True)]
    results = [computes.result.values(f, number) for number in numbers]
    for address, forms in zip(addresses, zip(*results, strict=True), strict=False):
        ctypes.memmove(address, packed(f, forms), size(f, count))


@lru_cache(maxsize=64)
def _function(f: Field, operation: str) -> ArrayFunction | None:
    """The kernel of this process; None where the processor has none, or the modulus is too long."""
    target = fastest_here(f)
    if target is None or f.bits > MOST_BITS:
        return None
    expression = array_expression(f, operation, ARRAY)
    return ArrayFunction(compile_array(target, expression, SYMBOL).object, SYMBOL, expression)


@lru_cache(maxsize=64)
def transform_functions(f: Field) -> dict[str, ArrayFunction]:
    """The kernels of transforms in digits of this process by name; nothing where there are none."""
    target = fastest_here(f)
    if target is None or f.bits > MOST_BITS:
        return {}
    return {name: loaded(made.kernel) for name, made in made_transforms(target, f).items()}


@lru_cache(maxsize=64)
def column_sums(f: Field) -> ColumnSums | None:
    """The kernels of inner products of this process; None where there are none."""
    target = fastest_here(f)
    if target is None or f.bits > MOST_BITS or not target.has_sums(f):
        return None
    sums = sums_of(f)
    calls = (
        LoadedColumnKernel(
            compile_array(target, expression, SYMBOL, result, sums.columns).object, SYMBOL, arrays
        )
        for (expression, result), arrays in zip(sums.kernels, (3, 2), strict=True)
    )
    return ColumnSums(f, sums.columns, sums.result, *calls)
