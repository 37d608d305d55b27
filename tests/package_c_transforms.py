"""Transforms of a C package, compared with Python's integers between guarded pages."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

from package_c import NO_TRANSFORM, NULL, OK, Library, edges
from package_c_arrays import GuardedArray

from fieldc.python.transform import root_of_unity


def check_transforms(library: Library, most: int) -> None:
    """Every length up to 2^most on the path in use: roots, values and coefficients."""
    for k in range(most + 1):
        check_transform(library, 1 << k, at_end=bool(k % 2))


def evaluated(p: int, coefficients: Sequence[int], root: int) -> list[int]:
    """The values at 1, root, root^2, ..., by the definition, in halves to be quick."""
    if len(coefficients) == 1:
        return [*coefficients]
    square = root * root % p
    even, odd = (evaluated(p, coefficients[i::2], square) for i in range(2))
    powers = [1]
    for _ in coefficients[1:]:
        powers.append(powers[-1] * root % p)
    half = len(even)
    return [(even[i % half] + w * odd[i % half]) % p for i, w in enumerate(powers)]


def check_transform(library: Library, count: int, at_end: bool) -> None:
    """One length, by a table of its own and by a longer one."""
    f, draw, size = library.f, random.Random(count), ctypes.c_size_t(count)
    some = edges(f, 8)
    x = [draw.choice(some) for _ in range(count)]
    root = root_of_unity(f, count)
    wanted = evaluated(f.p, x, root)
    if count <= 16:
        points = [pow(root, i, f.p) for i in range(count)]
        assert wanted == [sum(c * z**j for j, c in enumerate(x)) % f.p for z in points]
    longer = count * (2 if (f.p - 1) % (2 * count) == 0 else 1)
    for length in {count, longer}:
        roots = GuardedArray(library, [0] * length, at_end)
        assert library.call("ntt_roots", roots.at(), ctypes.c_size_t(length)) == OK
        table = roots.values()
        a = GuardedArray(library, x, at_end)
        assert library.call("ntt", a.at(), roots.at(), size) == OK
        assert a.values() == wanted, (count, length)
        assert library.call("intt", a.at(), roots.at(), size) == OK
        assert a.values() == x, (count, length)
        assert roots.values() == table


def check_refused_transforms(library: Library) -> None:
    """Other lengths, and null pointers: nothing is written."""
    f = library.f
    most = (f.p - 1) & (1 - f.p)
    wrong = [0, 3, 5, 12, 2 * most, 4 * most, (1 << 63) + 1]
    x, roots = (GuardedArray(library, [7], False) for _ in range(2))
    for count in (each for each in wrong if each < 1 << 64):
        size = ctypes.c_size_t(count)
        assert library.call("ntt_roots", roots.at(), size) == NO_TRANSFORM, count
        assert library.call("ntt", x.at(), roots.at(), size) == NO_TRANSFORM, count
        assert library.call("intt", x.at(), roots.at(), size) == NO_TRANSFORM, count
    none, one = ctypes.c_size_t(0), ctypes.c_size_t(1)
    assert library.call("ntt_roots", None, none) == NO_TRANSFORM
    assert library.call("ntt", None, None, none) == NO_TRANSFORM
    assert library.call("ntt_roots", None, one) == NULL
    for name in ("ntt", "intt"):
        assert library.call(name, None, roots.at(), one) == NULL
        assert library.call(name, x.at(), None, one) == NULL
    assert x.values() == roots.values() == [7]
