"""Every target: its kernels run here, in an emulator where need be, or the test says why not."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from target_code import FIELDS, SMALL, check_every_input, kernel, kernels, objects, program

from fieldc.artifacts.produce import build_targets
from fieldc.errors import Refusal
from fieldc.machine.check import check
from fieldc.machine.emulated import EMULATORS, EmulatorError, Program
from fieldc.machine.frames import FrameError

OF_RESIDUES = ("add", "sub", "neg", "double", "mul", "square", "from_montgomery")
"""Operations whose operands are single residues."""
OTHER_FIELDS = ("p521", "p384", "curve25519", "goldilocks", "2^127-1", "csidh-512", "bw6-761-p")


@pytest.mark.parametrize("target", [name for name in EMULATORS if name in build_targets()])
def test_every_kernel_computes(target: str) -> None:
    """Edge values and random ones in every aliasing, every pair of a small field, registers."""
    made = [a for text in FIELDS for a in kernels(target, text)]
    calls = 0
    with program(target, objects(made)) as running:
        for artifact in made:
            calls += check(kernel(running, artifact), artifact.trace, seed=len(target))
            operation, p = artifact.trace.kernel.operation, artifact.trace.field.p
            if p == int(SMALL) and operation in OF_RESIDUES:
                calls += check_every_input(kernel(running, artifact), artifact)
    assert calls > 20_000 + 3 * int(SMALL) ** 2


@pytest.mark.full
@pytest.mark.parametrize("text", OTHER_FIELDS)
@pytest.mark.parametrize("target", [name for name in EMULATORS if name in build_targets()])
def test_kernels_of_more_fields_compute(target: str, text: str) -> None:
    words = build_targets()[target].words
    made = [a for word in words for a in kernels(target, text, word)]
    with program(target, {}):
        pass  # skips before the work
    for word in words:
        some = [a for a in made if a.trace.field.word == word]
        with program(target, objects(some)) as running:
            for artifact in some:
                for seed in range(8):
                    check(kernel(running, artifact), artifact.trace, seed)


LOSES = {
    "aarch64.S": "mov x19, #1\n ret",
    "riscv64.S": "li s11, 1\n ret",
    "mips.S": "li $30, 1\n jr $31\n nop",
    "arm.S": "mov r11, #1\n bx lr",
    "win64.S": "pcmpeqd %xmm6, %xmm6\n ret",
}
"""By runner: assembly that loses a register."""


def assembled(target: str, text: str, folder: Path) -> bytes:
    """Assembly by the compiler of a target's programs."""
    (folder / "f.s").write_text(f" .globl f\nf:\n {text}\n")
    compiler = [f for f in EMULATORS[target].compiler if f not in ("-static", "-fuse-ld=lld")]
    command = [*compiler, "-c", "f.s", "-o", "f.o"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "f.o").read_bytes()


@pytest.mark.parametrize(
    "target", ["aarch64-linux", "riscv64-linux", "mips64-linux", "armv7-linux", "x86_64-windows"]
)
def test_a_lost_register_and_a_crash_are_found(target: str, tmp_path: Path) -> None:
    program(target, {}).close()
    lost = assembled(target, LOSES[EMULATORS[target].assembly], tmp_path)
    with program(target, {"f": lost}) as running, pytest.raises(FrameError, match="f did not rest"):
        running.kernel("f", (4, 4), 4)(1, 2)
    crash = assembled(target, ".4byte 0xffffffff", tmp_path)
    with program(target, {"f": crash}) as running, pytest.raises(EmulatorError, match="ended with"):
        running.kernel("f", (4, 4), 4)(1, 2)


def test_a_wrong_kernel_is_found() -> None:
    """The kernel of another operation, and one whose last word is another's."""
    made = [a for a in kernels("mips64-linux", SMALL) if a.trace.kernel.operation in ("add", "sub")]
    add, sub = made
    with program("mips64-linux", objects(made)) as running:
        with pytest.raises(Refusal, match="got"):
            check(kernel(running, add), sub.trace)
        with pytest.raises(AssertionError):
            check_every_input(kernel(running, add), replace(add, trace=sub.trace))


def test_what_cannot_be_linked_is_named_in_one_line() -> None:
    program("aarch64-linux", {}).close()
    with pytest.raises(EmulatorError, match=r"clang: .*nosuch") as error:
        Program(
            EMULATORS["aarch64-linux"], {"nosuch": kernels("aarch64-linux", SMALL)[0].code or b""}
        )
    assert "\n" not in str(error.value)
