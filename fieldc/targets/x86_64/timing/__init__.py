"""Loops that time x86-64 kernels, and the clock that they read."""
