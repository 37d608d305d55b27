"""The update of a batch of divsteps modulo p: inverses by it, its proof, and what is refused."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from primes import named_field, shaped
from test_studied import ON_X86_64

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.field import Field
from fieldc.language import LanguageError
from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.operations import DIVSTEP_BITS, DIVSTEP_SHIFT
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.divsteps import compile_divsteps
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

STEPS = 59
RAISED = 1 << DIVSTEP_BITS - 1
Row = tuple[int, int]


def batch(delta: int, f: int, g: int) -> tuple[int, Row, Row]:
    """The matrix of STEPS divsteps times 2^STEPS, where delta counts in halves."""
    first, second = (1, 0), (0, 1)
    for _ in range(STEPS):
        swaps, odd = delta > 0 and g & 1, g & 1
        before, sign = f, -1 if swaps else 1
        summed = (
            second[0] + sign * odd * first[0],
            second[1] + sign * odd * first[1],
        )
        if swaps:
            f, first = g, second
        first, second = (2 * first[0], 2 * first[1]), summed
        g = (g + sign * odd * before) // 2
        delta = 2 - delta if swaps else delta + 2
    return delta, first, second


Batch = Callable[[int, int, int], tuple[int, Row, Row]]


def inverse(f: Field, x: int, batch: Batch = batch) -> int:
    """1/x mod p, or 0 for 0: the number of steps is that of the packages."""
    kernel = choose(f, "divstep_update").kernel
    steps = -(-(9437 * f.bits + 1) // 4096)
    batches = -(-steps // STEPS)
    scale = pow(2, (DIVSTEP_SHIFT - STEPS) * batches, f.p)
    delta, a, b, d, e = 1, int(f.p), x, 0, scale
    for _ in range(batches):
        delta, *rows = batch(delta, a, b)
        a, b = ((u * a + v * b) >> STEPS for u, v in rows)
        pair = d + (e << f.word * f.n)
        d, e = (kernel.run(f, pair, u + RAISED, v + RAISED) for u, v in rows)
    assert b == 0 and a in (1, -1, f.p)
    return a * d % f.p if a != f.p else 0


@pytest.mark.parametrize("name", ["bls12-381-p", "secp256k1-p", "curve25519", "goldilocks"])
def test_updates_make_an_inverse(name: str) -> None:
    f, draw = named_field(name), random.Random(name)
    powers = [1 << draw.randrange(1, f.bits - 1) for _ in range(2)]
    for x in (0, 1, 2, f.p - 1, f.p // 2, *powers, *(draw.randrange(f.p) for _ in range(3))):
        assert inverse(f, x) == pow(x, f.p - 2, f.p)


def matrix_kernel() -> Batch:
    """The kernel `divstep_matrix`, which looks at the low words of f and g alone."""
    library = load(assemble(compile_divsteps("k").text(GNU)))  # its code lives as long as it
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(library.address("k"))

    def batch(delta: int, f: int, g: int) -> tuple[int, Row, Row]:
        z = (ctypes.c_int64 * 5)(-(delta + 1) // 2)
        assert library
        run(z, z, *((ctypes.c_uint64 * 1)(value % (1 << 64)) for value in (f, g)))
        return -2 * z[0] - 1, (z[1], z[2]), (z[3], z[4])

    return batch


@ON_X86_64
@pytest.mark.parametrize("name", ["bls12-381-p", "secp256k1-p", "goldilocks"])
def test_both_kernels_make_an_inverse(name: str) -> None:
    f, draw = named_field(name), random.Random(name)
    for x in (0, 1, f.p - 1, *(draw.randrange(f.p) for _ in range(5))):
        assert inverse(f, x, matrix_kernel()) == pow(x, f.p - 2, f.p)


@pytest.mark.parametrize("limbs", [1, 2, 5])
@pytest.mark.parametrize("shape", ["full", "one-spare"])
def test_updates_of_other_primes_make_an_inverse(shape: str, limbs: int) -> None:
    f = shaped(shape, limbs)
    for x in (0, 1, f.p - 1, random.Random(limbs).randrange(f.p)):
        assert inverse(f, x) == pow(x, f.p - 2, f.p)


def test_an_entry_of_63_bits_is_refused() -> None:
    f = named_field("bn254-p")
    with pytest.raises(LanguageError, match="divstep_update: v must be"):
        choose(f, "divstep_update").kernel.run(f, 1, 0, 1 << DIVSTEP_BITS)


@ON_X86_64
@pytest.mark.parametrize("name", ["bls12-381-r", "secp256k1-p", "goldilocks"])
def test_what_is_proved_and_what_is_not(name: str) -> None:
    f = named_field(name)
    expression = choose(f, "divstep_update")
    assert expression.subtractions == 1
    text = compile_expression(expression, "k", VARIANTS["adx"]).text(GNU)
    code, asked = function_of(assemble(text), "k"), contract_of("divstep_update", f.p, f.n)
    prove(code.code, asked, start=code.start)
    x, u, v = asked.operands
    for wrong in (
        replace(asked, factor=1),
        replace(asked, high=f.p - 2),
        replace(asked, operands=(x, u, replace(v, high=(1 << 64) - 1))),
        replace(asked, claim=lambda v: asked.claim([v[0], v[1], v[3], v[2]])),
    ):
        with pytest.raises(ProofError):
            prove(code.code, wrong, start=code.start)
