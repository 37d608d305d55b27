"""What `make cargo-test` asks of cargo: whoever asks the same compiles nothing twice."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def cargo_words() -> list[str]:
    """Its packages and features, which together choose the features of what they depend on."""
    return [*_variable("TESTED").split(), "--features", _variable("TRAITS")]


def _variable(name: str) -> str:
    found = re.search(rf"^{name} := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found
    return found[1]
