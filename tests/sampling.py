"""Parameters of which `make test` runs some, and the full sweep all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(kept: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """Values of one parameter for every run, then those of the full sweep alone."""
    return sampled_rows(((value,) for value in kept), ((value,) for value in others))


def sampled_rows(kept: Iterable[tuple[Any, ...]], others: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The same for rows of several parameters."""
    everywhere = [pytest.param(*row) for row in kept]
    return [*everywhere, *(pytest.param(*row, marks=pytest.mark.full) for row in others)]
