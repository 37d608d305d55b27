"""Certificates of kernels on arrays, and the objects that they are of."""

from __future__ import annotations

from functools import cache
from typing import Any

from fieldc.artifacts.arrays import BuiltArray, made_array
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.proof.lanes.certificate import certify_arrays
from fieldc.targets.array_targets import ARRAY_TARGETS

IFMA = ARRAY_TARGETS["avx512ifma"]
CASES = [
    ("bls12-381-p", "add", "digits"),
    ("bls12-381-p", "sub", "canonical-digits"),
    ("bls12-381-r", "sub", "digits"),
    ("secp256k1-p", "add", "canonical-digits"),
    ("secp256k1-p", "neg", "canonical-digits"),
    ("2^61-1", "double", "canonical-digits"),
    ("bls12-381-r", "mul", "digits"),
    ("bls12-381-p", "square", "canonical-digits"),
    ("bls12-381-r", "butterfly", "canonical-digits"),
    ("bls12-381-r", "butterfly", "digits"),
    ("bls12-381-p", "sub", "array"),
    ("bls12-381-p", "mul", "array"),
    ("secp256k1-p", "mul_add", "array"),
    ("2^127-1", "mul", "array"),
]
"""Fields, operations and layouts: with spare bits and without. Those in limbs have a tail."""


@cache
def built_array(name: str, operation: str, layout: str) -> BuiltArray:
    """A kernel for AVX-512 IFMA."""
    return made_array(IFMA, find_field(name), operation, layout)


def certificate_of_array(built: BuiltArray, data: bytes = b"") -> dict[str, Any]:
    """The proof of a kernel, or of another object in its place, written down."""
    kernel = built.kernel
    f, computes = kernel.expression.field, kernel.expression.kernel.computes
    function = function_of(data or kernel.object, kernel.symbol)
    certificate = certify_arrays(
        function.code,
        computes.family,
        f.p,
        f.n,
        f.word,
        computes.parameters,
        computes.name,
        function.start,
        kernel.symbol,
    )
    assert certificate is not None
    return certificate
