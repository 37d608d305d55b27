"""Kernels on arrays: what all targets with vectors share."""
