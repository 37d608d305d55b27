"""The crate on processors of other years: an emulator runs its tests and refuses what they lack."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from cargo_words import ROOT, cargo_words
from sampling import sampled_rows

from fieldc.machine.processor import is_x86_64

BINARIES = ("processor", "kernels", "arithmetic")
# Model, its kernels, and what it lacks. EPYC has ADX, on cores that were not measured; Milan is
# Zen 3, where two carry chains are faster. Two models are without AVX2, or without FMA.
MODELS = [
    ("Nehalem", "Portable", {"mulx", "adcx", "vectors"}),
    ("Haswell", "Avx2", {"adcx"}),
    ("Haswell,-avx2", "Mulx", {"adcx", "vectors"}),
    ("Broadwell", "AdxAvx2", set[str]()),
    ("Broadwell,-fma", "Adx", {"vectors"}),
    ("EPYC", "Avx2", set[str]()),
    ("EPYC-Milan", "AdxAvx2", set[str]()),
]
LACKING = {
    "mulx": {"Mulx", "Avx2"},
    "adcx": {"Adx", "AdxAvx2"},
    "vectors": {"Avx2", "AdxAvx2"},
}
"""The kernels that need what a model lacks."""
EVERY_TIME = ("Nehalem", "Broadwell")
"""Models of the quick run: portable code, and two carry chains with vectors."""
SAMPLED = sampled_rows(
    (row for row in MODELS if row[0] in EVERY_TIME),
    (row for row in MODELS if row[0] not in EVERY_TIME),
)


@pytest.fixture(scope="module")
def emulator() -> str:
    tool = shutil.which("qemu-x86_64")
    if tool is None:
        pytest.skip("qemu-x86_64 is not installed: the crate runs on this processor only")
    return tool


@pytest.fixture(scope="module")
def binaries(emulator: str) -> dict[str, str]:
    """The test programs of the crate, by name."""
    cargo = shutil.which("cargo")
    if cargo is None or not is_x86_64() or os.name != "posix":
        pytest.skip("the crate's tests need cargo on x86-64 and a POSIX system")
    command = [cargo, "test", "--no-run", "--quiet", "--message-format=json"]
    command += cargo_words()
    for name in BINARIES:
        command += ["--test", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    programs = [message for message in messages if message.get("executable")]
    return {program["target"]["name"]: program["executable"] for program in programs}


def run(
    emulator: str, model: str, program: str, *arguments: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    """A run whose folder gets the memory of a program that dies."""
    command = [emulator, "-cpu", model, program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("model", "kernels", "lacks"), SAMPLED)
def test_the_processor_gets_its_kernels(
    emulator: str,
    binaries: dict[str, str],
    tmp_path: Path,
    model: str,
    kernels: str,
    lacks: set[str],
) -> None:
    done = run(emulator, model, binaries["processor"], "--nocapture", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"kernels: (\w+)", done.stdout) == [kernels]
    for instruction in ("mulx", "adcx"):
        arguments = ("--ignored", f"{instruction}_runs")
        done = run(emulator, model, binaries["processor"], *arguments, folder=tmp_path)
        if instruction in lacks:
            # The emulator refuses it, so a kernel with it would have died too.
            assert done.returncode == -signal.SIGILL, done.stdout + done.stderr
        else:
            assert done.returncode == 0 and "1 passed" in done.stdout


@pytest.mark.parametrize(("model", "kernels", "lacks"), SAMPLED)
def test_its_arithmetic_is_right(
    emulator: str,
    binaries: dict[str, str],
    tmp_path: Path,
    model: str,
    kernels: str,
    lacks: set[str],
) -> None:
    skipped = set[str]().union(*(LACKING[instruction] for instruction in lacks))
    skipped |= {"Avx512f", "Avx512Ifma", "AdxAvx512Ifma"}  # the emulator has no vectors of 512 bits
    for name in ("kernels", "arithmetic"):
        done = run(emulator, model, binaries[name], "--nocapture", folder=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " 0 failed" in done.stdout
    assert set(re.findall(r"skipped: (\w+) kernels", done.stdout)) == skipped
