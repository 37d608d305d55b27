"""Parameters of which `make test` runs some, and the full sweep all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(kept: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    """Parameters for every run, then those of the full sweep alone."""
    return [*kept, *(pytest.param(value, marks=pytest.mark.full) for value in others)]
