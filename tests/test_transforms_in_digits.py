"""Kernels of transforms in digits: run, proved, and refused where they are not what is claimed."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from sampling import sampled
from vector_emulator import TARGETS, check_kernel

from fieldc.algorithms.lanes import DIGIT_BITS, in_lanes
from fieldc.algorithms.transforms import (
    ENTERED,
    LOOSE,
    MOST_LEVELS,
    ROLES,
    NoDigits,
    has_loose,
    lazy_of,
    loose_of,
    transform_kernels,
)
from fieldc.artifacts.arrays import BuiltArray, made_transforms
from fieldc.artifacts.digit_arrays import all_or_none
from fieldc.artifacts.transforms import job_of_row, roles_of, with_every_step
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.modulus import is_prime
from fieldc.packages.c.transforms import tile_words
from fieldc.proof.claims.contracts import MOST_LOOSE
from fieldc.proof.claims.transforms import GROWTH, MOST_OF_WORD, TRANSFORM_FAMILIES
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.target import VectorTarget

FIELDS = ["bls12-381-r", "bn254-r", "bls12-381-p"]
ROOT = Path(__file__).resolve().parents[1]
IFMA = ARRAY_TARGETS["avx512ifma"]


def built(target: VectorTarget, name: str) -> dict[str, BuiltArray]:
    found = made_transforms(target, find_field(name))
    assert list(found) == roles_of(target)
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.sweep(5)
def test_kernels_are_proved_and_run(name: str, target: VectorTarget) -> None:
    for each in built(target, name).values():
        assert not prove_job(each.job()).failure
        assert check_kernel(each.kernel, seed=3)


@pytest.mark.parametrize("target", TARGETS)
def test_a_manifest_row_is_proved_again(target: VectorTarget) -> None:
    f = find_field("bn254-r")
    for each in built(target, "bn254-r").values():
        job = job_of_row(each.kernel.object, each.row(), f)
        assert job == each.job()
        assert "butterfly" not in each.said() and each.role in each.said()


@pytest.mark.parametrize("target", TARGETS)
def test_other_claims_are_refused(target: VectorTarget) -> None:
    """Other layouts, bounds and primes, and a root for each element where all share one."""
    jobs = {role: each.job() for role, each in built(target, "bn254-r").items()}
    other = find_field("bn254-p").p
    for job in jobs.values():
        assert (
            job in [jobs.get(role) for role in ("enter", "move_up")]
            or prove_job(replace(job, p=other)).failure
        )
        for wrong in other_layouts(job):
            assert prove_job(wrong).failure, wrong
    by_rows = jobs["step_by"]
    assert by_rows.mixed
    for shared in ((), ("x",), ("y",), ("v",), ("x", "w"), ("y", "w")):
        wrong = replace(by_rows, mixed=replace(by_rows.mixed, shared=shared))
        assert prove_job(wrong).failure, shared
    assert prove_job(replace(jobs["enter"], code=jobs["root"].code)).failure


def other_layouts(job: Job) -> list[Job]:
    """The same kernel with another claim of what is in digits, and how large it is."""
    if job.mixed is None:
        return []
    names = {
        "butterfly_rows": ("x", "y", "w"),
        "butterfly_loose": ("x", "y", "w"),
        "butterfly_one": ("x", "y"),
        "mul_into": ("x", "w"),
        "mul_rows": ("x", "w"),
    }.get(job.mixed.family, ("x",))
    sets = [tuple(n for i, n in enumerate(names) if k >> i & 1) for k in range(1 << len(names))]
    wrong = [replace(job.mixed, in_digits=s) for s in sets if s != job.mixed.in_digits]
    wrong += [replace(job.mixed, gives_digits=not job.mixed.gives_digits)]
    wrong += [replace(job.mixed, in_digits=("v",))]
    if dict(job.mixed.parameters).get("lazy"):
        wrong += [replace(job.mixed, parameters=(("lazy", MOST_LOOSE + 1),))]
        wrong += [replace(job.mixed, parameters=())]
    if job.mixed.family in TRANSFORM_FAMILIES:
        wrong += [replace(job.mixed, parameters=(*job.mixed.parameters, ("factor", 3)))]
        right = {job.mixed.family}
        if job.mixed.family == "butterfly_rows":
            right.add("butterfly_loose")  # digits are loose digits too
        wrong += [replace(job.mixed, family=f) for f in TRANSFORM_FAMILIES if f not in right]
    return [replace(job, mixed=each) for each in wrong]


@pytest.mark.parametrize("bits", sampled([65, 127, 157, 192, 209, 260], [100, 319, 383, 600, 767]))
def test_drawn_primes(bits: int) -> None:
    """Their kernels compute and are proved, or it is said why there are none."""
    f, target = Field(drawn(bits)), IFMA
    try:
        transform_kernels(f)
    except NoDigits as error:
        assert bits % 52 == 0, error
        assert not made_transforms(target, f)
        return
    for each in made_transforms(target, f).values():
        assert not prove_job(each.job()).failure
        assert check_kernel(each.kernel, seed=4)


def drawn(bits: int) -> int:
    """A prime of so many bits, 1 more than a multiple of 2^20."""
    draw = random.Random(bits)
    while True:
        p = 1 << bits - 1 | draw.getrandbits(bits - 21) << 20 | 1
        if is_prime(p):
            return p


def test_primes_of_one_limb_have_none() -> None:
    with pytest.raises(NoDigits, match="above 2\\^64"):
        lazy_of(find_field("goldilocks"))


def test_values_grow_with_the_digits() -> None:
    """A product with rows is below (D + 1)*p, and values are below twice as much and p.

    Where carries wait, seven levels add (D + 2)*p each to values below 2p.
    """
    bounds = {n: (lazy_of(find_field(n)), loose_of(find_field(n))) for n in FIELDS}
    assert bounds == {"bls12-381-r": (12, 50), "bn254-r": (12, 50), "bls12-381-p": (18, 71)}


@pytest.mark.parametrize("target", TARGETS)
def test_no_carry_waits_without_room(target: VectorTarget) -> None:
    """Digits of 256 bits hold 16p: one step serves for both, and results are below 13p."""
    f = Field(drawn(256))
    made = made_transforms(target, f)
    assert not has_loose(f) and LOOSE not in made
    assert with_every_step(made)[LOOSE] is made["step_by"]
    assert "z two values < 13p" in made["step_by"].said()
    assert not prove_job(made["step_by"].job()).failure
    assert check_kernel(made["step_by"].kernel, seed=5)


@pytest.mark.parametrize("name", FIELDS)
def test_steps_of_which_less_is_known_are_refused(name: str) -> None:
    """Values that are larger than the step takes, and results that are smaller than it gives."""
    made = built(IFMA, name)
    for job in (made[role].job() for role in ("step_one", "step_by")):
        assert job.mixed
        lazy = dict(job.mixed.parameters)["lazy"]
        for wrong in (lazy // 2, 2 * lazy):
            parameters = (("lazy", wrong),)
            other = replace(job, mixed=replace(job.mixed, parameters=parameters))
            assert prove_job(other).failure, (job.symbol, wrong)


def test_tiles_keep_to_what_is_proved() -> None:
    """No more levels, and no larger values on entry, than the bounds of steps are made for."""
    rust = (ROOT / "crates/fieldc/src/tiles.rs").read_text()
    assert f"const LEVELS: u32 = {MOST_LEVELS};" in rust
    assert f"const ENTERED: usize = {ENTERED};" in rust
    c = (ROOT / "fieldc/packages/c/templates/tiles.c").read_text()
    assert f"_TILE_ENTERED {ENTERED} " in c
    for f in map(find_field, FIELDS):
        assert int(tile_words(f, "f", True)["tile_levels"]) <= MOST_LEVELS
        steps = MOST_LEVELS - 1
        assert ENTERED + steps * (in_lanes(f).n + 2) == loose_of(f) + 1
        assert (1 << DIGIT_BITS) + steps * GROWTH <= MOST_OF_WORD


def test_none_where_one_is_missing() -> None:
    made = list(built(IFMA, "bn254-r").values())
    assert all_or_none(made, ROLES) == made
    assert not all_or_none(made[1:], ROLES)
