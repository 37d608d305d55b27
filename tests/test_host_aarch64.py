"""What this process would run on an AArch64 host: its kernels, proved, and run by an emulator."""

from __future__ import annotations

import platform

import pytest

from fieldc.algorithms import choose
from fieldc.artifacts import host
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.machine.check import check
from fieldc.machine.emulated import RunningProgram
from fieldc.python.arithmetic import arithmetic_of
from fieldc.python.native_arithmetic import NativeArithmetic
from fieldc.targets.llvm.emulators import EMULATORS
from fieldc.targets.registry import TARGETS

SYSTEMS = {"Linux": "aarch64-linux", "Darwin": "aarch64-macos", "Windows": "aarch64-windows"}


@pytest.fixture(params=[("Linux", "aarch64"), ("Darwin", "arm64"), ("Windows", "ARM64")])
def target_name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The target of a host that says that it is AArch64."""
    system, machine = request.param
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    return SYSTEMS[system]


def test_only_targets_of_the_host_run_in_this_process(target_name: str) -> None:
    native = {name for name, target in TARGETS.items() if target.is_native}
    assert native == {target_name}
    assert TARGETS[target_name].place().is_here


def test_elements_take_kernels_there(target_name: str) -> None:
    assert isinstance(arithmetic_of(find_field("bn254-p"), native=None), NativeArithmetic)


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "neg"])
def test_the_kernels_of_that_host_are_proved(target_name: str, operation: str) -> None:
    f = find_field("bn254-p")
    (backend,) = host.host_backends(64)
    assert backend.name == "aarch64" and not backend.missing
    made = backend.compile(host.decide_here(f, operation).expression)
    convention = TARGETS[target_name].proved_as
    assert prove_job(Job(made, host.SYMBOL, operation, f.p, f.n, convention)).failure == ""


def test_they_compute_under_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = EMULATORS["aarch64-linux"]
    if reason := runner.why_not():
        pytest.skip(f"SKIPPED: {reason}")
    expression = choose(find_field("bls12-381-p"), "mul", None)
    with monkeypatch.context() as patched:
        patched.setattr(platform, "machine", lambda: "aarch64")
        (backend,) = host.host_backends(64)
        made = backend.compile(expression)
    with RunningProgram(runner.emulator, {host.SYMBOL: made}) as program:
        check(program.kernel(host.SYMBOL, (6, 6), 6), expression)
