"""The checker that is proved in Coq, on AArch64's formulas that call routines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from aarch64_callers import PATCHES, Patch, ProvedCaller, proved_chain
from aarch64_code import bytes_of, words_of
from formal_checker import answers, nothing_shown
from test_formal_routines import CHANGES, WRONG, Change

from fieldc.artifacts.certify import BadCertificate, KernelClaim, called_places, claim_for
from fieldc.targets.aarch64.systems import LINUX, SYSTEMS, ArmSystem


@pytest.fixture(scope="module")
def linux() -> ProvedCaller:
    return proved_chain(LINUX)


def claim_of(one: ProvedCaller, change: Change | None = None) -> KernelClaim:
    """The claim with its certificate, or with a changed one."""
    stated = json.loads(one.certificate)
    if change:
        change(stated["routines"])
    given = json.dumps(stated).encode()
    return claim_for(one.function, "", {}, 2**127 - 1, 2, one.stack, given, one.formula)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_formulas_by_calls_are_accepted(system: ArmSystem, certifier: Path) -> None:
    one = proved_chain(system)
    claim = claim_of(one)
    assert len(one.calls) > 4 and len(json.loads(one.certificate)["routines"]) > 3
    assert claim.convention == system.convention
    assert answers(certifier, [claim]) == ["accepted"]


WRONG_HERE = WRONG | {
    "less stack": lambda c: replace(c, stack=c.stack - 16),
    "a line without calls": lambda c: replace(c, calls=False, certificate=("0", *nothing_shown(c))),
}


@pytest.mark.parametrize("what", sorted(WRONG_HERE.keys() - {"the other convention"}))
def test_a_wrong_claim_is_refused(what: str, certifier: Path, linux: ProvedCaller) -> None:
    assert answers(certifier, [WRONG_HERE[what](claim_of(linux))]) == ["refused"]


@pytest.mark.parametrize("what", sorted(CHANGES.keys() - {"less stack"}))
def test_a_wrong_certificate_is_refused(what: str, certifier: Path, linux: ProvedCaller) -> None:
    assert answers(certifier, [claim_of(linux, CHANGES[what])]) == ["refused"]


@pytest.mark.parametrize(
    "change",
    [
        lambda routines: routines.pop(),
        lambda routines: routines.append(routines[0]),
        lambda routines: routines[0].pop("stack"),
    ],
    ids=["a routine too few", "one too many", "no stack"],
)
def test_other_routines_are_no_certificate(change: Change, linux: ProvedCaller) -> None:
    with pytest.raises(BadCertificate, match="no certificate"):
        claim_of(linux, change)


# Other code.


def patched(one: ProvedCaller, patch: Patch) -> KernelClaim:
    """The claim with other instructions."""
    claim = claim_of(one)
    words = words_of(claim.code)
    patch(words, [place // 4 for place in one.calls])
    return replace(claim, code=bytes_of(words))


@pytest.mark.parametrize("what", PATCHES)
def test_other_code_is_refused(what: str, certifier: Path, linux: ProvedCaller) -> None:
    assert answers(certifier, [patched(linux, PATCHES[what])]) == ["refused"]


def test_a_register_that_no_call_keeps_is_not_read(certifier: Path, linux: ProvedCaller) -> None:
    """A pointer in x9, used before the first call, and after it."""
    copied, read = 0xAA1303E9, 0xAA0903E0  # mov x9, x19; mov x0, x9
    before, after = linux.calls[0] // 4, linux.calls[1] // 4
    words = words_of(claim_of(linux).code)
    assert words[before - 3] >> 22 == words[after - 3] >> 22 == 0x91000000 >> 22

    def keep(words: list[int], calls: Sequence[int]) -> None:
        words[before - 3] = copied
        words[after - 3] = read

    assert answers(certifier, [patched(linux, keep)]) == ["refused"]


def is_the_same(word: int, other: int) -> bool:
    """Whether both add 0 to a register: one subtracts, or shifts the 0."""
    return (
        word >> 24 in (0x91, 0xD1) and not word >> 10 & 0xFFF and word ^ other in (1 << 30, 1 << 22)
    )


@pytest.mark.full
def test_mutants_of_the_caller_are_refused(certifier: Path, linux: ProvedCaller) -> None:
    """A third of the bits of the instructions that make addresses or call."""
    claim, mutants, expected = claim_of(linux), [], []
    words = words_of(claim.code)
    for bit in range(8 * linux.calls[0] - 96, 8 * linux.calls[-1] + 32, 3):
        word = words[bit // 32] ^ 1 << bit % 32
        code = bytes_of([*words[: bit // 32], word, *words[bit // 32 + 1 :]])
        mutants.append(replace(claim, code=code))
        expected.append("accepted" if is_the_same(words[bit // 32], word) else "refused")
    assert answers(certifier, mutants) == expected


def test_the_places_of_calls_are_found(linux: ProvedCaller) -> None:
    code = claim_of(linux).code
    words = words_of(code)
    found = called_places(code, "aarch64")
    targets = [place + 4 * (words[place // 4] & 0xFFFFFF) for place in linux.calls]
    assert found == [*dict.fromkeys(targets)]
