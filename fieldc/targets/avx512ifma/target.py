"""Kernels on arrays for x86-64 with AVX-512 IFMA."""

from __future__ import annotations

from fieldc.targets.avx512ifma.select import IfmaSelection
from fieldc.targets.vectors.target import VectorTarget

AVX512IFMA = VectorTarget("avx512ifma", IfmaSelection, "ice-lake", chains=True)
