"""Unwind data of AArch64 kernels for Linux: it follows the stack, and an unwinder can use it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import capstone
import pytest
from forged import run

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.targets.aarch64.unwind import FrameStep, frame_steps
from fieldc.targets.extras import Extras
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact

LINUX = TARGETS["aarch64-linux"]
OPERATIONS = (
    *(("goldilocks", "add"), ("bn254-p", "mul"), ("bls12-381-p", "mul")),
    *(("bls12-381-p", "fp2_mul"), ("2^521-1", "mul_plain")),
)
Row = tuple[int, dict[int, int]]
"""How far the caller's frame is from the stack pointer, and saved registers from the frame."""


def tool(name: str) -> str:
    if found := shutil.which(name):
        return found
    pytest.skip(f"SKIPPED: there is no {name}")


def made(field: str, operation: str, **extras: bool) -> Artifact:
    target = replace(LINUX, extras=Extras(**extras))
    (artifact,) = target.produce(choose(find_field(field), operation))
    return artifact


def rows(path: Path) -> dict[int, Row]:
    """What an object's unwind data says, by place."""
    command = [tool("llvm-dwarfdump"), "--eh-frame", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for at, more, saved in re.findall(r"^  0x(\w+): CFA=WSP(\+\d+)?(?:: (.*))?$", text, re.M):
        places = re.findall(r"W(\d+)=\[CFA-(\d+)\]", saved)
        found[int(at, 16)] = int(more or 0), {int(r): int(below) for r, below in places}
    return found


def stack_by_place(code: bytes) -> list[tuple[int, Row]]:
    """Each instruction's place, and what holds before it, from the bytes alone."""
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    depth, saved, dirty = 0, dict[int, int](), set[int]()
    found = []
    for at, _, name, operands in engine.disasm_lite(code, 0):
        found.append((at, (depth, dict(saved))))
        place = re.search(r"\[sp(?:, #(-?0x\w+|-?\d+))?\](!?)(?:, #(\w+))?$", operands)
        registers = [int(r) for r in re.findall(r"x(\d+)", operands.partition("[")[0])]
        if moved := re.fullmatch(r"sp, sp, #(\w+)", operands):
            depth += int(moved[1], 0) * (1 if name == "sub" else -1)
        elif place:
            depth -= int(place[1] or "0", 0) if place[2] else 0
            first = depth - (0 if place[2] else int(place[1] or "0", 0))
            for i, register in enumerate(registers):
                if name in ("stp", "str") and register >= 19 and register not in dirty:
                    saved.setdefault(register, first - 8 * i)
                elif name in ("ldp", "ldr") and saved.get(register) == first - 8 * i:
                    del saved[register]
            depth -= int(place[3] or "0", 0)
        if not place or name not in ("stp", "str"):
            dirty.update(registers[:1])
        if name == "ret":
            return found
    raise AssertionError("the code does not return")


@pytest.mark.parametrize(("field", "operation"), OPERATIONS)
@pytest.mark.parametrize("pads", [False, True])
def test_unwind_data_follows_the_stack(
    field: str, operation: str, pads: bool, tmp_path: Path
) -> None:
    artifact = made(field, operation, unwind=True, landing_pads=pads)
    assert artifact.code is not None
    path = tmp_path / "kernel.o"
    path.write_bytes(artifact.code)
    found, said = rows(path), (0, dict[int, int]())
    for at, expected in stack_by_place(function_of(artifact.code, artifact.symbol).code):
        said = found.get(at, said)
        assert said == expected, hex(at)
    text = tmp_path / "kernel.s"
    text.write_text(artifact.text)
    command = [tool("clang"), "--target=aarch64-linux-gnu", "-c", "-o", "text.o", text.name]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert rows(tmp_path / "text.o") == found


def test_the_code_is_the_same_with_unwind_data() -> None:
    plain, more = (made("bls12-381-p", "mul", unwind=unwind) for unwind in (False, True))
    assert plain.code and more.code and plain.code != more.code
    assert function_of(plain.code, plain.symbol) == function_of(more.code, more.symbol)


def test_a_build_with_unwind_data_is_proved_and_checked(checker: Path, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    words = ["build", "bn254-p", "--op", "mul", "--target", "aarch64-linux", "--unwind"]
    assert main([*words, "-o", str(folder)]) == 0
    assert ".cfi_endproc" in (folder / "aarch64-linux" / "mul_aarch64.s").read_text()
    assert run(checker, [folder])[0] == 0


def test_spills_are_no_part_of_the_frame() -> None:
    """A slot of the body that holds a register of the caller's kind says nothing of the caller."""
    lines = ["str x19, [sp, #-32]!", "mov x19, x0", "str x19, [sp, #16]", "ldr x19, [sp, #16]"]
    lines += ["ldr x19, [sp], #32", "ret", ".quad 0x1 // p[0]"]
    assert frame_steps(lines) == {
        0: FrameStep(32, ((19, 32),)),
        4: FrameStep(0, restored=(19,)),
    }
