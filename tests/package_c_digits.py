"""Arrays in digits of a C package, compared with Python's integers between guarded pages."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Sequence
from itertools import product

from package_c import LENGTH, NO_INVERSE, NO_TRANSFORM, NULL, OK, Library
from package_c_arrays import MEANINGS, OPERANDS, GuardedArray, Values, drawn

from fieldc.properties import has_transforms

LENGTHS = (0, 1, 7, 8, 9, 64, 251, 4097)
"""Also more than a room of the package's own takes, 192 elements of 6 limbs and fewer."""


class Digits(ctypes.Structure):
    """The struct of the header."""

    _fields_ = (
        ("count", ctypes.c_size_t),
        ("words", ctypes.c_void_p),
        ("run", ctypes.c_void_p),
    )


class DigitArray:
    """An array in digits whose memory ends where memory does."""

    def __init__(self, library: Library, values: Sequence[int]) -> None:
        self.library, self.count = library, len(values)
        self.length = words(library, self.count)
        page, size = mmap.PAGESIZE, 8 * self.length
        room = -(-max(size, 1) // page) * page
        self._map = mmap.mmap(-1, room + 2 * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + page
        for edge in (start - page, start + room):
            protect = ctypes.CDLL(None).mprotect
            assert protect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) == 0
        self.memory = ctypes.c_void_p(start + room - size)
        ctypes.memset(self.memory, 0xA5, size)
        self.struct = Digits()
        x = GuardedArray(library, values, at_end=True)
        assert self.made("from", x.at()) == OK

    def made(self, name: str, *x: object) -> int:
        sizes = ctypes.c_size_t(self.length), *x, ctypes.c_size_t(self.count)
        return self.library.call(f"digits_{name}", self.at(), self.memory, *sizes)

    def at(self) -> object:
        return ctypes.byref(self.struct)

    @property
    def is_in_digits(self) -> bool:
        return self.struct.run is not None

    def values(self) -> Values:
        z = GuardedArray(self.library, [7 % self.library.f.p] * self.count, at_end=True)
        count = ctypes.c_size_t(self.count)
        assert self.library.call("digits_read", z.at(), count, self.at()) == OK
        return z.values()


def words(library: Library, count: int) -> int:
    """What the package says that memory must have."""
    function = library.functions[f"{library.name}_digits_words"]
    function.restype = ctypes.c_size_t
    return int(function(ctypes.c_size_t(count)))


def check_digits(library: Library, lengths: Sequence[int] = LENGTHS) -> None:
    """Every function on the path in use."""
    for count in lengths:
        for name in MEANINGS:
            check_elementwise(library, name, count)
        check_sums(library, count)
        check_steps(library, count)
        check_powers(library, count)
        check_inverses(library, count)
        check_lengths(library, count)
    for k in range(10) if has_transforms(library.f.p) else ():
        check_transforms(library, 1 << k)


def check_elementwise(library: Library, name: str, count: int) -> None:
    """A result apart, on each operand, and with all operands the same."""
    means, given = MEANINGS[name], drawn(library, count, OPERANDS[name])
    wanted = [means(*row) % library.f.p for row in zip(*given, strict=True)]
    for shared in (None, *range(len(given))):
        arrays = [DigitArray(library, values) for values in given]
        z = DigitArray(library, [0] * count) if shared is None else arrays[shared]
        assert call(library, name, z, *arrays) == OK
        assert z.values() == wanted, (name, count, shared)
        kept = [(i, a) for i, a in enumerate(arrays) if a is not z]
        assert all(a.values() == given[i] for i, a in kept), (name, count, shared)
    x = DigitArray(library, given[0])
    assert call(library, name, x, *[x] * len(given)) == OK
    wanted = [means(*[value] * len(given)) % library.f.p for value in given[0]]
    assert x.values() == wanted, (name, count)


def call(library: Library, name: str, *arrays: DigitArray) -> int:
    return library.call(f"digits_{name}", *(array.at() for array in arrays))


def check_sums(library: Library, count: int) -> None:
    """Sums and inner products, also of values that were computed."""
    f, (x, y) = library.f, drawn(library, count, 2)
    a, b, z = DigitArray(library, x), DigitArray(library, y), library.value()
    for _ in range(2):
        assert library.call("digits_sum", z, a.at()) == OK
        assert library.encode(z) == sum(x) % f.p, count
        assert library.call("digits_inner_product", z, a.at(), b.at()) == OK
        assert library.encode(z) == sum(v * w for v, w in zip(x, y, strict=True)) % f.p, count
        assert call(library, "neg", a, a) == call(library, "sub", b, b, a) == OK
        x = [-v for v in x]
        y = [w - v for v, w in zip(x, y, strict=True)]


def check_steps(library: Library, count: int) -> None:
    """Products with one value, butterflies, and a chain of operations."""
    p, (x, y, w) = library.f.p, drawn(library, count, 3)
    a, b, c = (DigitArray(library, values) for values in (x, y, w))
    z, factor = DigitArray(library, [0] * count), library.decode(p - 3)
    for result in (z, a):
        assert library.call("digits_scale", result.at(), a.at(), factor) == OK
        assert result.values() == [v * (p - 3) % p for v in x], count
    assert call(library, "copy", a, DigitArray(library, x)) == OK
    assert call(library, "butterfly", a, b, c) == OK
    rows = list(zip(x, y, w, strict=True))
    assert a.values() == [(u + v * r) % p for u, v, r in rows], count
    assert b.values() == [(u - v * r) % p for u, v, r in rows], count
    assert c.values() == w
    x = a.values()
    for _ in range(5):
        assert call(library, "square", a, a) == call(library, "sub", a, a, c) == OK
        assert call(library, "mul_add", a, a, c, a) == OK
        x = [(v * v - r) * (r + 1) % p for v, r in zip(x, w, strict=True)]
    assert a.values() == x, count


def check_powers(library: Library, count: int) -> None:
    """One exponent for all, apart and in place; 0^0 = 1. Sums do not see what lies behind."""
    (given,), p = drawn(library, count, 1), library.f.p
    for exponent, size in ((0, 0), (0, 2), (1, 1), (5, 2), (3 << 64, 2)):
        wanted = [pow(value, exponent, p) for value in given]
        limbs = (ctypes.c_uint64 * 2)(exponent % (1 << 64), exponent >> 64)
        for in_place in (False, True):
            x = DigitArray(library, given)
            z = x if in_place else DigitArray(library, [7] * count)
            status = library.call("digits_pow", z.at(), x.at(), limbs, ctypes.c_size_t(size))
            assert (status, z.values()) == (OK, wanted), (count, exponent)
            sum_of_all = library.value()
            assert library.call("digits_sum", sum_of_all, z.at()) == OK
            assert library.encode(sum_of_all) == sum(wanted) % p


def check_inverses(library: Library, count: int) -> None:
    """Apart and in place, without zeros and with them; zeros that are differences."""
    (given,), p = drawn(library, count, 1), library.f.p
    whole = [value or 1 for value in given]
    for x in (given, whole, [*whole[:-1], 0][:count]):
        inverses = [pow(value, -1, p) if value else 0 for value in x]
        for in_place in (False, True):
            a = DigitArray(library, x)
            z = a if in_place else DigitArray(library, [7] * count)
            zero = ctypes.c_size_t(99)
            status = library.call("digits_invert", z.at(), a.at(), ctypes.byref(zero))
            assert status == (NO_INVERSE if 0 in x else OK)
            assert zero.value == (x.index(0) if 0 in x else count)
            assert z.values() == inverses, (count, in_place)
            assert in_place or a.values() == x
    a, z = DigitArray(library, given), DigitArray(library, given)
    assert call(library, "neg", z, a) == call(library, "add", z, z, a) == OK
    status = library.call("digits_invert", z.at(), z.at(), None)
    assert (status, z.values()) == (NO_INVERSE if count else OK, [0] * count)


def check_transforms(library: Library, count: int) -> None:
    """As ordinary arrays are transformed, also of values that were computed."""
    (x,), p, size = drawn(library, count, 1), library.f.p, ctypes.c_size_t(count)
    if (p - 1) % count:
        return
    roots, b = (GuardedArray(library, values, at_end=True) for values in ([0] * count, x))
    assert library.call("ntt_roots", roots.at(), size) == OK
    a = DigitArray(library, x)
    for _ in range(2):
        assert library.call("ntt", b.at(), roots.at(), size) == OK
        assert library.call("digits_ntt", a.at(), roots.at()) == OK
        assert a.values() == b.values(), count
        assert call(library, "double", a, a) == OK
        library.call("array_double", b.at(), b.at(), size)  # gives nothing back
    assert library.call("intt", b.at(), roots.at(), size) == OK
    assert library.call("digits_intt", a.at(), roots.at()) == OK
    assert a.values() == b.values(), count
    a = DigitArray(library, x * 3)
    assert library.call("digits_ntt", a.at(), roots.at()) == NO_TRANSFORM
    assert library.call("digits_ntt", None, roots.at()) == NULL
    assert library.call("digits_intt", a.at(), None) == NULL
    assert a.values() == x * 3


def check_lengths(library: Library, count: int) -> None:
    """What is refused, and writes nothing; an array of zeros."""
    (given,) = drawn(library, count, 1)
    x, y = DigitArray(library, given), DigitArray(library, [*given, 1])
    for name in ("add", "mul", "butterfly"):
        assert call(library, name, x, y, x) == call(library, name, x, x, y) == LENGTH
    for name in ("neg", "square", "copy", "double"):
        assert call(library, name, x, y) == call(library, name, y, x) == LENGTH
    assert library.call("digits_invert", x.at(), y.at(), None) == LENGTH
    assert call(library, "mul_add", x, x, x, y) == call(library, "mul_add", y, x, x, x) == LENGTH
    z, one = library.value(*[7] * library.f.n), library.decode(1)
    assert library.call("digits_inner_product", z, x.at(), y.at()) == LENGTH
    assert library.call("digits_scale", y.at(), x.at(), one) == LENGTH
    assert library.call("digits_read", z, ctypes.c_size_t(count + 1), x.at()) == LENGTH
    assert list(z) == [7] * library.f.n
    check_null(library, x)
    assert (x.values(), y.values()) == (given, [*given, 1])
    y.length -= 1
    assert y.made("zero") == LENGTH
    y.length += 1
    assert y.made("zero") == OK and y.values() == [0] * (count + 1)


def check_null(library: Library, x: DigitArray) -> None:
    """Null pointers are refused, whatever the others are."""
    count, z = ctypes.c_size_t(x.count), library.value()
    refused = [
        library.call("digits_add", None, x.at(), x.at()),
        library.call("digits_mul", x.at(), None, x.at()),
        library.call("digits_sub", x.at(), x.at(), None),
        library.call("digits_square", None, x.at()),
        library.call("digits_neg", x.at(), None),
        library.call("digits_mul_add", x.at(), x.at(), x.at(), None),
        library.call("digits_scale", x.at(), x.at(), None),
        library.call("digits_butterfly", x.at(), x.at(), None),
        library.call("digits_pow", x.at(), x.at(), None, ctypes.c_size_t(1)),
        library.call("digits_sum", z, None),
        library.call("digits_invert", None, x.at(), None),
        library.call("digits_invert", x.at(), None, None),
        library.call("digits_inner_product", None, x.at(), x.at()),
        library.call("digits_read", z, count, None),
        library.call("digits_zero", None, None, ctypes.c_size_t(0), ctypes.c_size_t(0)),
    ]
    assert set(refused) == {NULL}
    check_no_values(library)


def check_no_values(library: Library) -> None:
    """A pointer to no values may be null."""
    none, x = ctypes.c_size_t(0), DigitArray(library, [])
    assert library.call("digits_zero", x.at(), None, none, none) == OK
    assert library.call("digits_read", None, none, x.at()) == OK
    assert library.call("digits_from", x.at(), None, none, None, none) == OK
    assert library.call("digits_mul", x.at(), x.at(), x.at()) == OK
    assert library.call("digits_pow", x.at(), x.at(), None, none) == OK
    assert library.call("digits_invert", x.at(), x.at(), None) == OK


def check_mixed(library: Library, paths: Sequence[int], lengths: Sequence[int]) -> None:
    """Arrays that were made on different paths, where their values lie differently."""
    for count in lengths:
        given = drawn(library, count, 3)
        for name, means in MEANINGS.items():
            for of_operands in product(paths, repeat=OPERANDS[name]):
                check_mixed_paths(library, name, means, given, of_operands)


def check_mixed_paths(
    library: Library,
    name: str,
    means: Callable[..., int],
    given: Sequence[Values],
    paths: Sequence[int],
) -> None:
    operands = given[: len(paths)]
    wanted = [means(*row) % library.f.p for row in zip(*operands, strict=True)]
    for shared in range(len(operands)):
        arrays = []
        for path, values in zip(paths, operands, strict=True):
            assert library.call("use", path) == OK
            arrays.append(DigitArray(library, values))
        assert call(library, name, arrays[shared], *arrays) == OK
        assert arrays[shared].values() == wanted, (name, paths, shared)
        z = library.value()
        assert library.call("digits_inner_product", z, arrays[shared].at(), arrays[-1].at()) == OK
        rows = zip(wanted, arrays[-1].values(), strict=True)
        assert library.encode(z) == sum(v * w for v, w in rows) % library.f.p
