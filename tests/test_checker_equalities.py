"""The checker replays what dropped carries equal, and rejects every false equality."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from certificates import BARRETT, SOLINAS, certificate_of, object_of
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
@pytest.mark.parametrize("case", [*BARRETT[:2], SOLINAS], ids="-".join)
def test_the_checker_rejects_a_changed_equality(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str], tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*case))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 1 and said.startswith("FAILED "), said
