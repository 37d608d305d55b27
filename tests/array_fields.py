"""Which fields a target of kernels on arrays takes: tests of others are skipped."""

from __future__ import annotations

import pytest

from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.targets.vectors.target import VectorTarget


def check_takes(target: VectorTarget, name: str) -> Field:
    """The field, if the target has kernels for it; else the test is skipped."""
    f = find_field(name, 64)
    if not target.takes(f):
        pytest.skip(f"{target.name} has no kernels for {name}")
    return f
