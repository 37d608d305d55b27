"""Kernels on arrays for x86-64 with AVX-512 F: products by doubles, digits of 52 bits."""
