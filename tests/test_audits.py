"""Routines of libraries that are installed here are proved, run, and the page is whole."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from aarch64_code import words_of
from audits.libraries import Missing, debian, image_of
from audits.pages import DOCS, load, pages
from audits.routines import Routine, nettle, openssl
from audits.running import WrongResult, confirm
from audits.write import routines, source_of

from fieldc.artifacts.foreign import prove_foreign
from fieldc.binary.image import Image
from fieldc.machine.processor import is_x86_64
from fieldc.proof.claims.statements import contract_from

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")

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


def test_every_contract_is_whole() -> None:
    for routine in routines():
        contract_from(routine.contract.statement, routine.p)


AARCH64_ROUTINES = [
    r
    for r in routines()
    if r.architecture == "aarch64"
    and r.library == "blst"
    and r.symbol in ("mul_mont_384", "mul_mont_sparse_256", "add_mod_384")
]


@pytest.fixture(scope="session")
def crates_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("crates")


@pytest.mark.full
@pytest.mark.parametrize("routine", AARCH64_ROUTINES, ids=[r.symbol for r in AARCH64_ROUTINES])
def test_mutants_of_aarch64_routines_are_refused_or_right(
    routine: Routine, crates_folder: Path
) -> None:
    """A bit flipped, or a carry that is not taken (adcs to adds, sbcs to subs)."""
    pytest.importorskip("unicorn")
    try:
        image = image_of(source_of(routine, crates_folder), routine.symbol)
    except Missing as error:
        pytest.skip(f"SKIPPED: {error}")
    assert prove_foreign(image, routine.symbol, routine.contract, routine.p).failure == ""
    draw, words = random.Random(5), {}
    for name in (routine.symbol, f"__{routine.symbol}"):  # with what it calls
        if (code := image.routines().get(name)) is not None:
            words |= dict(zip(range(code.address, 1 << 32, 4), words_of(code.code), strict=False))
    changes = [(draw.choice([*words]), 1 << draw.randrange(32)) for _ in range(40)]
    for place, word in [*words.items()][::2]:
        if word >> 21 in (0xBA000000 >> 21, 0xFA000000 >> 21):  # adcs, sbcs
            changes.append((place, 0x11000000))
    refused = 0
    for place, bits in changes:
        mutant = image
        for index, byte in enumerate(bits.to_bytes(4, "little")):
            mutant = with_flipped_bits(mutant, place + index, byte) if byte else mutant
        if prove_foreign(mutant, routine.symbol, routine.contract, routine.p).failure:
            refused += 1
        else:
            confirm(mutant, routine.symbol, routine.contract, routine.p)
    assert refused > len(changes) * 3 // 4


def test_the_pages_are_those_of_the_results() -> None:
    known = {routine.key: routine for routine in routines()}
    results = load()
    assert len({result.key for result in results}) == len(results)
    made = pages(results, known)
    assert {DOCS / "audits.md", *(DOCS / "audits").iterdir()} == made.keys()
    for path, text in made.items():
        assert path.read_text() == text, f"{path.name} is stale: make audits"
