"""Kernels of transforms in digits among built kernels: what they promise, and their proofs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from fieldc.algorithms.lanes import DIGIT_BITS, LIMB_BITS, in_lanes
from fieldc.algorithms.transforms import CHAINED, LOOKED_UP, LOOSE, ROLES
from fieldc.artifacts.promise import ArrayPromise
from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.proof.lanes.mixed import MixedArrays
from fieldc.targets.header import contract
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.target import VectorTarget

AnyKernel = TypeVar("AnyKernel")


def roles_of(target: VectorTarget, roles: Collection[str] = ROLES) -> list[str]:
    """Those of some roles that a target has: powers take one of two."""
    return [role for role in roles if role != (LOOKED_UP if target.chains else CHAINED)]


def with_every_step(found: Mapping[str, AnyKernel]) -> dict[str, AnyKernel]:
    """Kernels by their roles, where `step_by` is the step in loose digits too if none is made."""
    return {LOOSE: found["step_by"], **found} if found else {}


def job_of_transform(kernel: ArrayKernel, promise: ArrayPromise) -> Job:
    """The proof of a kernel of a transform."""
    f, computes = promise.expression.field, promise.expression.kernel.computes
    row = {"symbol": kernel.symbol, "op": promise.operation, "word": f.word, "n": f.n}
    return job_of_row(kernel.object, row | computes.row() | row_of_transform(promise), f)


def job_of_row(code: bytes, row: Mapping[str, Any], f: Field) -> Job:
    """The proof of a kernel of a transform from its entry in a manifest."""
    limbs = Field(f.p, LIMB_BITS).n if row["word"] == DIGIT_BITS else row["n"]
    parameters, in_digits = tuple(row["parameters"].items()), tuple(row["in_digits"])
    gives, shared = row["gives_digits"], tuple(row["shared"])
    mixed = MixedArrays(row["family"], parameters, in_digits, gives, shared)
    return Job(code, row["symbol"], row["op"], f.p, limbs, array_word=LIMB_BITS, mixed=mixed)


def row_of_transform(promise: ArrayPromise) -> dict[str, object]:
    """What a manifest says of arrays in digits."""
    return {
        "in_digits": list(promise.operands_in_digits),
        "shared": list(promise.shared),
        "gives_digits": promise.result_field.word == DIGIT_BITS,
    }


def said_of_transform(promise: ArrayPromise) -> str:
    """The contract of a kernel of a transform in words."""
    f, role, results = promise.expression.field, promise.role, promise.results
    gives = results if promise.result_field.word == DIGIT_BITS else []
    digits = [*promise.operands_in_digits, *gives]
    limbs = [name for name in (*promise.operands, *results) if name not in digits]
    used = f"{role} of transforms" if role in ROLES else f"{role} of digits"
    one = f" {' and '.join(promise.shared)} has one element, row by row, which serves for all."
    in_limbs = f" {_are(limbs)} in {f.size}."
    may = "z0 and z1 may be x and y; other arrays" if len(results) == 2 else "z and x"
    return (
        f"{used}, on arrays: {contract(promise.expression)}, R = 2^{f.word * f.n}."
        f" {_are(digits)} in {in_lanes(f).size}, in blocks of eight elements."
        f"{in_limbs if limbs else ''}{one if promise.shared else ''} {may} must be apart."
    )


def _are(names: Sequence[str]) -> str:
    """The subject and verb of a sentence on arrays."""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"
