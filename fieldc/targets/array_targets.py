"""Every target of kernels on arrays, the fastest first. A folder is registered by one line."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.errors import nearest, quote
from fieldc.targets.avx512f.target import AVX512F
from fieldc.targets.avx512ifma.target import AVX512IFMA
from fieldc.targets.registry import UnknownTarget
from fieldc.targets.vectors.target import VectorTarget

ARRAY_TARGETS = {target.name: target for target in (AVX512IFMA, AVX512F)}


def array_targets(names: str | None) -> Sequence[VectorTarget]:
    """The targets of names with commas between them; of none the fastest here, else the first.

    `all` names all. Raises UnknownTarget.
    """
    every = list(ARRAY_TARGETS.values())
    if names is None:
        return [fastest_here() or every[0]]
    if names == "all":
        return every
    return [_find(name.strip()) for name in dict.fromkeys(names.split(","))]


def _find(name: str) -> VectorTarget:
    if name in ARRAY_TARGETS:
        return ARRAY_TARGETS[name]
    near = nearest(name, ARRAY_TARGETS)
    hint = f"the nearest: {near[0]}" if near else f"use {', '.join(ARRAY_TARGETS)}"
    raise UnknownTarget(f"no target of kernels on arrays is {quote(name)}; {hint}")


def fastest_here() -> VectorTarget | None:
    """The fastest target that this processor runs; None where it runs none."""
    return next((target for target in ARRAY_TARGETS.values() if target.runs_here), None)
