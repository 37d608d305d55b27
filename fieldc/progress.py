"""How far long work is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""progress(what, done, total)."""
