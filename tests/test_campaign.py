"""The campaign of a new user: drawn primes and formulas, every verb and package, on integers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from campaign import javascript, python
from campaign.case import Finding, drawn
from campaign.checks import CHECKS, why_not
from campaign.drawn_primes import KINDS
from primes import search, upwards

SEEDS = range(1, 41)
SMALL = next(seed for seed in SEEDS if drawn(seed).p < 1 << 64)
"""A case of one limb, which takes seconds."""


def test_a_seed_is_a_case() -> None:
    assert all(drawn(seed) == drawn(seed) for seed in SEEDS)
    assert len({drawn(seed).p for seed in SEEDS}) > len(SEEDS) // 2 > len(KINDS)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [SMALL, *(seed for seed in SEEDS if seed != SMALL)])
@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_found(name: str, seed: int, tmp_path: Path) -> None:
    if why := why_not(name):
        pytest.skip(f"SKIPPED: {why}")
    CHECKS[name](drawn(seed), tmp_path)


def test_a_wrong_result_is_found(tmp_path: Path) -> None:
    """Modulo the next prime something else comes out."""
    case = drawn(SMALL)
    other = replace(case, p=search(upwards(case.p + 2)))
    with pytest.raises(Finding, match="Python: "):
        python.check(other, tmp_path)
    if not why_not("javascript"):
        with pytest.raises(Finding, match="node: "):
            javascript.check(other, tmp_path)
