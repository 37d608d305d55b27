"""Every target of kernels on arrays, the fastest first. A folder is registered by one line."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import LIMB_BITS, in_lanes
from fieldc.errors import counted, nearest, quote
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.targets.avx2.target import AVX2
from fieldc.targets.avx512f.target import AVX512F
from fieldc.targets.avx512ifma.target import AVX512IFMA
from fieldc.targets.registry import UnknownTarget
from fieldc.targets.vectors.target import VectorTarget

ARRAY_TARGETS = {target.name: target for target in (AVX512IFMA, AVX512F, AVX2)}

ALL = "all"


def array_targets(names: str | None, f: Field) -> Sequence[VectorTarget]:
    """The targets of names with commas between them; of none the fastest here, else the first.

    `all` among them names all that take the field. Raises UnknownTarget, also for one that does
    not take it, and DoesNotApply for a modulus that none takes.
    """
    words = [] if names is None else names.split(",")
    given = list(dict.fromkeys(name.strip() for name in words))
    found = [_find(name) for name in given if name != ALL]
    check_modulus(found, f)
    every = _taking(f)
    if names is None:
        return [fastest_here(f) or every[0]]
    for target in found:
        if target not in every:
            raise UnknownTarget(f"{target.name} has no kernels {_what(target, f, every[0].name)}")
    return every if ALL in given else found


def _taking(f: Field) -> list[VectorTarget]:
    return [target for target in ARRAY_TARGETS.values() if target.takes(f)]


def _in_limbs(f: Field) -> Field:
    """The field without `--word`."""
    return Field(f.p, LIMB_BITS, f.name)


def check_modulus(named: Sequence[VectorTarget], f: Field) -> None:
    """Raise DoesNotApply for a modulus that no target takes, with what helps for those named."""
    limbs = _in_limbs(f)
    in_lanes(limbs)
    try:
        in_lanes(f)
    except DoesNotApply as error:
        able = _taking(limbs)
        other = "" if all(target in able for target in named) else f" and use {able[0].name}"
        raise DoesNotApply(f"{error}; leave out --word{other}") from None


def _what(target: VectorTarget, f: Field, other: str) -> str:
    """What a target lacks, and what has it."""
    if f.word == HALF_BITS:
        way = ", or leave out --word" if target.takes(_in_limbs(f)) else ""
        return f"on words of {HALF_BITS} bits; use {other}{way}"
    return f"for a modulus of {counted(f.n, 'limb')}; use {other}"


def _find(name: str) -> VectorTarget:
    if name in ARRAY_TARGETS:
        return ARRAY_TARGETS[name]
    near = nearest(name, ARRAY_TARGETS)
    hint = f"the nearest: {near[0]}" if near else f"use {', '.join(ARRAY_TARGETS)}"
    raise UnknownTarget(f"no target of kernels on arrays is {quote(name)}; {hint}")


def fastest_here(f: Field) -> VectorTarget | None:
    """The fastest target that this processor runs and that takes the field; None without any."""
    every = ARRAY_TARGETS.values()
    return next((target for target in every if target.runs_here and target.takes(f)), None)
