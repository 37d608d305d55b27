"""Inner products in columns: the kernels compute, they are proved, and changed ones are not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from array_fields import check_takes
from sampling import sampled
from vector_emulator import EmulatedCall

from fieldc.algorithms.columns import Columns, accumulate, collect, columns_of
from fieldc.algorithms.lanes import in_lanes
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.columns import ArrayCall, ColumnSums, LoadedColumnKernel, check_columns
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.columns import COLUMN_PROOFS, ColumnContract
from fieldc.proof.lanes.prove import ArrayProof
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.target import VectorTarget

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
every_target = pytest.mark.parametrize("target", ARRAY_TARGETS.values(), ids=ARRAY_TARGETS)
ONE_LIMB = sampled(
    ("goldilocks", "2^32-5", "0x3a0015f8a2cc1", "0x1aada618312321"),
    ("2^61-1", "2^64-59", "2^63-25", "2^49-139", "2^53-111"),
)
"""The third one multiplies what is above R by a constant; the fourth one has digits of one bit."""
PRIMES = sampled(("bls12-381-r", "secp256k1-p"), ("bls12-381-p", "p521", "2^127-1", "curve25519"))


def kernels(f: Field, target: VectorTarget) -> tuple[ArrayKernel, ArrayKernel]:
    """Both kernels of a field."""
    columns = columns_of(f)
    return (
        compile_array(target, accumulate(f), "accumulate", in_lanes(f), columns),
        compile_array(target, collect(f), "collect", f, columns),
    )


def call(f: Field, made: ArrayKernel, sizes: tuple[int, ...]) -> ArrayCall:
    """A kernel that this processor runs, or else the emulator."""
    if made.target.runs_here:
        return LoadedColumnKernel(made.object, made.symbol, len(sizes))
    return EmulatedCall(made.object, made.symbol, sizes, 8 * f.n)


def prove(text: str, operation: str, f: Field, columns: Columns) -> ArrayProof:
    """Prove what assembly becomes."""
    code = code_of(assemble(text), operation)
    contract = ColumnContract(f.p, f.n, columns.turns, columns.bits, f.word)
    return COLUMN_PROOFS[operation](code.data, contract, code.start)


def check_sums(f: Field, target: VectorTarget) -> None:
    """Run both kernels of a field on vectors, and prove them."""
    columns, (add, reduce) = columns_of(f), kernels(f, target)
    t = 64 * columns.count
    sums = ColumnSums(f, columns, f, call(f, add, (t, 0, 0)), call(f, reduce, (0, t)))
    check_columns(sums, () if target.runs_here else (1, 11))
    for made, operation in ((add, "accumulate"), (reduce, "collect")):
        proof = prove(made.text, operation, f, columns)
        assert proof.block > 0 and proof.tail > 0


@every_target
@pytest.mark.parametrize("name", PRIMES)
@pytest.mark.sweep(3)
def test_sums_in_columns(name: str, target: VectorTarget) -> None:
    check_sums(find_field(name), target)


@every_target
@pytest.mark.parametrize("text", ["3", "babybear", "2^768-825", "2^285-9"])
def test_columns_take_what_bounds_say(text: str, target: VectorTarget) -> None:
    f = takes_sums(target, text)
    columns = columns_of(f)
    assert columns.turns & columns.turns - 1 == 0 and columns.most < 1 << 61
    assert (columns.turns + 1) * f.p <= in_lanes(f).R
    add, reduce = kernels(f, target)
    t = 64 * columns.count
    sums = ColumnSums(f, columns, f, call(f, add, (t, 0, 0)), call(f, reduce, (0, t)))
    check_columns(sums, (1, 9, 70) if target.runs_here else (9,))


def takes_sums(target: VectorTarget, text: str) -> Field:
    """A field of which a target has inner products; a test of it is skipped otherwise."""
    f = check_takes(target, text)
    if not target.has_sums(f):
        pytest.skip(f"{target.name} has no inner products for {text}")
    return f


@every_target
@pytest.mark.parametrize("text", ONE_LIMB)
def test_columns_of_one_limb_stay_in_registers(text: str, target: VectorTarget) -> None:
    """Up to three, as many as the longest sum has digits. The longest sums are run."""
    f = takes_sums(target, text)
    columns, (add, _) = columns_of(f), kernels(f, target)
    assert columns.count == (2 if f.bits < 49 else 3)
    assert add.held == ("zmm31", "zmm30", "zmm29")[: columns.count]
    assert add.text.count("[rsi") == 2 * columns.count
    check_sums(f, target)


@every_target
def test_sums_of_one_limb_take_few_instructions(target: VectorTarget) -> None:
    f = takes_sums(target, "goldilocks")
    wanted = {"avx512ifma": (12, 36), "avx512f": (28, 71)}
    assert tuple(made.ports for made in kernels(f, target)) == wanted[target.name]


@every_target
@pytest.mark.parametrize("operation", ["accumulate", "collect"])
def test_changed_sums_of_one_limb_are_not_proved(operation: str, target: VectorTarget) -> None:
    f = takes_sums(target, "goldilocks")
    made = kernels(f, target)[operation == "collect"]
    held = [
        (old, made.text.replace(old, new, 1))
        for old, new in (
            ("zmm30, zmmword ptr [rsi + 64]", "zmm30, zmmword ptr [rsi]"),
            ("zmmword ptr [rsi + 128], zmm29", "zmmword ptr [rsi + 128], zmm28"),
            ("vpaddq zmm31, zmm31,", "vpaddq zmm31, zmm30,"),
            ("vpaddq zmm31, zmm31,", "vpaddq zmm28, zmm31,"),
        )
        if old in made.text
    ]
    assert len(held) == (4 if operation == "accumulate" else 0)
    for what, changed in (*held, *changes(made.text)):
        with pytest.raises((ProofError, ValueError)):
            prove(changed, operation, f, columns_of(f))
            pytest.fail(what)


@every_target
def test_each_half_costs_less_than_half_of_mul_add(target: VectorTarget) -> None:
    """What a block of eight terms takes, operations on the vector ports."""
    wanted = {
        ("bls12-381-r", "avx512ifma"): (75, 177),
        ("bls12-381-r", "avx512f"): (190, 280),
        ("bls12-381-p", "avx512ifma"): (179, 301),
        ("bls12-381-p", "avx512f"): (437, 538),
        ("bls12-381-r", "avx2"): (400, 594),
        ("bls12-381-p", "avx2"): (882, 1110),
    }
    for name in ("bls12-381-r", "bls12-381-p"):
        made = kernels(find_field(name), target)
        assert tuple(kernel.ports for kernel in made) == wanted[name, target.name]


@every_target
@pytest.mark.sweep(2)
def test_more_turns_than_columns_take_are_refused(target: VectorTarget) -> None:
    f = find_field("bls12-381-r")
    add, reduce = kernels(f, target)
    for made, operation in ((add, "accumulate"), (reduce, "collect")):
        for turns in (0, 1, 1 << 12):
            with pytest.raises(ProofError, match=f"a column does not take {turns} products"):
                prove(made.text, operation, f, Columns(10, turns))
    with pytest.raises(ProofError):
        prove(reduce.text, "collect", f, Columns(10, 8 * columns_of(f).turns))
    other = find_field("pallas")
    for made, operation in ((add, "accumulate"), (reduce, "collect")):
        if operation == "collect":
            with pytest.raises(ProofError):
                prove(made.text, operation, other, columns_of(f))
        else:  # no constant of it is that of a prime
            prove(made.text, operation, other, columns_of(f))


CHANGES = (
    ("sub rdi, 8", "sub rdi, 7"),
    ("add rdx, 256", "add rsi, 256"),
    ("add rdx, 256", "add rdx, 512"),
    ("add rdx, 256\n", ""),
    ("vpmadd52luq", "vpmadd52huq"),
    ("vpaddq", "vpsubq"),
    ("{k1}{z}", "{k1}"),
    (".byte 255, 15, 0, 0", ".byte 255, 31, 0, 0"),
    ("zmmword ptr [rsi + 64]", "zmmword ptr [rsi + 128]"),
    ("zmmword ptr [rdx + 64]", "zmmword ptr [rcx + 64]"),
    ("zmmword ptr [rsi]", "zmmword ptr [rdx]"),
    (", {rz-sae}", ""),
    ("vfmadd231pd", "vfmadd213pd"),
    ("vsubpd", "vaddpd"),
)


def changes(text: str) -> Iterator[tuple[str, str]]:
    """Texts that compute something else, or elsewhere."""
    for old, new in CHANGES:
        if old in text:
            yield f"{old} -> {new}", text.replace(old, new, 1)
            last = text.rindex(old)
            yield f"the last {old} -> {new}", text[:last] + new + text[last + len(old) :]
    lines = text.splitlines()
    vectors = [n for n, line in enumerate(lines) if re.match(r"    v(?!zeroupper)", line)]
    for number in random.Random(5).sample(vectors, 12):
        yield f"without {lines[number]}", "\n".join((*lines[:number], *lines[number + 1 :])) + "\n"


@every_target
@pytest.mark.sweep(2)
def test_changed_kernels_are_not_proved(target: VectorTarget) -> None:
    f = find_field("bls12-381-r")
    add, _ = kernels(f, target)
    found = list(changes(add.text))
    assert len(found) >= 24
    for what, changed in found:
        with pytest.raises((ProofError, ValueError)):
            prove(changed, "accumulate", f, columns_of(f))
            pytest.fail(what)


@every_target
def test_a_turn_that_adds_twice_is_refused(target: VectorTarget) -> None:
    """The proof of one turn must not hold of a loop whose sum moves on."""
    f = find_field("bls12-381-r")
    add, _ = kernels(f, target)
    moved = add.text.replace("    add rdx, 256", "    add rsi, 640\n    add rdx, 256")
    assert moved != add.text
    with pytest.raises(ProofError, match="the loop has"):
        prove(moved, "accumulate", f, columns_of(f))
