"""Kernels of arrays in digits: run, proved, and refused where they are not what is claimed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sampling import sampled
from vector_emulator import TARGETS, EmulatedCall, check_kernel

from fieldc.algorithms.columns import columns_of
from fieldc.algorithms.lanes import in_lanes
from fieldc.artifacts.arrays import (
    BuiltArray,
    made_digits,
    made_moves,
    made_sums,
    proved_arrays,
)
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_ROLES,
    MOVE_ROLES,
    all_or_none,
)
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.machine.columns import ColumnSums, LoadedColumnKernel, check_columns
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.target import VectorTarget

IFMA = ARRAY_TARGETS["avx512ifma"]
PRIMES = sampled(("bls12-381-r", "secp256k1-p"), ("bls12-381-p", "p521", "2^127-1", "2^768-825"))


def built(target: VectorTarget, name: str) -> dict[str, BuiltArray]:
    found = {each.role: each for each in made_digits(target, find_field(name))}
    assert tuple(found) == DIGIT_ROLES
    return found


@pytest.mark.sweep(1)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PRIMES)
def test_kernels_are_proved_and_run(name: str, target: VectorTarget) -> None:
    for role, each in built(target, name).items():
        assert not prove_job(each.job()).failure, role
        if role != ACCUMULATE_DIGITS:
            assert check_kernel(each.kernel, seed=5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sampled(("bls12-381-r",), ("bls12-381-p", "p521", "2^127-1")))
def test_moves_are_proved_and_run(name: str, target: VectorTarget) -> None:
    """The same number in digits, and back from below 2p; other claims are refused."""
    made = {each.role: each for each in made_moves(target, find_field(name))}
    assert tuple(made) == MOVE_ROLES
    for role, each in made.items():
        assert not prove_job(each.job()).failure, role
        assert check_kernel(each.kernel, seed=5)
        for wrong in other_claims(each.job()):
            assert prove_job(wrong).failure, (role, wrong)


def test_no_moves_where_2p_exceeds_the_limbs() -> None:
    """Nor where an element is a digit."""
    for name in ("secp256k1-p", "goldilocks"):
        assert not made_moves(IFMA, find_field(name))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PRIMES)
def test_sums_of_elements_in_digits(name: str, target: VectorTarget) -> None:
    """`collect` reduces these columns too."""
    f = find_field(name)
    add, (_, collect) = built(target, name)[ACCUMULATE_DIGITS], made_sums(target, f)
    assert add.kernel.columns == collect.kernel.columns == columns_of(f)
    t, block = 64 * columns_of(f).count, 64 * in_lanes(f).n

    def call(made: ArrayKernel, count: int, *sizes: int) -> LoadedColumnKernel | EmulatedCall:
        if target.runs_here:
            return LoadedColumnKernel(made.object, made.symbol, len(sizes))
        given = [t if each == t else each * -(-count // 8) for each in sizes]
        return EmulatedCall(made.object, made.symbol, given, 8 * f.n)

    for count in (0, 1, 11, 17, 64) if target.runs_here else (11,):
        calls = call(add.kernel, count, t, block, block), call(collect.kernel, 8, 0, t)
        check_columns(ColumnSums(in_lanes(f), columns_of(f), f, *calls), (count,))


@pytest.mark.parametrize("target", TARGETS)
def test_other_claims_are_refused(target: VectorTarget) -> None:
    """Other primes, other bounds, other layouts, and another operation's code."""
    jobs = {role: each.job() for role, each in built(target, "bn254-p").items()}
    other = find_field("bn254-r").p
    for role, job in jobs.items():
        if (
            role != ACCUMULATE_DIGITS
        ):  # nothing is reduced: it is right for every prime of its bounds
            assert prove_job(replace(job, p=other)).failure, role
        for wrong in other_claims(job):
            assert prove_job(wrong).failure, (role, wrong)
    swapped = replace(jobs["add_digits"], code=jobs["sub_digits"].code)
    assert prove_job(replace(swapped, symbol=jobs["sub_digits"].symbol)).failure


def other_claims(job: Job) -> list[Job]:
    """The same kernel with another claim of what is in digits, or how large it is."""
    if job.turns:
        return [
            replace(job, array_word=64),
            replace(job, turns=1 << 12),
            replace(job, operation="collect"),
            replace(job, column_bits=32),
            replace(job, limbs=1),
        ]
    if job.mixed is None:
        return [replace(job, array_word=64), replace(job, operation="mul_add")]
    lazy = tuple(pair for pair in job.mixed.parameters if pair[0] != "lazy")
    mixed = [
        replace(job.mixed, in_digits=() if job.mixed.in_digits else ("x",)),
        replace(job.mixed, gives_digits=not job.mixed.gives_digits),
        replace(job.mixed, parameters=(*lazy, ("lazy", 2))),
        replace(job.mixed, parameters=(("factor", 3),)),
    ]
    return [replace(job, mixed=each) for each in mixed]


def test_primes_of_one_limb_have_none() -> None:
    """Their elements are in lanes as they lie."""
    assert not made_digits(IFMA, find_field("goldilocks"))


def test_what_a_block_takes() -> None:
    """Operations on the vector ports for eight elements; the same in the layout `array` beside."""
    made = {role: each.kernel.ports for role, each in built(IFMA, "bls12-381-p").items()}
    assert made == {
        "to_digits": 349,
        "from_digits": 348,
        "add_digits": 61,
        "sub_digits": 61,
        "mul_digits": 292,  # 400
        "square_digits": 250,  # 332
        "mul_add_digits": 332,  # 479
        "accumulate_digits": 127,  # 179
    }


def test_none_where_one_is_missing() -> None:
    made = made_digits(IFMA, find_field("bn254-p"))
    assert all_or_none(made, DIGIT_ROLES) == made
    assert not all_or_none(made[1:], DIGIT_ROLES)


def test_columns_take_elements_below_2p_where_digits_exceed_limbs() -> None:
    """A modulus of any length: a product of such elements stays below p^2*2^excess."""
    assert min(-64 * limbs % 52 for limbs in range(2, 13)) == 4


def test_a_set_is_proved_and_run_together() -> None:
    f = find_field("bn254-p")
    every = [*made_digits(IFMA, f), *made_sums(IFMA, f)]
    found, failures = proved_arrays(every, lambda *_: None)
    assert not failures
    assert [each.role for each in found] == [each.role for each in every]
    assert all(each.ran == IFMA.runs_here for each in found)
    (row,) = [each.row() for each in found if each.role == ACCUMULATE_DIGITS]
    assert row["in_digits"] == ["x", "y"] and "x < 2p" in str(row["contract"])
