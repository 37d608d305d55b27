"""Builds a field: kernels for targets, checked where this host runs them, and a list of them."""
