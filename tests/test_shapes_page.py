"""docs/shapes.md: the bounds of its table are those that `fieldc show` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fieldc.cli import main

PAGE = Path(__file__).resolve().parents[1] / "docs/shapes.md"
HEAD = "| prime | shape used | mul, products | Sapphire Rapids | Zen 5 | square, products |"
FIELDS = {
    "secp256k1": "secp256k1-p",
    "P-256": "p256",
    "P-384": "p384",
    "P-521": "p521",
    "P-224": "2^224-2^96+1",
    "SM2": "2^256-2^224-2^96+2^64-1",
    "Starknet": "2^251+17*2^192+1",
    "Goldilocks": "goldilocks",
    "BLS12-381 r": "bls12-381-r",
}
"""Names of the table that are not what a user types."""


def rows() -> list[tuple[str, ...]]:
    """The cells of each row."""
    text = PAGE.read_text("utf-8")
    lines = text[text.index(HEAD) :].split("\n\n")[0].splitlines()[2:]
    return [tuple(re.split(r" (?<!\\)\| ", line.strip("| "))) for line in lines]


def first(field: str, operation: str, processor: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The bounds of the kernel that the model puts first, with BMI2 and without a schedule."""
    words = ["show", field, "--why", operation, "--processor", processor, "--json"]
    assert main(words) == 0
    candidates = json.loads(capsys.readouterr().out)["candidates"]
    best = next(
        one
        for one in candidates
        if one["variant"] == "mulx" and re.match(r"the model of [^,]*$", one["chosen_by"])
    )
    return rf"{best['throughput_bound']:.1f} \| {best['latency_bound']:.1f}"


@pytest.mark.sweep(3)
@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_bounds_of_the_table(row: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    name, shape, _, *of_mul, _, s, z = row
    form = "_plain" * ("plain" in shape)
    for operation, shown in (("mul", of_mul), ("square", (s, z))):
        for processor, bounds in zip(("sapphire-rapids", "zen-5"), shown, strict=True):
            found = first(FIELDS.get(name, name), operation + form, processor, capsys)
            assert found == bounds, (operation, processor)
