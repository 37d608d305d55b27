"""Sums of products in a tower: residues moved up, times values below a multiple of p."""

from __future__ import annotations

import random

import pytest
from sampling import sampled
from test_columns import changes
from vector_emulator import EmulatedCall

from fieldc.algorithms.columns import (
    LANE_TOWERS,
    Columns,
    columns_of_multiples,
    columns_of_tower,
)
from fieldc.algorithms.lanes import excess, in_lanes
from fieldc.artifacts.arrays import made_multiples
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.machine.arrays import BLOCK, packed, unpacked
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.columns import ArrayCall, LoadedColumnKernel, called
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.columns import COLUMN_PROOFS, ColumnContract
from fieldc.proof.lanes.prove import ArrayProof
from fieldc.targets.avx512ifma.target import AVX512IFMA
from fieldc.targets.vectors.kernel import ArrayKernel

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
NAMES = tuple(LANE_TOWERS)
OPERATIONS = ("accumulate", "collect")


def tower(name: str) -> tuple[Field, Columns]:
    """A field and its columns."""
    f = find_field(name)
    columns = columns_of_tower(f)
    assert columns is not None
    return f, columns


def kernels(f: Field) -> list[ArrayKernel]:
    """Both kernels."""
    return [made.kernel for made in made_multiples(AVX512IFMA, f)]


def prove(f: Field, text: str, symbol: str, operation: str, columns: Columns) -> ArrayProof:
    """Prove what assembly becomes."""
    code = code_of(assemble(text), symbol)
    word = 52 if operation == "accumulate" else 64
    contract = ColumnContract(f.p, f.n, columns.turns, 52, word, columns.multiple)
    return COLUMN_PROOFS[operation](code.data, contract, code.start)


def call(f: Field, made: ArrayKernel, sizes: tuple[int, ...]) -> ArrayCall:
    """A kernel that this processor runs, or else the emulator."""
    if AVX512IFMA.runs_here:
        return LoadedColumnKernel(made.object, made.symbol, len(sizes))
    return EmulatedCall(made.object, made.symbol, sizes, 8 * in_lanes(f).n)


@pytest.mark.parametrize("name", NAMES)
def test_sums_are_those_of_products(name: str) -> None:
    """Of the most turns too, and of the largest operands."""
    (f, columns), draw = tower(name), random.Random(7)
    digits, t = in_lanes(f), 64 * columns.count
    add, collect = (call(f, k, s) for k, s in zip(kernels(f), ((t, 0, 0), (0, t)), strict=True))
    limit = columns.multiple * f.p
    for turns in (0, 1, columns.turns - 1, columns.turns):
        for largest in (False, True):
            count = BLOCK * turns
            x = [f.p - 1 if largest else draw.randrange(f.p) for _ in range(count)]
            y = [limit - 1 if largest else draw.randrange(limit) for _ in range(count)]
            up = packed(digits, [v << excess(f) for v in x])
            sums, *_ = called(add, count, bytes(t), up, packed(digits, y))
            z, _ = called(collect, BLOCK, packed(f, [0] * BLOCK), sums)
            wanted = [sum(v * w for v, w in zip(x[i::8], y[i::8], strict=True)) for i in range(8)]
            assert unpacked(f, z, BLOCK) == [v * f.R_inverse % f.p for v in wanted]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_both_kernels_are_proved(operation: str, name: str) -> None:
    f, columns = tower(name)
    made = kernels(f)[OPERATIONS.index(operation)]
    assert prove(f, made.text, made.symbol, operation, columns).block == len(made.block.code)
    more = Columns(columns.count, columns.turns, multiple=4 * columns.multiple)
    if operation == "collect":  # its last subtractions are for these sums
        with pytest.raises(ProofError):
            prove(f, made.text, made.symbol, operation, more)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", sampled(NAMES[:1], NAMES[1:]))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_changed_ones_are_not(operation: str, name: str) -> None:
    f, columns = tower(name)
    made = kernels(f)[OPERATIONS.index(operation)]
    for what, changed in changes(made.text):
        with pytest.raises((ProofError, ValueError)):
            prove(f, changed, made.symbol, operation, columns)
            pytest.fail(what)


def test_the_columns_of_a_lane_stay_in_registers() -> None:
    f, columns = tower("bls12-381-p")
    add, _ = kernels(f)
    assert len(add.held) == columns.count == 16 and add.block.spills == 0
    assert add.products == add.ports == 2 * in_lanes(f).n ** 2


def test_what_has_no_such_columns_is_refused() -> None:
    f = find_field("bls12-381-p")
    for name, multiple, turns in (
        ("goldilocks", 2, 4),
        ("bls12-381-p", 8, 64),
        ("bls12-381-p", 1 << 40, 2),
    ):
        with pytest.raises(DoesNotApply, match="no columns of"):
            columns_of_multiples(find_field(name), multiple, turns)
    assert columns_of_tower(find_field("secp256k1-p")) is None
    with pytest.raises(ProofError, match="a column does not take 1000 products"):
        ColumnContract(f.p, f.n, 1000, 52, 52, 8).check()
    with pytest.raises(ProofError, match="multiples have no sums of one limb"):
        ColumnContract(find_field("goldilocks").p, 1, 4, 52, 64, 8).check()
