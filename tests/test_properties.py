"""Facts about primes: their form, names and roots of unity."""

from __future__ import annotations

import pytest

from fieldc import cli
from fieldc.catalogue import every_prime, find_field
from fieldc.properties import properties, signed_powers

SHAPES = {
    "2^255-19": "2^255 - 19",
    "p521": "2^521 - 1",
    "p256": "2^256 - 2^224 + 2^192 + 2^96 - 1",
    "goldilocks": "2^64 - 2^32 + 1",
    "babybear": "2^31 - 2^27 + 1",
    "2^64+13": "2^64 + 13",
    "bls12-381-p": "no special form",
    "bls12-381-r": "2^32 * m + 1",
    "3": "2^2 - 1",
    "19": "2^4 + 3",
}


@pytest.mark.parametrize("text", SHAPES)
def test_the_form_of_a_prime(text: str) -> None:
    assert properties(find_field(text).p).shape == SHAPES[text]


@pytest.mark.parametrize("text", [*every_prime(), "3", "17", "97", "2^61-1"])
def test_roots_of_unity_have_their_order(text: str) -> None:
    p = find_field(text).p
    facts = properties(p)
    s = facts.two_adicity
    assert (p - 1) % 2**s == 0 and (p - 1) // 2**s % 2 == 1
    assert pow(facts.root_of_unity, 2 ** (s - 1), p) == p - 1
    assert sum(sign << exponent for sign, exponent in signed_powers(p)) == p
    if facts.generator is not None:
        assert pow(facts.generator, (p - 1) >> s, p) == facts.root_of_unity


@pytest.mark.parametrize(
    ("alias", "name"),
    [("bn254", "bn254-p"), ("secp256k1", "secp256k1-p"), ("baby-bear", "babybear")],
)
def test_names_that_people_use(alias: str, name: str) -> None:
    assert find_field(alias) == find_field(name)


def test_show_knows_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    p = find_field("secp256k1").p
    assert cli.main(["show", str(p)]) == 0
    shown = capsys.readouterr().out
    assert "names " in shown and "secp256k1-p, secp256k1" in shown
    assert (
        f"decimal  {p}".split()
        == next(line for line in shown.splitlines() if line.startswith("decimal")).split()
    )
    assert "two-adicity" in shown and "of order 2^1" in shown
