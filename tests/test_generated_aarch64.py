"""The crate's AArch64 kernels: proved as they stand in its files, and run by an emulator."""

from __future__ import annotations

import re

import pytest
from primes import OF_EVERY_CLASS

from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field, named_primes
from fieldc.field import Field
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.aarch64 import OWN, kernels_for
from fieldc.packages.rust.aarch64_kernels import SYSTEMS, arm_crate_jobs
from fieldc.packages.rust.aarch64_sums import ARM_FITTING, arm_function, arm_sum_text, arm_sums
from fieldc.packages.rust.classes import (
    CLASSES,
    LAZY_CLASSES,
    LIMBS,
    class_of,
    lazy_class_of,
    representative,
)
from fieldc.packages.rust.crate import FOLDER
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.plain import own_operations, own_primes
from fieldc.packages.rust.written import kernels_in
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.llvm.processors import LLVM_TARGETS

GENERATED = ROOT / FOLDER
SUMS = {piece.name for piece in arm_sums(4)}
NOP = 0xD503201F.to_bytes(4, "little")
TRIPLES = ("aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "aarch64-pc-windows-msvc")


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", sorted(named_primes()))
def test_every_kernel_of_a_named_prime_is_proved(name: str) -> None:
    f = find_field(name)
    for system in SYSTEMS if name in OF_EVERY_CLASS else SYSTEMS[:1]:
        jobs = arm_crate_jobs(GENERATED, f, system)
        wanted = {"mul", "square", "sum_of_products"}
        wanted |= {"mul_lazy", "square_lazy"} if lazy_class_of(f) else set()
        wanted |= {"add", "sub"} if f.n in INLINED else set()
        wanted |= set(own_operations(f)) if f in own_primes() else set()
        assert {job.operation for job in jobs} == wanted
        assert not [v.failure for v in map(prove_job, jobs) if v.failure], system


@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=[pytest.mark.full] * (n > 4)) for n in LIMBS]
)
def test_kernels_are_proved_at_the_limits_of_their_classes(limbs: int) -> None:
    for of in OWN:
        if limbs in of.limbs:
            jobs = arm_crate_jobs(GENERATED, representative(of, limbs))
            assert jobs and not [v.failure for v in map(prove_job, jobs) if v.failure], of.name


@pytest.mark.parametrize("limbs", [n for n in LIMBS if n not in INLINED])
@pytest.mark.sweep(5)
def test_every_class_has_its_kernels(limbs: int) -> None:
    text = (GENERATED / f"aarch64_n{limbs:02}.rs").read_text()
    there = kernels_in(text).keys()
    assert len(there) == text.count("\nunsafe fn") == text.count("called!(")
    for family, macro in ((CLASSES, "assembly"), (LAZY_CLASSES, "lazy_assembly")):
        for number, of in enumerate(family):
            if limbs not in of.limbs:
                continue
            found = re.search(rf"^{macro}! {{ {limbs}, {number}:\n(.*?)}}", text, re.M | re.S)
            assert found
            named = set(re.findall(r": (\w+);", found[1]))
            taken = kernels_for(of, limbs).items()
            sums = {n for n in named if n in SUMS}
            assert named - sums == {f"{op}_{c.suffix}" for op, c in taken} <= there
            if limbs in ARM_FITTING:
                add = "add_spare" if of.has_spare_bit else "add_full"
                assert sums == {add, "sub"} | ({"reduce"} if family is LAZY_CLASSES else set())
    assert "x18" not in text


@pytest.mark.parametrize("name", sorted(named_primes()))
def test_sums_in_line_are_proved_with_one_choice_of_registers(name: str) -> None:
    f, is_lazy = find_field(name), lazy_class_of(find_field(name)) is not None
    for piece in arm_sums(f.n) if f.n in ARM_FITTING else ():
        operation = piece.name[:3]
        if piece.name == "reduce":
            assert not is_lazy or not failure_of(arm_function(piece, f), "reduce_lazy", f)
            continue
        if piece.name != "add_spare" or class_of(f).has_spare_bit:
            assert not failure_of(arm_function(piece, f), operation, f)
        if piece.name != "add_full" and is_lazy:
            twice = arm_function(piece, f, multiple=2)
            assert not failure_of(twice, f"{operation}_lazy", f)


@pytest.mark.parametrize("place", range(31))
def test_a_sum_without_one_of_its_instructions_is_not_proved(place: int) -> None:
    f = find_field("bls12-381-p")
    (piece,) = (piece for piece in arm_sums(f.n) if piece.name == "add_spare")
    lines = arm_function(piece, f).splitlines()
    del lines[place]
    assert failure_of("\n".join(lines) + "\n", "add", f)


def failure_of(text: str, operation: str, f: Field) -> str:
    """Why a piece of inline assembly is not proved as a function; empty where it is."""
    made = object_of({"piece": assembled(text)}, LLVM_TARGETS[SYSTEMS[0]].triple)
    return prove_job(Job(made, "piece", operation, f.p, f.n)).failure


@pytest.mark.parametrize("limbs", ARM_FITTING)
def test_the_crate_has_the_sums_that_are_proved(limbs: int) -> None:
    text = (GENERATED / f"aarch64_n{limbs:02}.rs").read_text()
    assert text.endswith("".join(arm_sum_text(piece, limbs) for piece in arm_sums(limbs)))
