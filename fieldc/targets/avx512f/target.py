"""Kernels on arrays for x86-64 with AVX-512 F and DQ, without IFMA."""

from __future__ import annotations

from fieldc.targets.avx512f.select import DoubleSelection
from fieldc.targets.vectors.target import VectorTarget

AVX512F = VectorTarget("avx512f", DoubleSelection, "cascade-lake")
