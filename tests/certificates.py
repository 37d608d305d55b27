"""Kernels as objects, and their certificates, made once for the tests of both programs."""

from __future__ import annotations

from functools import cache
from typing import Any

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.operations import OPERATIONS
from fieldc.proof.certificate import certify
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

LINUX = "x86_64-unknown-linux-gnu"
KERNEL_CASES = [
    *(("bn254-r", op, alg, v) for op, alg in (("mul", "cios"), ("add", "add")) for v in VARIANTS),
    *(("secp256k1-p", op, alg, "adx") for op, alg in (("mul", "cios"), ("sub", "sub"))),
    ("secp256k1-p", "redc", "redc", "base"),
    ("bls12-381-p", "mul", "log-jump", "adx"),
    ("bls12-381-p", "square", "log-jump", "mulx"),
    ("bls12-381-p", "redc", "redc", "base"),
    ("bls12-381-p", "sub", "sub", "adx"),
    ("goldilocks", "mul", "cios", "adx"),
    ("goldilocks", "add", "add", "base"),
    ("goldilocks", "to_montgomery", "to_montgomery", "mulx"),
    ("0x61", "double", "double", "mulx"),
    ("bls12-381-p", "neg", "masked", "base"),
    ("p384", "neg", "chosen", "mulx"),
    ("curve25519", "reduce", "pseudo-mersenne", "base"),
    ("curve25519", "mul_plain", "pseudo-mersenne", "mulx"),
    ("secp256k1-p", "mul_plain", "pseudo-mersenne", "adx"),
    ("secp256k1-p", "square_plain", "pseudo-mersenne", "mulx"),
    ("p521", "square_plain", "pseudo-mersenne", "mulx"),
    ("2^127-1", "mul_plain", "pseudo-mersenne", "base"),
    ("p521", "square_plain", "next-multiple", "adx"),
    ("curve25519", "mul_plain", "next-multiple", "mulx"),
    ("secp256k1-p", "reduce", "next-multiple", "base"),
    ("curve25519", "square_plain", "top-first", "adx"),
    ("curve25519", "mul_plain", "top-first-next", "base"),
    ("secp256k1-p", "mul_plain", "top-first", "mulx"),
    ("secp256k1-p", "square_plain", "top-first-next", "mulx"),
    ("2^251-9", "square_plain", "top-first-next", "adx"),
    ("2^127-1", "mul_plain", "barrett", "base"),
    ("bn254-p", "square_plain", "barrett", "adx"),
    ("secp256k1-p", "reduce", "barrett", "mulx"),
    ("bls12-381-p", "mul_plain", "barrett", "adx"),
    ("bn254-p", "square", "last-difference", "mulx"),
    ("goldilocks", "mul", "shifted-quotient", "base"),
    ("0xfffffffc00000001", "square", "shifted-quotient", "mulx"),
    ("goldilocks", "redc", "high-limbs", "adx"),
    ("2^61-1", "mul", "high-limbs", "mulx"),
    ("bn254-p", "mul", "two-limb-quotients", "adx"),
    ("2^127-1", "mul", "karatsuba", "mulx"),
    ("2^255-19", "mul", "karatsuba-limbs", "mulx"),
    ("2^224-2^96+1", "square_plain", "solinas", "mulx"),
]

BARRETT = [case for case in KERNEL_CASES if case[2] == "barrett"]
SOLINAS = KERNEL_CASES[-1]
SHIFTED = [case for case in KERNEL_CASES if case[2] == "shifted-quotient"]
HIGH_LIMBS = [case for case in KERNEL_CASES if case[2] == "high-limbs"]
LAST_DIFFERENCE = [case for case in KERNEL_CASES if case[2] == "last-difference"]
MASKED = [case for case in KERNEL_CASES if case[2] == "karatsuba-limbs"]
WITH_EQUALITIES = (*BARRETT, SOLINAS, *SHIFTED, *HIGH_LIMBS, *LAST_DIFFERENCE, *MASKED)
"""Those whose certificates say what carries, or halves of products, equal."""


@cache
def object_of(field: str, operation: str, algorithm: str, variant: str) -> bytes:
    f = find_field(field)
    compiled = compile_expression(choose(f, operation, algorithm), "kernel", VARIANTS[variant])
    return assemble(compiled.text(GNU), LINUX)


def code_of(*case: str) -> bytes:
    function = function_of(object_of(*case), "kernel")
    return function.code[function.start :]


@cache
def certificate_of(field: str, operation: str, algorithm: str, variant: str) -> dict[str, Any]:
    f, record = find_field(field), OPERATIONS[operation]
    code = code_of(field, operation, algorithm, variant)
    return certify(code, record.family, f.p, f.n, parameters=record.parameters, operation=operation)
