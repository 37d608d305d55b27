"""Hypothesis draws the same examples in every run, and a busy machine fails nothing."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fieldc", deadline=None, derandomize=True, database=None)
settings.load_profile("fieldc")
