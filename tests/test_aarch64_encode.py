"""AArch64 text to bytes: against LLVM's bytes, against capstone's reading, and in objects."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import capstone
import lief
import pytest

from fieldc.binary.linkable import functions
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.instructions import INSTRUCTIONS, TextError
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.systems import SYSTEMS, ArmSystem
from fieldc.targets.aarch64.targets import kernel_of
from fieldc.targets.registry import TARGETS

LINES = """
add x1, x2, x3 | adds x1, x2, x3, lsl #1 | add x1, x2, #0x10 | sub sp, sp, #0x60 | subs x1, x2, x3
sub x1, x2, x3, lsr #3 | adds x1, x2, #1 | cmn x2, x3 | cmp x2, x3 | cmp x2, #1 | adc x1, x2, x3
adcs x1, x2, xzr | sbc x1, x2, x3 | sbcs x30, x2, x3 | neg x1, x2 | negs x1, x2 | ngc x1, x2
ngcs x1, x2 | mul x1, x2, x3 | mneg x1, x2, x3 | umulh x1, x2, x3 | madd x1, x2, x3, x4
msub x1, x2, x3, x4 | csel x1, x2, x3, lo | csinc x1, x2, x3, ne | csinv x1, x2, x3, eq
csneg x1, x2, x3, hs | cset x1, hs | cset w1, eq | csetm x1, lo | cinc x1, x2, hs | cneg x1, x2, lo
and x1, x2, x3 | orr w1, w2, w3 | eor x1, x2, x3 | bic x1, x2, x3 | ands x1, x2, x3 | tst w1, w2
tst x1, #1
eor w1, w2, #0x1 | mvn x1, x2 | mov x1, x2 | mov x1, #0x2710 | mov x1, #-2 | mov w1, #0x10000
movk x1, #0x1234 | movk x1, #0x1234, lsl #48 | lsl x1, x2, #7 | lsr x1, x2, #63 | asr x1, x2, #63
sbfx x1, x2, #3, #1 | ubfx x1, x2, #3, #5 | extr x1, x2, x3, #63 | ldr x1, [x2] | ldr x1, [sp, #8]
ldr x1, [sp], #0x10 | str x1, [sp, #-0x10]! | str x1, [x2, #0x7ff8] | ldp x1, x2, [x3, #-0x200]
ldp x1, x2, [sp], #0x60 | stp x29, x30, [sp, #-0x60]! | stp x1, x2, [x0, #0x1f8] | mrs x1, nzcv
msr nzcv, x1 | nop | hint #0x40 | ret | umull x1, w2, w3 | umaddl x1, w2, w3, x4
"""
ONE_EACH = [line.strip() for line in LINES.replace("\n", "|").split("|") if line.strip()]
REFUSED = (
    "frob x1",
    "add x1, x2",
    "add x1, sp, x3",
    "add x31, x1, x2",
    "cmp x1, #0x1000",
    "ldr x1, [x2, #4]",
    "ldp x1, x2, [x3, #0x200]",
    "umulh w1, w2, w3",
    "umull w1, w2, w3",
    "umull x1, x2, w3",
    "umaddl x1, w2, w3, w4",
    "mov x1, #0x12345",
    "csel x1, x2, x3, al",
    "sbfx x1, x2, #60, #5",
    "lsl x1, x2, #64",
    "adr x1, 2f",
    "bl 2f",
    "tst x1, #0",
    "eor x1, x2, #0",
)


def read(code: bytes, place: int = 0) -> list[str]:
    """What capstone makes of code at a place."""
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    return [f"{i.mnemonic} {i.op_str}".strip() for i in engine.disasm(code, place)]


def plain(line: str) -> str:
    """A line with its numbers in decimal, and every move of a number by one name."""
    numbers = re.sub(r"-?0x[0-9a-f]+", lambda m: str(int(m[0], 16)), line)
    return re.sub(r"^mov[zn]? ", "mov ", numbers)


def test_every_mnemonic_is_tried() -> None:
    assert {line.split()[0] for line in ONE_EACH} >= INSTRUCTIONS.keys() - {"adr", "bl", "movz"}


@pytest.mark.parametrize("line", ONE_EACH)
def test_capstone_reads_what_was_written(line: str) -> None:
    (found,) = read(assembled(line))
    assert plain(found) == plain(line)


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_encoded_is_refused(line: str) -> None:
    with pytest.raises(TextError):
        assembled(line)


def test_a_label_is_found_from_before_and_after() -> None:
    code = assembled("adr x3, 2f\nret\n.p2align 4\n2:\n.quad 0x10, -1 // two words\nadr x1, 2b")
    assert len(code) == 36 and code[16:32] == (16).to_bytes(8, "little") + b"\xff" * 8
    assert read(code[:4]) == ["adr x3, #0x10"]
    assert read(code[32:], 32) == ["adr x1, #0x10"]


def test_a_call_reaches_a_label_before_and_after() -> None:
    code = assembled("f:\nbl g\nbl f\ng:\nret")
    assert read(code) == ["bl #8", "bl #0", "ret"]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_objects_have_the_bytes_at_their_symbols(system: ArmSystem) -> None:
    codes = {"one": assembled("adr x3, 2f\nret\n2:\n.quad 7"), "other": assembled("ret")}
    found = functions(object_of(codes, system.triple))
    for symbol, code in codes.items():
        function = found[system.prefix + symbol]
        assert function.start % 64 == 0 and function.architecture == "aarch64"
        assert function.code[function.start :][: len(code)] == code


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_an_assembler_makes_the_same_bytes(system: ArmSystem, tmp_path: Path) -> None:
    tool = shutil.which("clang")
    if tool is None:
        pytest.skip("SKIPPED: clang is not installed")
    target = TARGETS[f"aarch64-{system.name}"]
    for operation in ("add", "mul"):
        decision = preferred(find_field("bls12-381-p"), operation, target)
        artifact = target.make(target, decision.preferred)
        source, made = tmp_path / f"{operation}.s", tmp_path / f"{operation}.o"
        source.write_text(artifact.text)
        subprocess.run([tool, f"--target={system.triple}", "-c", source, "-o", made], check=True)
        (function,) = functions(made.read_bytes()).values()
        code = kernel_of(decision.preferred).code
        assert function.symbol == system.prefix + artifact.symbol
        assert function.code[function.start :][: len(code)] == code


@pytest.mark.parametrize("pads", [False, True], ids=("plain", "landing pads"))
@pytest.mark.parametrize("frames", [None, {"f": (bytes(24), bytes(12))}], ids=("bare", "unwind"))
def test_disassemblers_take_code_for_code(
    pads: bool, frames: dict[str, tuple[bytes, bytes]] | None
) -> None:
    """By mapping symbols: `$x` for instructions, `$d` for data, as the processor's ELF says."""
    (linux,) = (system for system in SYSTEMS if system.name == "linux")
    codes = {"f": assembled("ret"), "g": assembled("neg x0, x0\nret")}
    binary = lief.ELF.parse(list(object_of(codes, linux.triple, pads, frames)))
    marks = {s.section.name: s.name for s in binary.symbols if str(s.name).startswith("$")}
    assert marks.pop(".text") == "$x"
    assert (".eh_frame" in marks) == bool(frames) and set(marks.values()) <= {"$d"}
