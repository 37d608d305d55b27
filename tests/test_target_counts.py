"""The instruction counts of docs/targets.md: current, and AArch64 beside hand-written code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from target_code import FIELDS, kernels

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.lab.instruction_sets import SETS, InstructionSet, Least, least
from fieldc.lab.target_counts import FIELDS as FOUR_AND_SIX
from fieldc.lab.target_counts import PAGE, page, row, straight
from fieldc.lab.trace import Request, count_of_call
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice, RowStyle

HAND_WRITTEN = {"mul": 370, "square": 313}
"""What a call of blst 0.3.17's mul_mont_384 and sqr_mont_384 for ARMv8 executes."""
NAMES = {"mul": "mul_mont_384", "square": "sqr_mont_384"}


@pytest.mark.parametrize("name", ["x86_64-linux-llvm-bmi2", "aarch64-linux", "riscv64-linux"])
def test_some_rows_are_current(name: str) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for text in FOUR_AND_SIX:
        cells = row(LLVM_TARGETS[name], text, "mul").cells()
        assert f"| {' | '.join(map(str, cells))} |" in lines, "make it again: make generate"


def test_no_code_is_below_its_lower_bound() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if re.match(r"\| \w+-", line)]
    ratios = [float(line.split("|")[6]) for line in rows if line.count("|") == 10]
    assert len(ratios) > 20 and min(ratios) >= 1


@pytest.mark.full
def test_the_page_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "make it again: make generate"


@pytest.mark.parametrize("operation", HAND_WRITTEN)
def test_aarch64_needs_about_what_hand_written_code_does(operation: str) -> None:
    found = row(LLVM_TARGETS["aarch64-linux"], "bls12-381-p", operation)
    assert found.instructions <= 1.15 * HAND_WRITTEN[operation]


@pytest.mark.parametrize("operation", HAND_WRITTEN)
def test_the_hand_written_code_executes_what_the_page_says(operation: str, tmp_path: Path) -> None:
    sources = sorted(Path.home().glob(".cargo/registry/src/*/blst-0.3.17/blst/build/elf"))
    if not sources or shutil.which("clang") is None:
        pytest.skip("SKIPPED: needs blst 0.3.17, which `make race` brings, and clang")
    made = tmp_path / "blst.o"
    command = ["clang", "--target=aarch64-linux-gnu", "-c", "-o", str(made)]
    subprocess.run([*command, str(sources[0] / "mul_mont_384-armv8.S")], check=True)
    f = find_field("bls12-381-p")
    arguments = ("z", "x", "y", "p", "n0") if operation == "mul" else ("z", "x", "p", "n0")
    request = Request(arguments, field=f)
    found = count_of_call(made.read_bytes(), NAMES[operation], request)
    assert found.instructions == HAND_WRITTEN[operation]


def test_flags_stay_flags_on_aarch64() -> None:
    """Nothing copies flags or combines them."""
    for text in FIELDS[:-1]:
        for artifact in kernels("aarch64-linux", text):
            names = {step.text.split()[0] for step in straight(artifact.code or b"")}
            assert not {"mrs", "msr", "tst", "ccmp", "ccmn"} & names, artifact.symbol


def test_the_least_follows_the_steps() -> None:
    f = find_field("bls12-381-p")
    n, rows = f.n, RowChoice(RowStyle.ONE_CHAIN)
    program = lower(choose(f, "mul", "cios"), rows)
    whole = least(program, InstructionSet(0, 1))
    assert whole.multiplications == 2 * n * n + n
    assert whole.additions == 4 * n * n + n - 1 + n  # and the subtraction of p
    assert (whole.choices, whole.memory) == (n, 4 * n + 1)
    halves = least(program, SETS["aarch64"])
    assert halves.multiplications == 4 * n * n  # a comparison stands for one half in each row
    add = lower(choose(f, "add"), rows)
    assert least(add, SETS["x86_64"]) == Least(0, 2 * n, n, 0)
    # Without flags: n sums of two and n - 1 of three, the last one without a carry; then less p.
    assert least(add, SETS["riscv64"]).additions == (2 + 5 * (n - 2) + 2) + (2 + 5 * (n - 1))
