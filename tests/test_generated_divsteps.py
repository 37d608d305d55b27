"""The crate's kernels of a batch of divsteps: proved as they stand in its files."""

from __future__ import annotations

import re

import pytest

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.artifacts.divsteps import check_divsteps
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.aarch64_kernels import SYSTEMS, arm_divsteps_job
from fieldc.packages.rust.crate import FOLDER
from fieldc.packages.rust.kernels import divsteps_job
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.claims.divsteps import BATCH
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.divsteps import ordered_name

F = find_field("bls12-381-p")
OF_X86_64 = (ROOT / FOLDER / "divsteps.rs").read_text()
OF_AARCH64 = (ROOT / FOLDER / "aarch64_divsteps.rs").read_text()


def failure(job: Job) -> str:
    return prove_job(job).failure


def test_the_kernels_are_proved() -> None:
    assert not [order for order in StepOrder if failure(divsteps_job(OF_X86_64, F, order))]
    assert not [system for system in SYSTEMS if failure(arm_divsteps_job(OF_AARCH64, F, system))]


@pytest.mark.skipif(not TARGETS["x86_64-linux"].is_native, reason="runs x86-64 code")
@pytest.mark.parametrize("order", StepOrder)
def test_the_kernel_runs(order: StepOrder) -> None:
    job = divsteps_job(OF_X86_64, F, order)
    check_divsteps(job.code, job.symbol)


def test_the_orders_differ() -> None:
    kernels = kernels_in(OF_X86_64)
    assert len({kernels[ordered_name(order)].lines for order in StepOrder}) == len(StepOrder)


@pytest.mark.parametrize(
    ("old", "new"),
    [("cmove r", "cmovne r"), ("sar rdi, 1\n", "shr rdi, 1\n"), ("z[3]", "z[1]")],
    ids=["a condition", "a shift without a sign", "where a word of the result is"],
)
@pytest.mark.parametrize("order", StepOrder)
def test_a_changed_text_is_refused(old: str, new: str, order: StepOrder) -> None:
    head, name, text = OF_X86_64.partition(f"fn {ordered_name(order)}(")
    text, end, others = text.partition("\n}\n")
    assert old in text
    changed = "".join((head, name, new.join(text.rsplit(old, 1)), end, others))
    assert re.match("function|frame", failure(divsteps_job(changed, F, order)))


@pytest.mark.parametrize("text", [OF_X86_64, OF_AARCH64])
def test_a_function_says_what_its_kernel_does(text: str) -> None:
    said = " ".join(line[4:] for line in text.splitlines() if line.startswith("/// "))
    assert said.replace("\\", "") == " ".join([f"{BATCH.says}."] * text.count("fn "))
