"""Certificates of kernels on arrays, and the objects that they are of."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from fieldc.artifacts.arrays import (
    BuiltArray,
    made_array,
    made_digits,
    made_moves,
    made_multiples,
    made_sums,
    made_transforms,
)
from fieldc.artifacts.digit_arrays import MOVE_ROLES
from fieldc.artifacts.transforms import roles_of
from fieldc.artifacts.verify import prove_job
from fieldc.catalogue import find_field
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.offers import LAYOUTS

IFMA = "avx512ifma"
IN_HALVES = "/32"
"""Ends the name of a field whose elements have words of 32 bits."""
CASES = [
    ("bls12-381-p", "add", "digits"),
    ("bls12-381-p", "sub", "canonical-digits"),
    ("bls12-381-r", "sub", "digits"),
    ("secp256k1-p", "add", "canonical-digits"),
    ("secp256k1-p", "neg", "canonical-digits"),
    ("2^61-1", "double", "canonical-digits"),
    ("bls12-381-r", "mul", "digits"),
    ("bls12-381-r", "mul_add", "digits"),
    ("bls12-381-p", "square", "canonical-digits"),
    ("bls12-381-r", "butterfly", "canonical-digits"),
    ("bls12-381-r", "butterfly", "digits"),
    ("bls12-381-p", "sub", "array"),
    ("bls12-381-p", "mul", "array"),
    ("secp256k1-p", "mul_add", "array"),
    ("2^127-1", "mul", "array"),
]
"""Fields, operations and layouts: with spare bits and without. Those in limbs have a tail."""
BORDERS = [
    ("0x6c02b980dc6ff", "add", "digits"),
    ("0xb313f8db9b92d", "mul_add", "array"),
    ("0xd5eec7ddb57c9881b15c41d5c5", "butterfly", "canonical-digits"),
    ("0x90af7a8016bfe9e13c7928b581c2c75725145d7", "butterfly", "array"),
]
"""Of primes whose highest digit is 0: a sum may need one more digit than its result has."""
SUMS = [
    ("bn254-p", "accumulate", "columns"),
    ("bn254-p", "collect", "columns"),
    ("bls12-381-p", "accumulate_digits", "columns"),
    ("bls12-381-p", "accumulate_multiples", "columns"),
    ("bls12-381-p", "collect_multiples", "columns"),
]
"""Kernels of sums of products; the last two of products in a tower."""
SHORT_SUMS = [
    ("0x1aada618312321", "accumulate", "columns"),
    ("0x3a0015f8a2cc1", "collect", "columns"),
]
"""Of digits of one bit, and of a digit times a constant that is a digit."""
WORDS = [
    ("goldilocks", "mul", "array"),
    ("2^61-1", "butterfly", "array"),
    ("babybear", "mul_add", "array"),
    ("babybear/32", "mul", "array"),
    ("koalabear/32", "mul_add", "array"),
    ("goldilocks", "accumulate", "columns"),
    ("babybear", "accumulate", "columns"),
    ("babybear/32", "accumulate", "columns"),
    *((name, "collect", "columns") for name in ("goldilocks", "babybear", "babybear/32")),
]
"""Of primes of one word."""
DOUBLES = [
    ("bls12-381-r", "mul", "digits", "avx512f"),
    ("bls12-381-r", "square", "array", "avx512f"),
    ("bls12-381-r", "butterfly", "digits", "avx512f"),
    ("0x1aada618312321", "accumulate", "columns", "avx512f"),
    ("0x3a0015f8a2cc1", "collect", "columns", "avx512f"),
    ("bn254-p", "accumulate", "columns", "avx512f"),
    ("bn254-p", "collect", "columns", "avx512f"),
    ("goldilocks", "mul", "canonical-digits", "avx512f"),
    ("bn254-p", "from_digits", "mixed", "avx512f"),
    ("bls12-381-r", "step_by", "mixed", "avx512f"),
    ("bls12-381-r", "step_loose", "mixed", "avx512f"),
    ("bls12-381-r", "times", "mixed", "avx512f"),
    ("bls12-381-r", "move_up", "mixed", "avx512f"),
]
"""Of products by doubles."""
SHORT = [
    ("bls12-381-r", "mul", "canonical-digits", "avx2"),
    ("bls12-381-r", "add", "array", "avx2"),
    ("2^61-1", "mul", "array", "avx2"),
    ("goldilocks", "mul", "array", "avx2"),
    ("goldilocks", "butterfly", "array", "avx2"),
    ("goldilocks", "neg", "array", "avx2"),
    ("2^61-1", "sub", "array", "avx2"),
    ("secp256k1-p", "square", "array", "avx2"),
    ("bls12-381-r", "butterfly", "digits", "avx2"),
    ("babybear", "mul", "array", "avx2"),
    ("babybear", "neg", "array", "avx2"),
    ("bls12-381-r", "step_loose", "mixed", "avx2"),
    ("bn254-p", "accumulate", "columns", "avx2"),
    ("bn254-p", "collect", "columns", "avx2"),
    ("bn254-p", "to_digits", "mixed", "avx2"),
    ("bls12-381-r", "leave", "mixed", "avx2"),
    ("bls12-381-r", "step_by", "mixed", "avx2"),
]
"""On vectors of 256 bits."""
MIXED = [
    ("bn254-p", "to_digits", "mixed"),
    ("bn254-p", "from_digits", "mixed"),
    *(("bls12-381-r", role, "mixed") for role in (*roles_of(ARRAY_TARGETS[IFMA]), *MOVE_ROLES)),
]
"""Conversions, the kernels of transforms, and moves to digits and back."""


@cache
def built_array(name: str, operation: str, layout: str, target: str = IFMA) -> BuiltArray:
    """A kernel for a target."""
    of = ARRAY_TARGETS[target]
    f = find_field(name.removesuffix(IN_HALVES))
    f = replace(f, word=32) if name.endswith(IN_HALVES) else f
    if layout not in LAYOUTS:
        others = [*made_sums(of, f)]
        if f.n > 1:
            others += [*made_digits(of, f), *made_transforms(of, f).values(), *made_moves(of, f)]
        if target == IFMA:
            others += made_multiples(of, f)
        names = [each.role or each.kernel.expression.kernel.operation for each in others]
        return others[names.index(operation)]
    return made_array(of, f, operation, layout)


def certificate_of_array(built: BuiltArray, data: bytes = b"") -> dict[str, Any]:
    """The proof of a kernel, or of another object in its place, written down."""
    verdict = prove_job(replace(built.job(), code=data or built.kernel.object))
    assert not verdict.failure, verdict.failure
    found: dict[str, Any] = json.loads(verdict.certificate)
    return found
