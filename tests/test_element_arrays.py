"""Arrays of elements: operators, inverses and buffers, by kernels and by Python's integers."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from typing import Any, Literal, cast

import pytest

from fieldc import Field
from fieldc.catalogue import find_field
from fieldc.python import arrays
from fieldc.python.arrays import LengthMismatch
from fieldc.python.constants import WordError
from fieldc.python.elements import FieldMismatch
from fieldc.targets.array_targets import fastest_here
from fieldc.targets.avx2.target import AVX2

WAYS = [
    pytest.param(
        True,
        marks=pytest.mark.skipif(
            fastest_here(find_field("goldilocks")) is None, reason="no AVX-512 here"
        ),
        id="kernels",
    ),
    pytest.param(
        "avx2",
        marks=pytest.mark.skipif(not AVX2.runs_here, reason="no AVX2 here"),
        id="kernels of avx2",
    ),
    pytest.param(False, id="python"),
]
CACHED = (arrays._function, arrays.column_sums, arrays.transform_functions)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kernels on arrays, those of a processor without AVX-512, or none."""
    if request.param == "avx2":
        monkeypatch.setattr(arrays, "fastest_here", lambda f: AVX2 if AVX2.takes(f) else None)
    for function in CACHED:
        function.cache_clear()
    if not request.param:
        monkeypatch.setattr(arrays, "_function", lambda f, operation: None)
        monkeypatch.setattr(arrays, "column_sums", lambda f: None)
    yield
    for function in CACHED:
        function.cache_clear()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("name", "word"), [("bls12-381-r", 64), ("bls12-381-p", 64), ("babybear", 64), ("babybear", 32)]
)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 30])
@pytest.mark.sweep(36)
def test_operators(name: str, word: int, count: int) -> None:
    F = Field(name, word=word)
    p, draw = F.p, random.Random(count)
    x = [draw.randrange(1, p) for _ in range(count)]
    y = [draw.randrange(p) for _ in range(count)]
    a, b = F.array(x), F.array(y)
    pairs = list(zip(x, y, strict=True))
    assert len(a) == count and a.tolist() == x
    assert (a + b).tolist() == [(u + v) % p for u, v in pairs]
    assert (a - b).tolist() == [(u - v) % p for u, v in pairs]
    assert (a * b).tolist() == [u * v % p for u, v in pairs]
    assert (-a).tolist() == [-u % p for u in x]
    assert a.double().tolist() == [2 * u % p for u in x]
    assert a.square().tolist() == [u * u % p for u in x]
    assert (a * 3 + F(5)).tolist() == [(3 * u + 5) % p for u in x]
    assert (2 - a).tolist() == [(2 - u) % p for u in x]
    assert int(a.sum()) == sum(x) % p
    assert int(a @ b) == sum(u * v for u, v in pairs) % p
    assert (a**5).tolist() == [pow(u, 5, p) for u in x]
    assert (a**0).tolist() == [1] * count
    assert (a**-1).tolist() == [pow(u, -1, p) for u in x]
    assert [int(e) for e in a] == x
    assert a == F.array(x) and (a == a + 1) == (count == 0)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["bls12-381-r", "secp256k1-p"])
@pytest.mark.parametrize("count", [63, 64, 65, 255, 256, 257, 530])
def test_inner_products(name: str, count: int) -> None:
    """Around the most terms that columns take, with the largest products too."""
    F = Field(name)
    draw = random.Random(count)
    x, y = ([draw.randrange(F.p) for _ in range(count)] for _ in range(2))
    a, b, largest = F.array(x), F.array(y), F.array([F.p - 1] * count)
    assert int(a @ b) == sum(u * v for u, v in zip(x, y, strict=True)) % F.p
    assert int(largest @ largest) == count
    assert a.tolist() == x and b.tolist() == y
    with pytest.raises(LengthMismatch, match=f"arrays of {count} and of 2 elements"):
        a @ F.array([1, 2])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("count", [0, 1, 9])
def test_butterflies(count: int) -> None:
    F = Field("bls12-381-r")
    x, y = range(2, count + 2), [F.p - 1 - i for i in range(count)]
    assert F.array(x).mul_add(F.array(y), 7).tolist() == [
        (u * v + 7) % F.p for u, v in zip(x, y, strict=True)
    ]
    total, rest = F.array(x).butterfly(F.array(y), 7)
    assert total.tolist() == [(a + 7 * b) % F.p for a, b in zip(x, y, strict=True)]
    assert rest.tolist() == [(a - 7 * b) % F.p for a, b in zip(x, y, strict=True)]
    with pytest.raises(TypeError, match="mul_add takes"):
        total.mul_add(rest, "7")
    with pytest.raises(TypeError, match="a butterfly takes"):
        total.butterfly(rest, "7")


@pytest.mark.usefixtures("way")
def test_a_zero_has_no_inverse() -> None:
    F = Field("bn254-p")
    with pytest.raises(ZeroDivisionError, match="element 2 is 0"):
        F.array([5, 6, 0, 7, 0]).inverse()


def test_what_arrays_refuse() -> None:
    F, G = Field("bn254-p"), Field("bn254-r")
    with pytest.raises(LengthMismatch, match="arrays of 2 and of 3"):
        F.array([1, 2]) + F.array([1, 2, 3])
    with pytest.raises(FieldMismatch):
        F.array([1]) * G.array([1])
    with pytest.raises(LengthMismatch, match="no whole elements of 32"):
        F.array_of(bytearray(33))
    with pytest.raises(IndexError, match=r"no element .*; the array has "):
        F.array([1])[1]
    with pytest.raises(TypeError):
        F.array([1]) * "2"
    with pytest.raises(TypeError):
        F.array([1]) @ "2"


@pytest.mark.parametrize(("name", "word"), [("bls12-381-r", 64), ("p521", 64), ("babybear", 32)])
@pytest.mark.parametrize("order", ["little", "big"])
def test_bytes(name: str, word: int, order: Literal["little", "big"]) -> None:
    """Of every kind of buffer; numbers and lengths that are refused."""
    F = Field(name, word=word)
    each, x = -(-F.p.bit_length() // 8), [0, 1, F.p - 1, 258, F.p // 3]
    data = b"".join(value.to_bytes(each, order) for value in x)
    for given in (data, bytearray(data), memoryview(data)):
        a = F.array_from_bytes(given, order)
        assert (a.tolist(), a.to_bytes(order)) == (x, data)
        assert a.to_digits().to_bytes(order) == data
    assert F.array_from_bytes(b"", order).tolist() == []
    with pytest.raises(LengthMismatch, match=f"{5 * each - 1} bytes hold no whole elements"):
        F.array_from_bytes(data[1:], order)
    with pytest.raises(ValueError, match="element 1 is not below p"):
        F.array_from_bytes(bytes(each) + F.p.to_bytes(each, order), order)
    with pytest.raises(TypeError):
        F.array_from_bytes(5, order)


def test_an_order_of_bytes_is_little_or_big_also_where_there_are_none() -> None:
    F = Field(97)
    for wrong, error in (("middle", ValueError), (7, TypeError)):
        order: Any = wrong
        for data in (b"", b"\1"):
            with pytest.raises(error):
                F.array_from_bytes(data, order)
            with pytest.raises(error):
                F.array([*data]).to_bytes(order)


def test_a_buffer_is_not_copied() -> None:
    F = Field("bn254-p")
    memory = bytearray(64)
    a = F.array_of(memory)
    assert a.tolist() == [0, 0]
    form = F.constants.to_montgomery(7)
    memory[32:64] = form.to_bytes(32, "little")
    assert a.tolist() == [0, 7] and int(a[-1]) == 7
    words = a.words
    assert words.shape == (2, 4) and words.format == "Q"
    words[0, 0] = 0
    del a
    assert words[1, 0] == form & (1 << 64) - 1
    assert F.array_of(bytes(memory)).tolist() == [0, 7]


def test_buffers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    F = Field("bls12-381-p")
    a = F.array(range(10))
    view = numpy.asarray(a.words)
    assert view.shape == (10, 6) and view.dtype == numpy.uint64
    again = F.array_of(view)
    assert again == a
    view[3] = view[4]
    assert a.tolist()[3] == again.tolist()[3] == 4
    assert F.array(numpy.arange(3)).tolist() == [0, 1, 2]
    with pytest.raises(LengthMismatch, match="without gaps"):
        F.array_of(view[::2])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["bls12-381-r", "babybear", "goldilocks"])
@pytest.mark.parametrize("bits", [0, 1, 2, 3, 4, 6, 8])
@pytest.mark.sweep(24)
def test_transforms(name: str, bits: int) -> None:
    F, count = Field(name), 1 << bits
    x = [random.Random(bits).randrange(F.p) for _ in range(count)]
    root = int(F.root_of_unity(count))
    powers = [pow(root, i, F.p) for i in range(count)]
    assert len({*powers}) == count and pow(root, count, F.p) == 1
    a = F.array(x)
    values = a.ntt()
    assert values.tolist() == [
        sum(v * powers[i * j % count] for j, v in enumerate(x)) % F.p for i in range(count)
    ]
    assert a.tolist() == x and values.intt() == a


def test_a_product_of_polynomials() -> None:
    F, draw = Field("bls12-381-r"), random.Random(5)
    x, y = ([draw.randrange(F.p) for _ in range(20)] for _ in range(2))
    wanted = [0] * 64
    for i, u in enumerate(x):
        for j, v in enumerate(y):
            wanted[i + j] = (wanted[i + j] + u * v) % F.p
    a, b = (F.array(values + [0] * 44) for values in (x, y))
    assert (a.ntt() * b.ntt()).intt().tolist() == wanted


def test_the_root_is_that_of_the_rust_crate() -> None:
    F = Field("bls12-381-r")
    assert int(F.root_of_unity(1 << 32)) == pow(7, (F.p - 1) >> 32, F.p)
    assert int(Field("bls12-381-p").root_of_unity(2)) == Field("bls12-381-p").p - 1


@pytest.mark.parametrize("count", [0, 3, 4, 12])
def test_other_lengths_have_no_transform(count: int) -> None:
    F = Field("bls12-381-p")
    said = f"takes 2\\^k elements, k up to 1 modulo bls12-381-p, not {count}$"
    for run in (F.array([1] * count).ntt, F.array([1] * count).intt):
        with pytest.raises(LengthMismatch, match=said):
            run()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["babybear", "koalabear", "2^31-1"])
def test_words_of_32_bits(name: str) -> None:
    """They mix with words of 64 bits, and fill a buffer of as many bytes as they have."""
    F, G = Field(name, word=32), Field(name)
    p, draw = F.p, random.Random(5)
    for count in (15, 16, 17, 40):
        x, y = ([draw.randrange(p) for _ in range(count)] for _ in range(2))
        a, b = F.array(x), G.array(y)
        assert (
            (a * b).tolist() == (b * a).tolist() == [u * v % p for u, v in zip(x, y, strict=True)]
        )
        assert int(a @ b) == int(b @ a) == sum(u * v for u, v in zip(x, y, strict=True)) % p
        assert a.words.format == "I" and a.words.nbytes == 4 * count
        assert F.array_of(bytearray(a.words)).tolist() == x
        assert pickle.loads(pickle.dumps(a)).words.format == "I"
    if name != "2^31-1":
        values = [draw.randrange(p) for _ in range(64)]
        assert F.array(values).ntt() == G.array(values).ntt()
        assert F.array(values).ntt().intt().tolist() == values
    assert repr(F).endswith(", word=32)") and F == G


def test_words_that_there_are_not() -> None:
    for prime, word, said in (
        ("bn254-p", 32, "a modulus below 2^31, not bn254-p"),
        ("2^32-5", 32, "a modulus below 2^31, not 0xfffffffb"),
        ("babybear", 16, "words of 64 or 32 bits, not of 16"),
        ("babybear", cast(int, "32"), "words of 64 or 32 bits, not of '32'"),
        ("babybear", cast(int, 32.0), "words of 64 or 32 bits, not of 32.0"),
        ("babybear", cast(int, 64.0), "words of 64 or 32 bits, not of 64.0"),
    ):
        with pytest.raises(WordError) as refused:
            Field(prime, word=word)
        assert said in str(refused.value)


def test_transforms_of_primes_whose_sums_need_a_digit_more() -> None:
    """Values below 5p take 105 bits, 2p 103 bits."""
    F, draw = Field(0x3FA5F19656412A9B8A1ABCD001), random.Random(4)
    values = [draw.randrange(F.p) for _ in range(512)]
    assert F.array(values).ntt().intt().tolist() == values
    assert F.array(values).to_digits().ntt().intt().tolist() == values
