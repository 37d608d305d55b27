"""What `make cargo-test` asks of cargo: whoever asks the same compiles nothing twice."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def cargo_words() -> list[str]:
    """Its packages and features, which together choose the features of what they depend on."""
    return [*variable("TESTED").split(), "--features", variable("TRAITS")]


def variable(name: str) -> str:
    """What the Makefile gives a variable, lines that go on joined."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", "")
    found = re.search(rf"^{name} := (.+)$", text, re.MULTILINE)
    assert found
    return found[1]
