"""Arrays of elements that stay in digits: the same values as others have, by kernels or without."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from fieldc import Field
from fieldc.catalogue import find_field
from fieldc.python import chains, digits
from fieldc.python.arrays import LengthMismatch
from fieldc.python.elements import ElementArray, FieldMismatch
from fieldc.targets.array_targets import fastest_here
from fieldc.targets.avx2.target import AVX2

NONE = fastest_here(find_field("bls12-381-r")) is None
WAYS = [
    pytest.param(True, marks=pytest.mark.skipif(NONE, reason="no AVX-512 or AVX2"), id="kernels"),
    pytest.param("avx2", marks=pytest.mark.skipif(not AVX2.runs_here, reason="no AVX2"), id="avx2"),
    pytest.param(False, id="none"),
]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Kernels of this processor, those of one without AVX-512, or none; whether there are any."""
    for module in (digits, chains):
        if request.param == "avx2":
            monkeypatch.setattr(module, "fastest_here", lambda f: AVX2 if AVX2.takes(f) else None)
        if not request.param:
            monkeypatch.setattr(module, "fastest_here", lambda f: None)
    for kernels in (digits._kernels, chains.chains_of):
        kernels.cache_clear()
    yield bool(request.param)
    for kernels in (digits._kernels, chains.chains_of):
        kernels.cache_clear()


def values(p: int, count: int, seed: int) -> list[int]:
    draw = random.Random(seed)
    edges = [0, 1, p - 1, p - 2, p // 2]
    return [draw.choice([*edges, draw.randrange(p)]) for _ in range(count)]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 30])
@pytest.mark.parametrize("name", ["bls12-381-r", "secp256k1-p"])
def test_operators(name: str, count: int, way: bool) -> None:
    F = Field(name)
    p, x, y = F.p, values(F.p, count, 1), values(F.p, count, 2)
    a, b = F.array(x).to_digits(), F.array(y)
    assert (a.words.format, a.words.shape != b.words.shape) == ("Q", way and count > 0)
    pairs = list(zip(x, y, strict=True))
    for other in (b, b.to_digits()):
        assert (a + other).tolist() == (other + a).tolist() == [(u + v) % p for u, v in pairs]
        assert (a - other).tolist() == [(u - v) % p for u, v in pairs]
        assert (other - a).tolist() == [(v - u) % p for u, v in pairs]
        assert (a * other).tolist() == (other * a).tolist() == [u * v % p for u, v in pairs]
        assert int(a @ other) == int(other @ a) == sum(u * v for u, v in pairs) % p
    assert (-a).tolist() == [-u % p for u in x]
    assert a.double().tolist() == [2 * u % p for u in x]
    assert a.square().to_limbs().tolist() == [u * u % p for u in x]
    assert (2 - a * 3 + F(5)).tolist() == [(7 - 3 * u) % p for u in x]
    assert int(a.sum()) == sum(x) % p
    for power in (0, 1, 5):
        assert (a**power).tolist() == [pow(u, power, p) for u in x]
    assert [int(a[i]) for i in range(-count, count)] == 2 * x
    for other in (b, b.to_digits()):
        assert a.mul_add(other, a).mul_add(a, 7).tolist() == [
            ((u * v + u) * u + 7) % p for u, v in pairs
        ]
    total, rest = a.butterfly(b, 3)
    assert total.tolist() == [(u + 3 * v) % p for u, v in pairs]
    assert rest.tolist() == [(u - 3 * v) % p for u, v in pairs]
    assert a == F.array(x) and a.to_limbs().to_digits() == a


def test_chains_stay_below_2p(way: bool) -> None:
    """Operands are results of every kind, and longer than columns take."""
    F, count = Field("bls12-381-p"), 4100
    x = values(F.p, count, 3)
    a, wanted = F.array(x).to_digits(), x
    for _ in range(3):
        a = (a.square() - a + a * a).mul_add(-a + a, a - a)
        a, wanted = a - 1, [-1 % F.p] * len(wanted)
    assert a.tolist() == wanted
    assert int(a @ a) == int(-(a.sum())) == count


def test_inverses_and_transforms(way: bool) -> None:
    F = Field("bls12-381-r")
    a = F.array(range(1, 65)).to_digits()
    assert (a.inverse() * a).tolist() == [1] * 64
    assert (a**-2 * a).tolist() == (1 / F(1) * a.inverse()).tolist()
    assert a.ntt() == F.array(range(1, 65)).ntt() and a.ntt().intt() == a
    with pytest.raises(ZeroDivisionError, match="element 1 is 0"):
        F.array([1, 0]).to_digits().inverse()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["bls12-381-p", "bls12-381-r", "secp256k1-p"])
def test_inverses_by_chains(name: str, way: bool) -> None:
    """secp256k1's prime has no spare bit: its arrays in limbs are inverted by halves."""
    F = Field(name)
    least, most = chains.LEAST, chains.PART
    for count in (least, least + 1, least + 71, 9 * least // 2, most, most + 9):
        x = F.array(range(1, count + 1)) - F(count + 1)  # no 0
        for a in (x, x.to_digits(), x.to_digits().double() - x):
            inverse = a.inverse()
            assert (inverse * a).tolist() == [1] * count
            assert int(inverse.to_digits() @ a.to_digits()) == count % F.p


@pytest.mark.sweep(5)
@pytest.mark.parametrize("place", [0, 5, chains.LEAST, chains.PART - 1, chains.PART + 4])
def test_the_first_zero_is_named(place: int, way: bool) -> None:
    F = Field("bls12-381-r")
    numbers = [i % 1000 + 1 for i in range(chains.PART + 9)]
    numbers[place] = numbers[-1] = 0
    x = F.array(numbers)
    for a in (x, x.to_digits(), x.to_digits() + x - x):
        with pytest.raises(ZeroDivisionError, match=f"^element {place} is 0"):
            a.inverse()
        assert a == x  # as before


def test_what_does_not_fit_is_refused(way: bool) -> None:
    F = Field("bls12-381-r")
    a = F.array([1, 2, 3]).to_digits()
    for run in (ElementArray.__add__, ElementArray.__matmul__):
        with pytest.raises(LengthMismatch, match="arrays of 3 and of 2 elements"):
            run(a, F.array([1, 2]))
        with pytest.raises(FieldMismatch):
            run(a, Field("bn254-r").array([1, 2, 3]).to_digits())
    with pytest.raises(LengthMismatch):
        a.butterfly(a, F.array([1]))
    for few in (F.array([1]), F.array([1]).to_digits()):
        with pytest.raises(LengthMismatch):
            a.mul_add(few, a)
        with pytest.raises(LengthMismatch):
            a.mul_add(1, few)


@pytest.mark.parametrize("word", [64, 32])
def test_elements_of_one_word_stay_as_they_are(word: int) -> None:
    a = Field("babybear", word=word).array([1, 2, 3])
    assert a.to_digits().words.shape == (3, 1) and (a.to_digits() * a).tolist() == [1, 4, 9]
