"""Every target: its kernels run here, in an emulator where need be, or the test says why not."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from target_code import (
    FIELDS,
    OTHER_FIELDS,
    SMALL,
    check_every_input,
    kernel,
    kernels,
    objects,
    program,
)

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.errors import Refusal
from fieldc.machine.assemble import compile_ir
from fieldc.machine.check import check
from fieldc.machine.emulated import EmulatorError, RunningProgram, why_no_wine
from fieldc.machine.frames import FrameError
from fieldc.proof.constant_time.scan import scan
from fieldc.targets.header import sharing
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.registry import TARGETS
from fieldc.targets.running import EmulatedProgram
from fieldc.targets.target import Artifact

WASM = ObjectFormat.WASM
EMULATORS = {n: t.runner for n, t in TARGETS.items() if isinstance(t.runner, EmulatedProgram)}

OF_RESIDUES = ("add", "sub", "neg", "double", "mul", "square", "from_montgomery")
"""Operations whose operands are single residues."""


NATIVE = [name for name, t in TARGETS.items() if t.object_format not in (None, WASM)]


@pytest.fixture(scope="module", params=NATIVE)
def target(request: pytest.FixtureRequest) -> str:
    """Each target in turn, so that its kernels are made once."""
    return str(request.param)


ALL = ("armv7-linux", "riscv64-linux")
"""Targets with every field here; the others have the same code but for the system, the order of
bytes or a few instructions, and every field in the full sweep."""


def all_kernels(target: str) -> list[Artifact]:
    """Every operation, of every field or of a few."""
    return [a for text in (FIELDS if target in ALL else FIELDS[2:]) for a in kernels(target, text)]


@pytest.mark.sweep(8)
def test_every_kernel_is_constant_time(target: str) -> None:
    found = [finding for code in objects(all_kernels(target)).values() for finding in scan(code)]
    assert [*map(str, found)] == []


@pytest.mark.sweep(9)
def test_every_kernel_computes(target: str) -> None:
    """Edge values and random ones in every aliasing, every pair of a small field, registers."""
    made, calls = all_kernels(target), 0
    with program(target, objects(made)) as running:
        for artifact in made:
            calls += check(kernel(running, artifact), artifact.expression, seed=len(target))
            operation, p = artifact.expression.kernel.operation, artifact.expression.field.p
            if p == int(SMALL) and operation in OF_RESIDUES:
                calls += check_every_input(kernel(running, artifact), artifact)
    assert calls > 10_000 + 3 * int(SMALL) ** 2


def sum_of_seven(word: int) -> str:
    """A function of seven operands, which stores the sum of their lowest words, as LLVM IR."""
    names = [f"%x{i}" for i in range(7)]
    lines = [f"define void @seven(ptr %z, {', '.join(f'ptr {name}' for name in names)}) {{"]
    lines += [f"  %v{i} = load i{word}, ptr {name}" for i, name in enumerate(names)]
    lines += [f"  %s{i} = add i{word} %{'s' if i > 1 else 'v'}{i - 1}, %v{i}" for i in range(1, 7)]
    return "\n".join([*lines, f"  store i{word} %s6, ptr %z", "  ret void", "}"]) + "\n"


@pytest.mark.parametrize("name", EMULATORS)
def test_seven_operands_in_every_aliasing(name: str) -> None:
    target = LLVM_TARGETS.get(name, LLVM_TARGETS["x86_64-windows-llvm"])
    word, processor = TARGETS[name].words[0], target.processor
    made = compile_ir(sum_of_seven(word), target.triple, processor.cpu, processor.features)
    with program(name, {"seven": made.object}) as running:
        seven = running.kernel("seven", (1,) * 7, 1, word)
        for aliasing in seven.aliasings():
            given = aliasing.merged(tuple(10**i for i in range(7)))
            assert seven.aliased(aliasing, *given) == sum(given)
    with pytest.raises(EmulatorError, match="at most 7 operands"):
        running.kernel("seven", (1,) * 8, 1, word)


@pytest.mark.full
@pytest.mark.parametrize("text", OTHER_FIELDS)
@pytest.mark.parametrize("name", EMULATORS)
def test_kernels_of_more_fields_compute(name: str, text: str) -> None:
    program(name, {}).close()
    for word in TARGETS[name].words:
        made = kernels(name, text, word)
        with program(name, objects(made)) as running:
            for artifact, seed in product(made, range(8)):
                check(kernel(running, artifact), artifact.expression, seed)


@pytest.mark.full
@pytest.mark.parametrize("text", (*FIELDS, *OTHER_FIELDS))
@pytest.mark.parametrize("name", NATIVE)
def test_kernels_of_more_fields_are_constant_time(name: str, text: str) -> None:
    made = [a for word in TARGETS[name].words for a in kernels(name, text, word)]
    assert [str(f) for code in objects(made).values() for f in scan(code)] == []


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
    compiler = [
        f for f in EMULATORS[target].emulator.compiler if f not in ("-static", "-fuse-ld=lld")
    ]
    command = [*compiler, "-c", "f.s", "-o", "f.o"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "f.o").read_bytes()


@pytest.mark.parametrize(
    "target",
    [
        *("aarch64-linux", "riscv64-linux", "riscv64-linux-zicond", "mips64-linux", "mipsel-linux"),
        *("armv7-linux", "x86_64-windows"),
    ],
)
def test_a_lost_register_and_a_crash_are_found(target: str, tmp_path: Path) -> None:
    program(target, {}).close()
    lost = assembled(target, LOSES[EMULATORS[target].emulator.sources[0].name], tmp_path)
    with program(target, {"f": lost}) as running, pytest.raises(FrameError, match="f did not rest"):
        running.kernel("f", (4, 4), 4)(1, 2)
    crash = assembled(target, ".4byte 0xffffffff", tmp_path)
    with program(target, {"f": crash}) as running, pytest.raises(EmulatorError, match="ended with"):
        running.kernel("f", (4, 4), 4)(1, 2)


def test_a_wrong_kernel_is_found() -> None:
    """The kernel of another operation, and one whose last word is another's."""
    made = [
        a for a in kernels("mips64-linux", SMALL) if a.expression.kernel.operation in ("add", "sub")
    ]
    add, sub = made
    with program("mips64-linux", objects(made)) as running:
        with pytest.raises(Refusal, match="got"):
            check(kernel(running, add), sub.expression)
        with pytest.raises(AssertionError):
            check_every_input(kernel(running, add), replace(add, choice=sub.choice))


def test_what_cannot_be_linked_is_named_in_one_line() -> None:
    program("aarch64-linux", {}).close()
    with pytest.raises(EmulatorError, match=r"clang: .*nosuch") as error:
        RunningProgram(
            EMULATORS["aarch64-linux"].emulator,
            {"nosuch": kernels("aarch64-linux", SMALL)[0].code or b""},
        )
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("operation", "buffers"),
    [
        ("neg", "z and x"),
        ("sub", "any of z, x and y"),
        ("mul_add", "any of z, x, y and a"),
    ],
)
def test_a_header_names_the_operands_that_may_share_a_buffer(operation: str, buffers: str) -> None:
    kernel = choose(find_field(SMALL), operation).kernel
    assert sharing(kernel).startswith(f"{buffers} may be the same buffer")


def test_wine_needs_a_folder_of_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WINEPREFIX", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not why_no_wine()
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    assert "WINEPREFIX" in why_no_wine()
    monkeypatch.setenv("WINEPREFIX", str(tmp_path / "prefix"))
    assert not why_no_wine()
    monkeypatch.setattr("os.getuid", lambda: tmp_path.stat().st_uid + 1)
    assert "WINEPREFIX" in why_no_wine()


@pytest.mark.parametrize("target", ["x86_64-windows", "armv7-linux"])
def test_a_program_runs_where_the_temporary_folder_is_gone(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes another one, clang and wine fail."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    monkeypatch.setattr("tempfile.tempdir", None)
    one = kernels(target, "17")[0]
    with program(target, objects([one])) as running:
        assert check_every_input(kernel(running, one), one) == 17 * 17


def test_kernels_of_one_system_link_together() -> None:
    """One that needs more of the processor has a symbol of its own."""
    found = [
        (t.architecture, t.system, variant.name)
        for t in TARGETS.values()
        if t.object_format is not None
        for variant in t.variants
    ]
    assert len({*found}) == len(found)
