"""Names, numbers, expressions and files, and one line for everything else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldc.catalogue import UnknownField, evaluate, every_prime, find_field, named_primes
from fieldc.modulus import ModulusError

PUBLISHED = {
    "bls12-381-p": 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB,  # noqa: E501
    "bls12-381-r": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "bls12-377-p": 0x01AE3A4617C510EAC63B05C06CA1493B1A22D9F300F5138F1EF3622FBA094800170B5D44300000008508C00000000001,  # noqa: E501
    "bls12-377-r": 0x12AB655E9A2CA55660B44D1E5C37B00159AA76FED00000010A11800000000001,
    "bn254-p": 21888242871839275222246405745257275088696311157297823662689037894645226208583,
    "bn254-r": 21888242871839275222246405745257275088548364400416034343698204186575808495617,
    "fp254bnb-p": 0x2523648240000001BA344D80000000086121000000000013A700000000000013,
    "fp254bnb-r": 0x2523648240000001BA344D8000000007FF9F800000000010A10000000000000D,
    "bw6-761-p": 0x0122E824FB83CE0AD187C94004FAFF3EB926186A81D14688528275EF8087BE41707BA638E584E91903CEBAFF25B423048689C8ED12F9FD9071DCD3DC73EBFF2E98A116C25667A8F8160CF8AEEAF0A437E6913E6870000082F49D00000000008B,  # noqa: E501
    "secp256k1-p": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F,
    "secp256k1-n": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
    "p256": 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    "p384": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFFFF0000000000000000FFFFFFFF,  # noqa: E501
    "p521": (1 << 521) - 1,
    "curve25519": 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFED,
    "pallas": 0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001,
    "vesta": 0x40000000000000000000000000000000224698FC0994A8DD8C46EB2100000001,
    "goldilocks": 0xFFFFFFFF00000001,
    "csidh-512": 0x65B48E8F740F89BFFC8AB0D15E3E4C4AB42D083AEDC88C425AFBFCC69322C9CDA7AAC6C567F35507516730CC1F0B4F25C2721BF457ACA8351B81B90533C6C87B,  # noqa: E501
    "m-511": (1 << 511) - 187,
}


def refusal(text: str) -> str:
    """The one line that find_field raises."""
    started = time.process_time()
    with pytest.raises(ModulusError) as caught:
        find_field(text)
    message = str(caught.value)
    assert time.process_time() - started < 2
    assert message and message.isprintable() and len(message) <= 200
    return message


@pytest.mark.parametrize("name", named_primes())
def test_named_primes_are_the_published_ones(name: str) -> None:
    for word in (64, 32):
        f = find_field(name, word)
        assert (f.p, f.word, f.name) == (PUBLISHED[name], word, name)
        assert f.R * f.R_inverse - f.p * f.p_prime == 1


def test_every_published_prime_is_named() -> None:
    assert set(named_primes()) == set(PUBLISHED)
    assert all(prime.about and prime.source for prime in named_primes().values())


def test_names_and_aliases_are_distinct() -> None:
    names = [n for prime in named_primes().values() for n in (prime.name, *prime.aliases)]
    plain = [name.replace("-", "") for name in names]
    assert len(set(plain)) == len(plain)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("BLS12-381-P", "bls12-381-p"),
        ("bls12_381_p", "bls12-381-p"),
        (" Bls12381p\n", "bls12-381-p"),
        ("alt_bn128_r", "bn254-r"),
        ("P-256", "p256"),
        ("secp384r1", "p384"),
        ("bw6-761-r", "bls12-377-p"),
    ],
)
def test_names_are_read_tolerantly(text: str, name: str) -> None:
    assert find_field(text).name == name


@pytest.mark.parametrize(
    ("text", "p"),
    [
        ("17", 17),
        ("0x11", 17),
        ("0X7fff_ffff", 2**31 - 1),
        ("1_000_003", 1000003),
        ("2^255-19", 2**255 - 19),
        ("2**255 - 19", 2**255 - 19),
        ("(2^64)-2^32+1", 2**64 - 2**32 + 1),
        ("-(-7)", 7),
        ("3*(2+5)-4", 17),
        ("2^2^2+1", 17),
        ("-2^2+9", 5),
        ("34/2", 17),
        ("0^0+2", 3),
        ("0" * 700 + "7", 7),
        ("0x" + "0" * 700 + "7", 7),
    ],
)
def test_numbers_and_expressions(text: str, p: int) -> None:
    f = find_field(text)
    assert f.p == p and f.name == ""


LEAF = st.integers(0, 40).map(str)
EXPRESSION = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", " * "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        st.tuples(LEAF, st.integers(0, 5)).map(lambda pair: f"{pair[0]}^{pair[1]}"),
    ),
    max_leaves=8,
)


@given(EXPRESSION)
@settings(derandomize=True)
def test_expressions_mean_what_python_means(text: str) -> None:
    assert evaluate(text) == eval(text.replace("^", "**"))


@given(st.text(max_size=60))
@settings(derandomize=True, deadline=None)
def test_any_text_is_a_field_or_one_line(text: str) -> None:
    try:
        find_field(text)
    except ModulusError as error:
        assert str(error).isprintable() and len(str(error)) <= 200


@given(st.text(alphabet="0123456789+-*/^() xu", max_size=40))
@settings(derandomize=True, deadline=None)
def test_any_expression_ends(text: str) -> None:
    try:
        find_field(text)
    except ModulusError as error:
        assert str(error).isprintable() and len(str(error)) <= 200


REFUSED = [
    ("", "empty"),
    (" \t\n", "empty"),
    ("-7", "too small"),
    ("0", "too small"),
    ("2", "too small"),
    ("4", "nearest prime is p - 1"),
    ("nan", "unknown field 'nan'"),
    ("inf", "unknown field"),
    ("1.5", "unexpected '.'"),
    ("1e10", "unexpected 'e'"),
    ("0x", "unexpected 'x'"),
    ("0x_1", "unexpected 'x'"),
    ("1__0", "unexpected '_'"),
    ("12 13", "unexpected '13'"),
    ("17 # a prime", "unexpected '#'"),
    ("2^", "it ends too early"),
    ("(17", "it ends too early"),
    ("17)", "unexpected ')'"),
    ("2^-1", "negative exponent"),
    ("7/2", "remainder"),
    ("7/0", "divides by 0"),
    ("u", "unknown field"),
    ("2*u+1", "unexpected 'u'"),
    ("__import__('os')", "unknown field"),
    ("\uff11\uff17", "unexpected"),
    ("\u0663", "unexpected"),
    ("\xb2", "unexpected"),
    ("a\nb\x1b[31m", "unknown field"),
    ("\0", "unknown field"),
    ("17\0", "unexpected"),
    ("2^61\xa0-1", "unexpected '\\xa0'"),
    ("\udcff", "unknown field"),
    ("/no/such/file", "no file"),
    ("2^999999999999", "too large; at most 1088"),
    ("9^9^9^9", "too large"),
    ("9" * 1_000_000, "1000000 characters, too long"),
    ("9" * 4000, "too large"),
    ("0x" + "f" * 4000, "too large"),
    ("x" * 5000, "too long"),
    ("x" * 4000, "File name too long"),
    ("(" * 4000, "nested too deeply"),
    ("2^" * 2000 + "2", "too large"),
    ("-" * 4000 + "4", "even"),
    ("1" + "*0" * 2000, "too small"),
    ("-10^600", "too small"),
    ("2^1088+1", "1089 bits, too large"),
    ("0x" + "f" * 256, "composite; the nearest prime is"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=lambda v: ascii(v)[:24])
def test_what_is_refused(text: str, message: str) -> None:
    assert message in refusal(text)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("bls12-381", "bls12-381-p"),
        ("secp256k1-q", "secp256k1-p"),
        ("curve25591", "curve25519"),
        ("PALAS", "pallas"),
        ("bls12381", "bls12-381-p"),
    ],
)
def test_the_nearest_name_is_given(text: str, near: str) -> None:
    assert near in refusal(text)
    with pytest.raises(UnknownField):
        find_field(text)


@pytest.mark.parametrize("content", ["17", " 2^4 + 1\n", "0x11\r\n", "17 \n\n"])
def test_a_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prime.txt"
    path.write_text(content)
    assert find_field(str(path)).p == 17


def test_a_file_that_holds_a_name(tmp_path: Path) -> None:
    path = tmp_path / "3primes.txt"
    path.write_text("Curve25519\n")
    assert find_field(str(path)).name == "curve25519"


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "prime"
    path.write_bytes(b"\xef\xbb\xbf2^61-1\r\n")
    assert find_field(str(path)).p == 2**61 - 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\x7fELF\x80\xff", "not text"),
        (b"\0\0\0", "unknown field"),
        (b"9" * 5000, "too long"),
        (b"/etc/passwd", "unknown field"),
        (b"17 19", "unexpected '19'"),
        ("\uff11\uff17".encode(), "unexpected '\\uff11'"),
        ("2^61\u22121".encode(), "unexpected '\\u2212'; use a name"),
        ("2^61\xa0-1".encode(), "unexpected '\\xa0'; use a name"),
        ("2^61\u200b-1".encode(), "unexpected '\\u200b'; use a name"),
        ("p\xfcrim".encode(), "unknown field 'p\\xfcrim'"),
        ("p\xfcrim".encode("latin-1"), "not text in UTF-8; it must hold a name"),
        ("2^61-1".encode("utf-16"), "not text in UTF-8; it must hold a name"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "prime"
    path.write_bytes(content)
    assert message in refusal(str(path))


@pytest.mark.parametrize(
    "text", ["2^61\u22121", "2^61\xa0-1", "2^61 \xa0-1", "17\u200b", "\u22127"]
)
def test_letters_of_a_file_are_refused_as_on_the_command_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prime"
    path.write_text(text, "utf-8")
    assert refusal(str(path)).endswith(f": {refusal(text)}") and "'-'" not in refusal(text)


def test_a_directory(tmp_path: Path) -> None:
    assert "Is a directory" in refusal(str(tmp_path))


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prime"
    path.write_text("17")
    path.chmod(0)
    if os.access(path, os.R_OK):  # root reads everything
        monkeypatch.setattr("builtins.open", _refuse)
    assert "Permission denied" in refusal(str(path))


def _refuse(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_wrong_size_in_the_catalogue_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"x": {"bits": 6, "p": "17", "about": "", "source": ""}}
    monkeypatch.setattr("fieldc.catalogue.tomllib.loads", lambda _: row)
    every_prime.cache_clear()
    try:
        with pytest.raises(ValueError, match="x has 5 bits, not 6"):
            every_prime()
    finally:
        monkeypatch.undo()
        every_prime.cache_clear()
