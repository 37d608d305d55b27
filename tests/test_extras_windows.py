"""Unwind data for Windows: it says where the frame is, and Windows finds it from each place."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import lief
import pytest
from forged import run
from sampling import sampled
from test_extras import stack_by_place

from fieldc.algorithms import choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import host_triple
from fieldc.targets.extras import Extras
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.operands import STACK, Immediate, Register
from fieldc.targets.x86_64.print import INTEL
from fieldc.targets.x86_64.windows_unwind import GNU, NoUnwindData, with_frame

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the host is not x86-64")
WINDOWS = TARGETS["x86_64-windows"]
UNWINDING = replace(WINDOWS, extras=Extras(unwind=True))
REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi")
REGISTERS += tuple(f"r{i}" for i in range(8, 16))
PUSH, LARGE, SMALL = 0, 1, 2


@dataclass(frozen=True)
class Unwind:
    """What a prolog has done after so many bytes, and how many it has."""

    size: int
    steps: tuple[tuple[int, str, int], ...]
    """Place after the instruction; the register that was pushed, or none; bytes of the stack."""


def unwind_in(data: bytes) -> Unwind:
    """The one description in an object: UNWIND_INFO, version 1, without a handler."""
    coff = lief.COFF.parse(list(data))
    assert coff is not None
    sections = {str(s.name).rstrip("\0"): bytes(s.content) for s in coff.sections}
    assert len(sections[".pdata"]) == 12
    info = sections[".xdata"]
    first, size, count, frame = struct.unpack("4B", info[:4])
    assert (first, frame) == (1, 0)
    steps, at = [], 4
    while at < 4 + 2 * count:
        place, code = info[at], info[at + 1]
        kind, number = code & 15, code >> 4
        at += 2
        if kind == PUSH:
            steps.append((place, REGISTERS[number], 8))
        elif kind == SMALL:
            steps.append((place, "", 8 * number + 8))
        else:
            assert (kind, number) == (LARGE, 0)
            steps.append((place, "", 8 * int.from_bytes(info[at : at + 2], "little")))
            at += 2
    return Unwind(size, tuple(reversed(steps)))


def kernels(prime: str, *operations: str) -> list[Artifact]:
    f = find_field(prime)
    return [a for name in operations for a in UNWINDING.produce(choose(f, name))]


def code_of(artifact: Artifact) -> bytes:
    assert artifact.code is not None
    return function_of(artifact.code, artifact.symbol).code


def test_the_description_is_that_of_the_prolog() -> None:
    for artifact in kernels("bls12-381-p", "mul", "square", "neg", "fp2_mul"):
        found = unwind_in(artifact.code or b"")
        places = stack_by_place(code_of(artifact))
        deepest = max(depth for _, (depth, _), _ in places)
        depth, saved = 8, dict[str, int]()
        for place, register, size in found.steps:
            depth += size
            if register:
                saved[register] = depth
            assert (place, (depth, saved)) in [(at, said) for at, said, _ in places]
        assert depth == deepest and found.size == max([0, *(at for at, *_ in found.steps)])


def test_the_code_is_the_same() -> None:
    expression = choose(find_field("bls12-381-p"), "mul")
    for plain, more in zip(WINDOWS.produce(expression), UNWINDING.produce(expression), strict=True):
        assert code_of(plain) == code_of(more)


def test_a_build_is_proved_and_its_texts_say_it(checker: Path, tmp_path: Path) -> None:
    words = ["build", "bn254-p", "--op", "mul,neg", "--target", "x86_64-windows", "--unwind"]
    assert main([*words, "-o", str(tmp_path / "built")]) == 0
    for row in json.loads((tmp_path / "built" / "manifest.json").read_text())["kernels"]:
        masm, gnu = row["texts"]
        assert (row["status"], row["texts"][gnu]) == ("PROVED", "TESTED")
        text = (tmp_path / "built" / masm).read_text()
        lines = [line.split(";")[0].split() for line in text.splitlines()]
        assert [row["symbol"], "PROC", "FRAME"] in lines and [".endprolog"] in lines
        assert text.count(".pushreg") == text.count(" push ")
        assert (tmp_path / "built" / gnu).read_text().count(".seh_pushreg") == text.count(" push ")
    assert run(checker, [tmp_path / "built"])[0] == 0


def test_each_function_of_a_formula_has_its_own(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "examples" / "add_2007_bl.py"
    words = ["--formula", str(source), "--target", "x86_64-windows", "--unwind"]
    assert main(["build", "2^127-1", *words, "-o", str(tmp_path / "built")]) == 0
    row, *_ = json.loads((tmp_path / "built" / "manifest.json").read_text())["kernels"]
    coff = lief.COFF.parse(list((tmp_path / "built" / row["object"]).read_bytes()))
    assert coff is not None
    sizes = {str(s.name).rstrip("\0"): len(bytes(s.content)) for s in coff.sections}
    assert row["called"] and sizes[".pdata"] == 12 * (1 + len(row["called"]))


def test_a_frame_that_windows_cannot_describe_is_refused() -> None:
    stack, rbx = Register(STACK), Register("rbx")
    push, pop = Physical("push", (rbx,)), Physical("pop", (rbx,))
    take, give = (Physical(name, (stack, Immediate(8))) for name in ("sub", "add"))
    work, ret = Physical("mov", (Register("rax"), rbx)), Physical("ret", ())
    for code in (
        [*[work] * 17, push, work, pop, ret],  # a late push
        [None, push, work, pop, ret],  # one after a call
        [push, work, pop, work, ret],  # an early pop
        [push, take, work, give, work, pop, ret],
        [push, take, work, pop, give, ret],
    ):
        with pytest.raises(NoUnwindData, match="outside its prolog and epilog"):
            with_frame([("", i) for i in code], "f", GNU, INTEL.operand)
    right = (push, work, take, None, give, pop, ret)
    lines = with_frame([("", i) for i in right], "f", GNU, INTEL.operand)
    assert [line.strip() for line in lines if line] == [
        *(".seh_proc f", ".seh_pushreg rbx", ".seh_stackalloc 8", ".seh_endprologue"),
        ".seh_endproc",
    ]


PROGRAM = """
#include <stdio.h>
#include <windows.h>
extern unsigned char KERNEL[];
struct row { int at, depth, saved[16]; };
static const struct row rows[] = { ROWS };
int main(void) {
    static DWORD64 stack[1024];
    int wrong = 0;
    for (int i = 0; i < 1024; i++) stack[i] = 0x1000000 + i;
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
        CONTEXT c = {0};
        DWORD64 image, frame, *before = &c.Rax;
        PVOID data;
        for (int i = 0; i < 16; i++) before[i] = 77 + i;
        c.ContextFlags = CONTEXT_FULL;
        c.Rip = (DWORD64)(KERNEL + rows[r].at);
        c.Rsp = (DWORD64)(stack + 64);
        RUNTIME_FUNCTION *f = RtlLookupFunctionEntry(c.Rip, &image, NULL);
        if (!f) { puts("no entry"); return 1; }
        RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, c.Rip, f, &c, &data, &frame, NULL);
        int depth = 64 + rows[r].depth / 8;
        int bad = c.Rip != stack[depth - 1] || c.Rsp != (DWORD64)(stack + depth);
        for (int i = 0; i < 16; i++) {
            int saved = rows[r].saved[i];
            DWORD64 said = saved ? stack[depth - saved / 8] : (DWORD64)(77 + i);
            bad |= i != 4 && before[i] != said;
        }
        if (bad) printf("wrong at %#x\\n", rows[r].at);
        wrong += bad;
    }
    printf("%d wrong of %d\\n", wrong, (int)(sizeof rows / sizeof *rows));
    return wrong != 0;
}
"""


@pytest.mark.parametrize("operation", sampled(["neg"], ["mul"]))
def test_windows_unwinds_from_each_instruction(operation: str, tmp_path: Path) -> None:
    """RtlVirtualUnwind, of the kernel's own bytes and table, on a stack of known words."""
    compiler = "x86_64-w64-mingw32-gcc"
    for tool in (compiler, "wine"):
        if shutil.which(tool) is None:
            pytest.skip(f"SKIPPED: there is no {tool}")
    for artifact in kernels("bls12-381-p", operation):
        places = stack_by_place(code_of(artifact))
        rows = ", ".join(
            f"{{{at}, {depth}, {{{', '.join(str(saved.get(r, 0)) for r in REGISTERS)}}}}}"
            for at, (depth, saved), _ in places
        )
        source = tmp_path / f"{artifact.variant}.c"
        source.write_text(PROGRAM.replace("KERNEL", artifact.symbol).replace("ROWS", rows))
        kernel, program = source.with_suffix(".o"), source.with_suffix(".exe")
        kernel.write_bytes(artifact.code or b"")
        subprocess.run([compiler, "-O1", "-o", program, source, kernel], check=True)
        said = subprocess.run(["wine", program], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stdout
        assert f"0 wrong of {len(places)}" in said.stdout
