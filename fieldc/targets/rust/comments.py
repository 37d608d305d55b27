"""Comments of emitted Rust, as rustdoc reads them."""

from __future__ import annotations

import re


def rust_doc(line: str) -> str:
    """A line in which rustdoc sees neither links, such as `[0]`, nor emphasis between two `*`."""
    return re.sub(r"([][*])", r"\\\1", line) if "[" in line else line
