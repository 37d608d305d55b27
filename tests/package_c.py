"""What the tests of the C package share: compiling one, and a compiled one on integers."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from locks import locked

from fieldc.algorithms.representations import Representation
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.field import Field
from fieldc.machine.processor import is_x86_64, missing
from fieldc.packages.c.package import fastest
from fieldc.packages.c.texts import package_name
from fieldc.targets.array_targets import ARRAY_TARGETS

STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")
OK, NULL, LENGTH, NOT_CANONICAL, NO_INVERSE, NOT_SUPPORTED, NO_ROOT, NO_RANDOMNESS = range(8)
NO_TRANSFORM = 8
PATHS = {1: ("adx", "bmi2"), 2: ("bmi2",), 3: (), 4: ()} | {
    number: (*scalar, *ARRAY_TARGETS[name].features)
    for number, name, scalar in (
        (6, "avx512f", ("bmi2",)),
        (7, "avx512ifma", ("bmi2",)),
        (8, "avx512ifma", ("adx", "bmi2")),
        (9, "avx2", ("bmi2",)),
        (10, "avx2", ("adx", "bmi2")),
    )
}
"""What each path asks of the processor: adx, mulx, base, C, and five with arrays in vectors."""
BY_AVX2 = (9, 10)
"""The paths that a field of 32 to 64 bits does not have."""


def tool(name: str) -> str:
    """A program's path, or the test is skipped and says why."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"SKIPPED: {name} is not installed")
    return found


def run(folder: Path, *command: str | Path) -> str:
    """What a command prints; its errors if it fails."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr or done.stdout}"
    return done.stdout


def packaged(text: str, folder: Path, *words: str) -> tuple[Field, str]:
    """A written package: its field, and its name."""
    assert main(["build", text, "--package", "c", *words, "-o", str(folder)]) == 0
    f = find_field(text)
    return f, package_name(f)


class Packages:
    """Packages as `packaged` writes them, each made once for all processes of a test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "packages"
        self.folder.mkdir(exist_ok=True)

    def __call__(self, text: str, folder: Path) -> tuple[Field, str]:
        """A copy in a folder of the test's own: its field, and its name."""
        f = find_field(text)
        made = self.folder / package_name(f)
        with locked(self.folder):
            if not made.exists():  # a package is written whole or not at all
                packaged(text, made)
        shutil.copytree(made, folder, dirs_exist_ok=True)
        return f, package_name(f)


class Library:
    """A compiled package, on Python's integers."""

    def __init__(self, path: Path, f: Field, name: str, r: Representation | None = None) -> None:
        self.f, self.name, self.r = f, name, r or fastest(f)
        self.functions = ctypes.CDLL(str(path))
        self.bytes = -(-f.bits // 8)
        self.value = ctypes.c_uint64 * f.n

    def call(self, name: str, *arguments: object) -> int:
        return int(self.functions[f"{self.name}_{name}"](*arguments))

    def decode(self, x: int) -> ctypes.Array[ctypes.c_uint64]:
        z = self.value()
        text = x.to_bytes(self.bytes, "big")
        assert self.call("decode", z, text, ctypes.c_size_t(self.bytes)) == OK
        return z

    def encode(self, x: ctypes.Array[ctypes.c_uint64]) -> int:
        text = ctypes.create_string_buffer(self.bytes)
        assert self.call("encode", text, ctypes.c_size_t(self.bytes), x) == OK
        return int.from_bytes(text.raw, "big")

    def paths(self) -> Iterator[int]:
        """Every path of this processor, in use."""
        for path, needs in PATHS.items():
            here = path == 4 or (is_x86_64() and not missing(needs))
            here = here and (path not in BY_AVX2 or ARRAY_TARGETS["avx2"].takes(self.f))
            assert self.call("use", path) == (OK if here else NOT_SUPPORTED)
            if here:
                assert self.call("path") == path
                yield path


def shared(folder: Path, made: Path, *sources: str) -> Path:
    """A package compiled as a shared library."""
    run(folder, tool("gcc"), "-std=c99", "-O1", *STRICT, "-shared", "-fPIC", *sources, "-o", made)
    return made


def edges(f: Field, count: int) -> list[int]:
    """Edge values of a field, and random ones."""
    draw = random.Random(f.p)
    ones = sum((1 << 64) - 1 << 64 * i for i in range(f.n - 1))
    some = {0, 1, 2, f.p - 1, f.p - 2, f.p // 2, f.one, f.R2, ones, ones + 1, (1 << 64) - 1}
    return sorted(v for v in some if v < f.p) + [draw.randrange(f.p) for _ in range(count)]


def check_arithmetic(library: Library) -> None:
    """Every function on the path in use, each result over its first operand too."""
    f, values = library.f, edges(library.f, 4)
    binary = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}
    unary = {"neg": lambda x: -x, "double": lambda x: 2 * x, "square": lambda x: x * x}
    for x in values:
        for name, means in unary.items():
            a, z = library.decode(x), library.value()
            library.call(name, z, a)
            library.call(name, a, a)
            assert library.encode(z) == library.encode(a) == means(x) % f.p, (name, hex(x))
        for y in values:
            for name, of_two in binary.items():
                a, b, z = library.decode(x), library.decode(y), library.value()
                library.call(name, z, a, b)
                library.call(name, a, a, b)
                assert library.encode(z) == library.encode(a) == of_two(x, y) % f.p, (name, x, y)
        check_rest(library, x)
    check_mul_add(library, values)


def check_mul_add(library: Library, values: list[int]) -> None:
    """x*y + a, the result over each operand too."""
    draw = random.Random(0)
    for numbers in [*zip(values, values[::-1], values, strict=True), *[(values[-1],) * 3] * 2]:
        for k in (None, *range(3)):
            operands = [library.decode(x) for x in numbers]
            z = library.value() if k is None else operands[k]
            library.call("mul_add", z, *operands)
            x, y, a = numbers
            assert library.encode(z) == (x * y + a) % library.f.p, (k, numbers)
    x, y, a = (library.decode(draw.choice(values)) for _ in range(3))
    product, z = library.value(), library.value()
    library.call("mul", product, x, y)
    library.call("add", product, product, a)
    library.call("mul_add", z, x, y, a)
    assert list(z) == list(product)


def check_lazy(library: Library) -> None:
    """Values below 2p on the path in use: residues and residues + p, each result over x too."""
    f = library.f
    if 4 * f.p >= f.R:
        assert not hasattr(library.functions, f"{library.name}_reduce")
        return
    values = [x + more for x in edges(f, 2)[-8:] for more in (0, f.p)]
    inverse = pow(library.r.stored(f, 1), -1, f.p)
    binary = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y * inverse,
        "square": lambda x, _: x * x * inverse,
    }
    for x in values:
        for y in values:
            for name, means in binary.items():
                a, b, z = (library.value(*f.limbs(v)) for v in (x, y, 0))
                others = () if name == "square" else (b,)
                library.call(f"lazy_{name}", z, a, *others)
                library.call(f"lazy_{name}", a, a, *others)
                found = sum(limb << 64 * i for i, limb in enumerate(z))
                assert list(a) == list(z) and found < 2 * f.p
                library.call("reduce", z, a)
                reduced = sum(limb << 64 * i for i, limb in enumerate(z))
                assert reduced == means(x, y) % f.p, (name, hex(x), hex(y))
    a, z = library.decode(1), library.value()
    library.call("to_lazy", z, a)
    assert list(z) == list(a)


def check_rest(library: Library, x: int) -> None:
    """What is no kernel: conversions, inversion, comparison."""
    f, a, z = library.f, library.decode(x), library.value()
    assert sum(limb << 64 * i for i, limb in enumerate(a)) == library.r.stored(f, x)
    assert library.call("invert", z, a) == (OK if x else NO_INVERSE)
    assert library.encode(z) == (pow(x, -1, f.p) if x else 0)
    assert library.call("is_zero", a) == (x == 0)
    assert [library.call("equal", a, library.decode(y)) for y in (x, (x + 1) % f.p)] == [1, 0]
    limbs = library.value(*f.limbs(x))
    assert library.call("to_montgomery", z, limbs) == OK and list(z) == list(a)
    library.call("from_montgomery", z, a)
    assert list(z) == list(limbs)


def check_more(library: Library) -> None:
    """Roots, powers, choices, bytes in both orders, wide numbers and many values at a time."""
    f, draw, size = library.f, random.Random(library.f.p), library.bytes
    values = edges(f, 6)
    for x in values:
        a, z = library.decode(x), library.value()
        is_square = x == 0 or pow(x, (f.p - 1) // 2, f.p) == 1
        assert library.call("is_square", a) == is_square
        assert library.call("sqrt", z, a) == (OK if is_square else NO_ROOT)
        root = library.encode(z)
        assert root * root % f.p == (x if is_square else 0)
        assert library.call("sqrt", a, a) == (OK if is_square else NO_ROOT)
        assert list(a) == list(z)
        for e, count in ((0, 0), (0, 1), (1, 1), (f.p - 1, f.n), (draw.getrandbits(192), 3)):
            a, exponent = library.decode(x), (ctypes.c_uint64 * count)(*_words(e, count))
            library.call("pow", a, a, exponent, ctypes.c_size_t(count))
            assert library.encode(a) == pow(x, e, f.p), (hex(x), e)
        text = x.to_bytes(size, "little")
        assert library.call("decode_le", z, text, ctypes.c_size_t(size)) == OK
        assert library.encode(z) == x
        buffer = ctypes.create_string_buffer(size)
        assert library.call("encode_le", buffer, ctypes.c_size_t(size), z) == OK
        assert buffer.raw == text
    for flag in (0, 1, 2, -1):
        a, b = library.decode(values[-1]), library.decode(values[-2])
        library.call("cmov", a, b, flag)
        assert library.encode(a) == values[-2 if flag else -1]
        a = library.decode(values[-1])
        library.call("cswap", a, b, flag)
        assert [library.encode(a), library.encode(b)] == values[-2:][:: 1 if flag else -1]
    for length in (0, 1, size - 1, size, size + 1, 48, 64, 3 * size + 5):
        for text in (draw.randbytes(length), b"\xff" * length):
            for name, order in (("decode_wide", "big"), ("decode_wide_le", "little")):
                assert library.call(name, z, text, ctypes.c_size_t(length)) == OK
                wanted = int.from_bytes(text, "big" if order == "big" else "little") % f.p
                assert library.encode(z) == wanted, (name, length)
    for count in range(6):
        check_many(library, [draw.randrange(f.p) for _ in range(count)])
    check_many(library, [0])
    check_many(library, values)


def _words(value: int, count: int) -> list[int]:
    return [value >> 64 * i & (1 << 64) - 1 for i in range(count)]


def check_many(library: Library, x: list[int]) -> None:
    """Functions on arrays of values."""
    f, y = library.f, [*reversed(x)]
    array = ctypes.c_uint64 * (f.n * len(x))
    a, b = (array(*(w for v in some for w in library.decode(v))) for some in (x, y))
    z, count = library.value(), ctypes.c_size_t(len(x))
    library.call("sum_of_products", z, a, b, count)
    assert library.encode(z) == sum(v * w for v, w in zip(x, y, strict=True)) % f.p
    inverses = array()
    assert library.call("batch_invert", inverses, a, count) == (NO_INVERSE if 0 in x else OK)
    for i, v in enumerate(x):
        one = library.value(*inverses[f.n * i : f.n * (i + 1)])
        assert library.encode(one) == (pow(v, -1, f.p) if v else 0)


def check_random(library: Library) -> None:
    """The source's bytes decide, and its failure is a status."""
    f, asked = library.f, []
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t
    )

    def fill(context: int, at: ctypes.Array[ctypes.c_uint8], length: int) -> int:
        for i in range(length):
            at[i] = 3 * i + 1 & 255
        asked.append((context, length))
        return int(context == 2)

    z = library.value()
    length = library.bytes + 16
    assert library.call("random", z, kind(fill), ctypes.c_void_p(1)) == OK
    assert asked == [(1, length)]
    text = bytes(3 * i + 1 & 255 for i in range(length))
    assert library.encode(z) == int.from_bytes(text, "little") % f.p
    assert library.call("random", z, kind(fill), ctypes.c_void_p(2)) == NO_RANDOMNESS
    assert not any(z)


def check_refusals(library: Library) -> None:
    """Every documented status, and 0 as the value of what is refused."""
    f, size = library.f, library.bytes
    for number in {f.p, f.p + 1, 2 ** (8 * size) - 1}:
        z = library.value(*[7] * f.n)
        text = number.to_bytes(size, "big")
        assert library.call("decode", z, text, ctypes.c_size_t(size)) == NOT_CANONICAL
        assert not any(z)
    for number in {f.p, f.R - 1}:
        z = library.value(*f.limbs(number))
        assert library.call("to_montgomery", z, z) == NOT_CANONICAL and not any(z)
    for length in {0, 1, size - 1, size + 1, 3 * size} - {size}:
        z = library.value(*[7] * f.n)
        assert library.call("decode", z, bytes(length), ctypes.c_size_t(length)) == LENGTH
        assert not any(z)
        buffer = ctypes.create_string_buffer(b"\7" * length, length)
        assert library.call("encode", buffer, ctypes.c_size_t(length), z) == LENGTH
        assert buffer.raw == b"\7" * length
    z, right = library.value(*[7] * f.n), ctypes.c_size_t(size)
    assert library.call("decode", z, None, right) == NULL and not any(z)
    assert library.call("decode", None, bytes(size), right) == NULL
    assert library.call("encode", None, right, z) == library.call("invert", z, None) == NULL
    assert library.call("to_montgomery", z, None) == library.call("invert", None, z) == NULL
    assert library.call("sqrt", z, None) == library.call("sqrt", None, z) == NULL
    assert library.call("random", z, None, None) == library.call("random", None, None, None) == NULL
    assert library.call("batch_invert", None, z, right) == NULL
    for name in ("decode_wide", "decode_wide_le", "decode_le"):
        assert library.call(name, z, None, right) == library.call(name, None, b"", right) == NULL
    for name in ("decode_wide", "decode_wide_le"):  # no bytes write 0
        z = library.value(*[7] * f.n)
        assert library.call(name, z, None, ctypes.c_size_t(0)) == OK and not any(z)
    assert library.call("use", 5) == library.call("use", -1) == NOT_SUPPORTED
