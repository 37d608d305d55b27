"""Kernels on arrays for x86-64 with AVX2 and FMA: products by doubles, digits of 52 bits."""
