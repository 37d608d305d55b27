"""Predicts the cycles of finished code on a named processor, without running it."""
