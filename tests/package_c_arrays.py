"""Functions on arrays of a C package, compared with Python's integers between guarded pages."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Callable, Sequence

from package_c import LENGTH, NO_INVERSE, NOT_CANONICAL, NULL, OK, Library, edges

Values = list[int]
MEANINGS: dict[str, Callable[..., int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x: -x,
    "double": lambda x: 2 * x,
    "square": lambda x: x * x,
    "mul_add": lambda x, y, a: x * y + a,
}
OPERANDS = {name: means.__code__.co_argcount for name, means in MEANINGS.items()}
LENGTHS = (*range(41), 63, 64, 65, 97, 200)


class GuardedArray:
    """Elements that end, or begin, where memory does: nothing may touch the pages around."""

    def __init__(self, library: Library, values: Sequence[int], at_end: bool) -> None:
        self.library, self.count = library, len(values)
        page, size = mmap.PAGESIZE, 8 * library.f.n * len(values)
        room = -(-max(size, 1) // page) * page
        self._map = mmap.mmap(-1, room + 2 * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + page
        protect = ctypes.CDLL(None).mprotect
        for edge in (start - page, start + room):
            assert protect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) == 0
        self.address = start + (room - size if at_end else 0)
        stored = (library.r.stored(library.f, value) for value in values)
        words = [word for value in stored for word in library.f.limbs(value)]
        ctypes.memmove(self.address, (ctypes.c_uint64 * len(words))(*words), size)

    def at(self, place: int = 0) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.address + 8 * self.library.f.n * place)

    def values(self) -> Values:
        f = self.library.f
        words = (ctypes.c_uint64 * (f.n * self.count)).from_address(self.address)
        each = [sum(words[f.n * i + j] << 64 * j for j in range(f.n)) for i in range(self.count)]
        one = pow(self.library.r.stored(f, 1), -1, f.p)
        assert all(value < f.p for value in each)
        return [value * one % f.p for value in each]


def drawn(library: Library, count: int, arrays: int) -> list[Values]:
    """Arrays of edge values and random ones."""
    draw = random.Random(count)
    some = edges(library.f, 8)
    return [[draw.choice(some) for _ in range(count)] for _ in range(arrays)]


def check_arrays(library: Library, lengths: Sequence[int] = LENGTHS) -> None:
    """Every function on the path in use."""
    for count in lengths:
        at_end = bool(count % 2)
        for name in MEANINGS:
            check_elementwise(library, name, count, at_end)
        check_one_result(library, count, at_end)
        check_inverses(library, count, at_end)
        check_butterflies(library, count, at_end)
        check_powers(library, count, at_end)
        check_bytes(library, count, at_end)
        check_conversions(library, count, at_end)


def check_elementwise(library: Library, name: str, count: int, at_end: bool) -> None:
    """A result apart, on each operand, and with all operands the same."""
    means, given = MEANINGS[name], drawn(library, count, OPERANDS[name])
    wanted = [means(*row) % library.f.p for row in zip(*given, strict=True)]
    for shared in (None, *range(len(given))):
        arrays = [GuardedArray(library, values, at_end) for values in given]
        z = GuardedArray(library, [0] * count, at_end) if shared is None else arrays[shared]
        call(library, f"array_{name}", z, *arrays)
        assert z.values() == wanted, (name, count, shared)
        kept = [(i, a) for i, a in enumerate(arrays) if a is not z]
        assert all(a.values() == given[i] for i, a in kept), (name, count, shared)
    x = GuardedArray(library, given[0], at_end)
    call(library, f"array_{name}", x, *[x] * len(given))
    wanted = [means(*[value] * len(given)) % library.f.p for value in given[0]]
    assert x.values() == wanted, (name, count)


def call(library: Library, name: str, *arrays: GuardedArray) -> None:
    library.call(name, *(array.at() for array in arrays), ctypes.c_size_t(arrays[0].count))


def check_one_result(library: Library, count: int, at_end: bool) -> None:
    """Sums, inner products, and products with one value."""
    f, (x, y) = library.f, drawn(library, count, 2)
    a, b = (GuardedArray(library, values, at_end) for values in (x, y))
    z = GuardedArray(library, [7], at_end)
    library.call("array_sum", z.at(), a.at(), ctypes.c_size_t(count))
    assert z.values() == [sum(x) % f.p], count
    library.call("sum_of_products", z.at(), a.at(), b.at(), ctypes.c_size_t(count))
    assert z.values() == [sum(v * w for v, w in zip(x, y, strict=True)) % f.p], count
    call_scale(library, a, b, z)
    factor = z.values()[0]
    assert b.values() == [value * factor % f.p for value in x], count
    if count:  # the factor is an element of the result
        last = x[-1]
        library.call("array_scale", a.at(), a.at(), a.at(count - 1), ctypes.c_size_t(count))
        assert a.values() == [value * last % f.p for value in x], count


def call_scale(library: Library, x: GuardedArray, z: GuardedArray, y: GuardedArray) -> None:
    library.call("array_scale", z.at(), x.at(), y.at(), ctypes.c_size_t(x.count))


def check_butterflies(library: Library, count: int, at_end: bool) -> None:
    """Sums and differences with products, in place of two arrays."""
    p, given = library.f.p, drawn(library, count, 3)
    x, y, w = (GuardedArray(library, values, at_end) for values in given)
    call(library, "array_butterfly", x, y, w)
    rows = list(zip(*given, strict=True))
    assert x.values() == [(a + c * b) % p for a, b, c in rows], count
    assert y.values() == [(a - c * b) % p for a, b, c in rows], count
    assert w.values() == given[2], count


def check_powers(library: Library, count: int, at_end: bool) -> None:
    """One exponent for all, apart and in place; 0^0 = 1."""
    (given,) = drawn(library, count, 1)
    for exponent, words in ((0, 0), (0, 2), (1, 1), (5, 2), (3 << 64, 2)):
        wanted = [pow(value, exponent, library.f.p) for value in given]
        limbs = (ctypes.c_uint64 * 2)(exponent % (1 << 64), exponent >> 64)
        for in_place in (False, True):
            x = GuardedArray(library, given, at_end)
            z = x if in_place else GuardedArray(library, [7] * count, at_end)
            sizes = ctypes.c_size_t(words), ctypes.c_size_t(count)
            library.call("array_pow", z.at(), x.at(), limbs, *sizes)
            assert z.values() == wanted, (count, exponent)
            assert in_place or x.values() == given


def check_bytes(library: Library, count: int, at_end: bool) -> None:
    """Both orders, there and back; a number that is not below p, wrong lengths, null pointers."""
    f, (given,) = library.f, drawn(library, count, 1)
    size = -(-f.bits // 8)
    for end in ("", "_le"):

        def as_bytes(value: int, step: int = -1 if not end else 1) -> bytes:
            return value.to_bytes(size, "little")[::step]

        text = b"".join(as_bytes(value) for value in given)
        z, room = GuardedArray(library, [7] * count, at_end), ctypes.c_size_t(count)
        length = ctypes.c_size_t(len(text))
        assert library.call(f"array_decode{end}", z.at(), text, length, room) == OK
        assert z.values() == given
        written = ctypes.create_string_buffer(b"7" * len(text), len(text) + 1)
        assert library.call(f"array_encode{end}", written, length, z.at(), room) == OK
        assert written.raw == text + b"\0"
        wrong = ctypes.c_size_t(len(text) + 1)
        assert library.call(f"array_decode{end}", z.at(), text, wrong, room) == LENGTH
        assert library.call(f"array_encode{end}", written, wrong, z.at(), room) == LENGTH
        missing = NULL if count else OK
        assert library.call(f"array_decode{end}", z.at(), None, length, room) == missing
        assert library.call(f"array_decode{end}", None, text, length, room) == missing
        assert library.call(f"array_encode{end}", written, length, None, room) == missing
        assert library.call(f"array_encode{end}", None, length, z.at(), room) == missing
        if not count:
            assert library.call(f"array_decode{end}", None, None, length, room) == OK
            assert library.call(f"array_decode{end}", None, None, wrong, room) == LENGTH
            assert library.call(f"array_encode{end}", None, length, None, room) == OK
        assert z.values() == given and written.raw == text + b"\0"
        if count:
            changed = text[:-size] + as_bytes(f.p)
            status = library.call(f"array_decode{end}", z.at(), changed, length, room)
            assert status == NOT_CANONICAL and z.values() == [*given[:-1], 0]


def check_conversions(library: Library, count: int, at_end: bool) -> None:
    """Numbers in words there and back, apart and in place; one that is not below p; null."""
    f, (given,) = library.f, drawn(library, count, 1)
    one = pow(library.r.stored(f, 1), -1, f.p)
    as_numbers, room = [value * one % f.p for value in given], ctypes.c_size_t(count)
    for in_place in (False, True):
        x = GuardedArray(library, as_numbers, at_end)
        z = x if in_place else GuardedArray(library, [7] * count, at_end)
        assert library.call("array_to_montgomery", z.at(), x.at(), room) == OK
        assert z.values() == given
        back = z if in_place else GuardedArray(library, [7] * count, at_end)
        library.call("array_from_montgomery", back.at(), z.at(), room)
        assert back.values() == x.values() == as_numbers
        missing = NULL if count else OK
        assert library.call("array_to_montgomery", z.at(), None, room) == missing
        assert library.call("array_to_montgomery", None, x.at(), room) == missing
        assert count or library.call("array_to_montgomery", None, None, room) == OK
        assert z.values() == (as_numbers if in_place else given)  # nothing was written
        if count:
            above = (ctypes.c_uint64 * f.n)(*f.limbs(f.p + 3 * (f.p + 3 < f.R)))
            ctypes.memmove(x.at(count // 2), above, 8 * f.n)
            assert library.call("array_to_montgomery", z.at(), x.at(), room) == NOT_CANONICAL
            wanted = [*given]
            wanted[count // 2] = 0
            assert z.values() == wanted


def check_inverses(library: Library, count: int, at_end: bool) -> None:
    """Inverses apart and in place, with the position of a zero and without one."""
    f, (x,) = library.f, drawn(library, count, 1)
    for given in (x, [value or 1 for value in x]):
        wanted = [pow(value, -1, f.p) if value else 0 for value in given]
        status = NO_INVERSE if 0 in given else OK
        first = given.index(0) if 0 in given else count
        for in_place in (False, True):
            a, place = GuardedArray(library, given, at_end), ctypes.c_size_t(99)
            z = a if in_place else GuardedArray(library, [0] * count, at_end)
            size = ctypes.c_size_t(count)
            assert library.call("array_invert", z.at(), a.at(), size, ctypes.byref(place)) == status
            assert (z.values(), place.value) == (wanted, first), (count, in_place)
            if not in_place:
                assert library.call("batch_invert", z.at(), a.at(), size) == status
                missing = NULL if count else OK
                assert library.call("array_invert", z.at(), None, size, None) == missing
                assert library.call("batch_invert", None, a.at(), size) == missing
                assert count or library.call("batch_invert", None, None, size) == OK
                assert z.values() == wanted and a.values() == given
