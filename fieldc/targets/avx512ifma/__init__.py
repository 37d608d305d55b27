"""Kernels on arrays for x86-64 with AVX-512 IFMA: eight lanes, digits of 52 bits."""
