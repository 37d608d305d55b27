"""Routines of libraries that are installed here are proved, run, and the page is whole."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from audits.libraries import Missing, debian, image_of
from audits.routines import Routine, nettle, openssl
from audits.running import WrongResult, confirm
from audits.write import routines

from fieldc.artifacts.foreign import prove_foreign
from fieldc.binary.image import Image
from fieldc.machine.processor import is_x86_64

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")

DOCS = Path(__file__).parents[1] / "docs"
QUICK = ("ecp_nistz256_add", "ecp_nistz256_neg", "x25519_fe64_add", "_nettle_ecc_secp224r1_modp")
HERE = [r for r in (*openssl(), *nettle()) if r.symbol in QUICK]


@pytest.mark.parametrize("routine", HERE, ids=[r.symbol for r in HERE])
def test_a_routine_is_proved_and_runs(routine: Routine) -> None:
    try:
        image = image_of(debian(routine.library), routine.symbol)
    except Missing as error:
        pytest.skip(f"SKIPPED: {error}")
    proved = prove_foreign(image, routine.symbol, routine.contract, routine.p)
    assert proved.failure == ""
    assert confirm(image, routine.symbol, routine.contract, routine.p) > 200
    wrong = replace(
        routine.contract,
        statement=replace(routine.contract.statement, claims=("z = 5*x",)),
    )
    assert "function" in prove_foreign(image, routine.symbol, wrong, routine.p).failure
    with pytest.raises(WrongResult):
        confirm(image, routine.symbol, wrong, routine.p)


@pytest.mark.parametrize("routine", HERE[:2], ids=[r.symbol for r in HERE[:2]])
def test_what_is_proved_of_changed_bytes_runs_right(routine: Routine) -> None:
    """One bit of the code flipped: a proof that is still found must be of a right routine."""
    try:
        image = image_of(debian(routine.library), routine.symbol)
    except Missing as error:
        pytest.skip(f"SKIPPED: {error}")
    draw, code = random.Random(3), image.routines()[routine.symbol]
    accepted = 0
    for _ in range(40):
        place, bit = code.address + draw.randrange(len(code.code)), 1 << draw.randrange(8)
        changed = with_flipped_bits(image, place, bit)
        if not prove_foreign(changed, routine.symbol, routine.contract, routine.p).failure:
            confirm(changed, routine.symbol, routine.contract, routine.p)
            accepted += 1
    assert accepted < 20


def with_flipped_bits(image: Image, place: int, bits: int) -> Image:
    regions = []
    for region in image.regions:
        data, at = bytearray(region.data), place - region.address
        if region.executable and 0 <= at < len(data):
            data[at] ^= bits
        regions.append(replace(region, data=bytes(data)))
    return replace(image, regions=tuple(regions))


def test_the_page_is_that_of_the_routines() -> None:
    rows = json.loads((DOCS / "audits.json").read_text())
    known = {(r.library, r.symbol, r.note) for r in routines()}
    assert {(r["library"], r["symbol"], r["note"]) for r in rows} <= known
    text = (DOCS / "audits.md").read_text()
    proved = sum(row["proved"] for row in rows)
    assert f"| all | | {proved} | {len(rows)} |" in text
    assert text.count("| PROVED |") == proved
