"""Kernels of transforms in digits among built kernels: what they promise, and their proofs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from fieldc.algorithms.lanes import DIGIT_BITS, LIMB_BITS, in_lanes
from fieldc.algorithms.transforms import (
    CHAINED,
    LOOKED_UP,
    LOOSE,
    ROLES,
    NoDigits,
    TransformKernel,
    transform_kernels,
)
from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.proof.lanes.mixed import MixedArrays
from fieldc.targets.header import contract
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.target import VectorTarget

AnyKernel = TypeVar("AnyKernel")
LAYOUT = "transform"
"""The layout of its kernels: some arrays are in digits, others in limbs."""


def kernels_of(f: Field, target: VectorTarget) -> dict[str, TransformKernel]:
    """What a target's transform calls, by name: nothing where values cannot stay in digits."""
    try:
        made = transform_kernels(f)
    except NoDigits:
        return {}
    return {role: made[role] for role in roles_of(target) if role in made}


def roles_of(target: VectorTarget, roles: Collection[str] = ROLES) -> list[str]:
    """Those of some roles that a target has: powers take one of two."""
    return [role for role in roles if role != (LOOKED_UP if target.chains else CHAINED)]


def with_every_step(found: Mapping[str, AnyKernel]) -> dict[str, AnyKernel]:
    """Kernels by their roles, where `step_by` is the step in loose digits too if none is made."""
    return {LOOSE: found["step_by"], **found} if found else {}


def job_of_transform(kernel: ArrayKernel) -> Job:
    """The proof of a kernel of a transform."""
    return job_of_row(
        kernel.object,
        {
            "symbol": kernel.symbol,
            "op": kernel.expression.kernel.operation,
            "word": kernel.expression.field.word,
            "n": kernel.expression.field.n,
            **kernel.expression.kernel.computes.row(),
            **row_of_transform(kernel),
        },
        kernel.expression.field,
    )


def job_of_row(code: bytes, row: Mapping[str, Any], f: Field) -> Job:
    """The proof of a kernel of a transform from its entry in a manifest."""
    limbs = Field(f.p, LIMB_BITS).n if row["word"] == DIGIT_BITS else row["n"]
    parameters, in_digits = tuple(row["parameters"].items()), tuple(row["in_digits"])
    gives, shared = row["gives_digits"], tuple(row["shared"])
    mixed = MixedArrays(row["family"], parameters, in_digits, gives, shared)
    return Job(code, row["symbol"], row["op"], f.p, limbs, array_word=LIMB_BITS, mixed=mixed)


def row_of_transform(kernel: ArrayKernel) -> dict[str, object]:
    """What a manifest says of arrays in digits."""
    return {
        "in_digits": list(_in_digits(kernel)),
        "shared": list(kernel.shared),
        "gives_digits": kernel.result_field.word == DIGIT_BITS,
    }


def _in_digits(kernel: ArrayKernel) -> Sequence[str]:
    """The operands in digits."""
    if kernel.expression.field.word == DIGIT_BITS:
        return [name for name, _ in kernel.expression.kernel.operands]
    return kernel.in_digits


def said_of_transform(kernel: ArrayKernel, role: str) -> str:
    """The contract of a kernel of a transform in words."""
    f = kernel.expression.field
    results = ["z"] if kernel.results == 1 else [f"z{i}" for i in range(kernel.results)]
    gives = results if kernel.result_field.word == DIGIT_BITS else []
    digits, named = [*_in_digits(kernel), *gives], kernel.expression.kernel.operands
    limbs = [name for name in (*(n for n, _ in named), *results) if name not in digits]
    used = f"{role} of transforms" if role in ROLES else f"{role} of digits"
    one = f" {' and '.join(kernel.shared)} has one element, row by row, which serves for all."
    in_limbs = f" {_are(limbs)} in {f.size}."
    may = "z0 and z1 may be x and y; other arrays" if kernel.results == 2 else "z and x"
    return (
        f"{used}, on arrays: {contract(kernel.expression)}, R = 2^{f.word * f.n}."
        f" {_are(digits)} in {in_lanes(f).size}, in blocks of eight elements."
        f"{in_limbs if limbs else ''}{one if kernel.shared else ''} {may} must be apart."
    )


def _are(names: Sequence[str]) -> str:
    """The subject and verb of a sentence on arrays."""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"
