"""The checker replays the proofs of AArch64's formulas by calls, and refuses other code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aarch64_callers import PATCHES, ProvedCaller, proved_chain
from aarch64_code import bytes_of, words_of
from forged import replay
from test_formal_routines import CHANGES

from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.systems import LINUX, SYSTEMS, ArmSystem


@pytest.fixture(scope="module")
def linux() -> ProvedCaller:
    return proved_chain(LINUX)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_formulas_by_calls_pass(system: ArmSystem, checker: Path, tmp_path: Path) -> None:
    one = proved_chain(system)
    assert replay(checker, tmp_path, json.loads(one.certificate), one.object)[0] == 0


@pytest.mark.parametrize("what", PATCHES)
def test_other_code_is_refused(
    what: str, checker: Path, tmp_path: Path, linux: ProvedCaller
) -> None:
    code = linux.function.code[linux.function.start :]
    words = words_of(code)
    PATCHES[what](words, [place // 4 for place in linux.calls])
    made = object_of({"chain": bytes_of(words)}, LINUX.triple)
    status, said = replay(checker, tmp_path, json.loads(linux.certificate), made)
    assert status == 1, said


@pytest.mark.parametrize("what", CHANGES)
def test_a_wrong_certificate_is_refused(
    what: str, checker: Path, tmp_path: Path, linux: ProvedCaller
) -> None:
    stated = json.loads(linux.certificate)
    CHANGES[what](stated["routines"])
    assert replay(checker, tmp_path, stated, linux.object)[0] == 1
