"""The crate's kernels of a batch of divsteps: proved as they stand in its files."""

from __future__ import annotations

import re

import pytest

from fieldc.artifacts.divsteps import check_divsteps
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.aarch64_kernels import SYSTEMS, arm_divsteps_job
from fieldc.packages.rust.crate import FOLDER
from fieldc.packages.rust.kernels import divsteps_job
from fieldc.proof.claims.divsteps import BATCH
from fieldc.targets.registry import TARGETS

F = find_field("bls12-381-p")
OF_X86_64 = (ROOT / FOLDER / "divsteps.rs").read_text()
OF_AARCH64 = (ROOT / FOLDER / "aarch64_divsteps.rs").read_text()


def failure(job: Job) -> str:
    return prove_job(job).failure


def test_the_kernels_are_proved() -> None:
    assert not failure(divsteps_job(OF_X86_64, F))
    assert not [system for system in SYSTEMS if failure(arm_divsteps_job(OF_AARCH64, F, system))]


@pytest.mark.skipif(not TARGETS["x86_64-linux"].is_native, reason="runs x86-64 code")
def test_the_kernel_runs() -> None:
    job = divsteps_job(OF_X86_64, F)
    check_divsteps(job.code, job.symbol)


@pytest.mark.parametrize(
    ("old", "new"),
    [("cmove r", "cmovne r"), ("sar rdi, 1\n", "shr rdi, 1\n"), ("z[3]", "z[1]")],
    ids=["a condition", "a shift without a sign", "where a word of the result is"],
)
def test_a_changed_text_is_refused(old: str, new: str) -> None:
    assert old in OF_X86_64
    changed = new.join(OF_X86_64.rsplit(old, 1))
    assert re.match("function|frame", failure(divsteps_job(changed, F)))


@pytest.mark.parametrize("text", [OF_X86_64, OF_AARCH64])
def test_a_function_says_what_its_kernel_does(text: str) -> None:
    said = " ".join(line[4:] for line in text.splitlines() if line.startswith("/// "))
    assert said == f"{BATCH.says}."
