"""Kernels on arrays for x86-64 with AVX2 and FMA."""

from __future__ import annotations

from fieldc.targets.avx2.select import YmmSelection, YmmWordSelection
from fieldc.targets.vectors.target import VectorTarget

AVX2 = VectorTarget("avx2", YmmSelection, "zen-3", ports=3, least_limbs=2, words=YmmWordSelection)
