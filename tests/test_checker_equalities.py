"""The checker replays what dropped carries equal, and rejects every false equality."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from certificates import (
    BARRETT,
    HIGH_LIMBS,
    LAST_DIFFERENCE,
    MASKED,
    SHIFTED,
    SOLINAS,
    certificate_of,
    object_of,
)
from forged import Tamper, replay


def _equal_to_more(c: dict[str, Any]) -> None:
    c["equalities"][-1]["value"].append(["0x1", []])


def _equal_from_above_only(c: dict[str, Any]) -> None:
    c["equalities"][-1]["least"] = {"scale": "0x1", "rows": [], "slopes": []}


def _equal_from_below_only(c: dict[str, Any]) -> None:
    c["equalities"][-1]["most"] = {"scale": "0x1", "rows": [], "slopes": []}


def _without_its_reason(c: dict[str, Any]) -> None:
    del c["equalities"][0]


def _without_equalities(c: dict[str, Any]) -> None:
    del c["equalities"]


def _equal_to_nothing_known(c: dict[str, Any]) -> None:
    c["equalities"][-1]["value"].append(["0x1", [10**6]])


def _of_no_variable(c: dict[str, Any]) -> None:
    c["equalities"][-1]["variable"] = 10**6


def _of_its_own_row(c: dict[str, Any]) -> None:
    """A false equality whose bounds use the row that it would be."""
    last = c["equalities"][-1]
    last["value"] = [["-0x1", []]]
    itself = max(row for row, _ in c["cases"][0]["identity"])
    for side, sign in (("most", "0x1"), ("least", "-0x1")):
        last[side] = {"scale": "0x1", "rows": [[itself, [[sign, []]]]], "slopes": []}


TAMPERS = (
    *(_equal_to_more, _equal_from_above_only, _equal_from_below_only, _without_its_reason),
    *(_without_equalities, _equal_to_nothing_known, _of_no_variable, _of_its_own_row),
)


@pytest.mark.parametrize("tamper", TAMPERS)
@pytest.mark.parametrize(
    "case",
    [*BARRETT[:2], SOLINAS, HIGH_LIMBS[0], SHIFTED[0], *LAST_DIFFERENCE, *MASKED],
    ids="-".join,
)
def test_the_checker_rejects_a_changed_equality(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str], tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*case))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 1 and said.startswith("FAILED "), said


def _cut(c: dict[str, Any]) -> dict[str, Any]:
    """The equality of a word's top bits."""
    (found,) = (e for e in c["equalities"] if "cut" in e)
    return dict(found)


def _of_another_word(c: dict[str, Any]) -> None:
    c["equalities"][0]["cut"] = [_cut(c)["cut"][0] - 1, 32]


def _from_another_bit(c: dict[str, Any]) -> None:
    c["equalities"][0]["cut"] = [_cut(c)["cut"][0], 31]


def _from_no_bit(c: dict[str, Any]) -> None:
    c["equalities"][0]["cut"] = [_cut(c)["cut"][0], 1 << 40]


def _not_cut(c: dict[str, Any]) -> None:
    del c["equalities"][0]["cut"]


@pytest.mark.parametrize("tamper", [_of_another_word, _from_another_bit, _from_no_bit, _not_cut])
@pytest.mark.parametrize("case", SHIFTED, ids="-".join)
def test_the_checker_rejects_top_bits_of_something_else(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str], tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*case))
    assert _cut(certificate) == certificate["equalities"][0]
    assert replay(checker, tmp_path, certificate, object_of(*case))[0] == 0
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 1 and said.startswith("FAILED "), said
