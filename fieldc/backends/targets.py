"""The targets of the LLVM backend: what LLVM calls them, and the form that it compiles best."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum

from fieldc.backends.llvm import Carry, Choice, LlvmForm
from fieldc.words.rows import RowChoice, RowStyle


class UnknownTarget(LookupError):
    """No target has that name; the message is one line that names the nearest."""


class ObjectFormat(Enum):
    """What an object file is; each value is how its bytes begin."""

    ELF = b"\x7fELF"
    COFF = b"\x64\x86"
    """The machine number of x86-64: the format has no other mark."""
    MACH_O = b"\xcf\xfa\xed\xfe"
    WASM = b"\0asm"


@dataclass(frozen=True)
class Processor:
    """What code may use (`cpu` and `features` as LLVM writes them) and what LLVM makes it best of.

    `word` is the width of limbs that kernels for it should have; `form` and `rows` are how to
    print and lower them.
    """

    cpu: str
    features: str
    word: int
    form: LlvmForm
    rows: RowChoice


@dataclass(frozen=True)
class Target:
    """A processor with a system: LLVM's triple and the format of its object files."""

    name: str
    triple: str
    object_format: ObjectFormat
    processor: Processor


_ADDCARRY = LlvmForm(Carry.ADDCARRY, Choice.SELECT, tune="sapphirerapids")
X86_64 = Processor("x86-64", "", 64, _ADDCARRY, RowChoice(RowStyle.TWO_CHAINS))
X86_64_BMI2 = Processor("x86-64", "+bmi2", 64, _ADDCARRY, RowChoice(RowStyle.ONE_CHAIN))
AARCH64 = Processor(
    "generic",
    "",
    64,
    LlvmForm(Carry.OVERFLOW, Choice.SELECT, tune="neoverse-n1"),
    RowChoice(RowStyle.TWO_CHAINS),
)
RISCV64 = Processor(
    "generic-rv64",
    "+m,+a,+f,+d,+c",
    64,
    LlvmForm(Carry.OVERFLOW, Choice.MASK, tune="sifive-p450"),
    RowChoice(RowStyle.CARRY_WORD),
)
MIPS64 = Processor(
    "mips64r2", "", 64, LlvmForm(Carry.OVERFLOW, Choice.MASK), RowChoice(RowStyle.CARRY_WORD)
)
_DOUBLE = LlvmForm(Carry.DOUBLE, Choice.MASK)
ARMV7 = Processor("generic", "", 32, _DOUBLE, RowChoice(RowStyle.CARRY_WORD))
WASM32 = Processor("generic", "", 32, _DOUBLE, RowChoice(RowStyle.CARRY_WORD))

TARGETS: dict[str, Target] = {
    name: Target(name, triple, object_format, processor)
    for name, triple, object_format, processor in (
        ("x86_64-linux", "x86_64-unknown-linux-gnu", ObjectFormat.ELF, X86_64),
        ("x86_64-linux-bmi2", "x86_64-unknown-linux-gnu", ObjectFormat.ELF, X86_64_BMI2),
        ("x86_64-windows", "x86_64-pc-windows-msvc", ObjectFormat.COFF, X86_64),
        ("x86_64-windows-bmi2", "x86_64-pc-windows-msvc", ObjectFormat.COFF, X86_64_BMI2),
        ("x86_64-macos", "x86_64-apple-macosx10.15.0", ObjectFormat.MACH_O, X86_64),
        ("x86_64-macos-bmi2", "x86_64-apple-macosx10.15.0", ObjectFormat.MACH_O, X86_64_BMI2),
        ("aarch64-linux", "aarch64-unknown-linux-gnu", ObjectFormat.ELF, AARCH64),
        ("aarch64-macos", "arm64-apple-macosx11.0.0", ObjectFormat.MACH_O, AARCH64),
        ("riscv64-linux", "riscv64-unknown-linux-gnu", ObjectFormat.ELF, RISCV64),
        ("mips64-linux", "mips64-unknown-linux-gnuabi64", ObjectFormat.ELF, MIPS64),
        ("mips64el-linux", "mips64el-unknown-linux-gnuabi64", ObjectFormat.ELF, MIPS64),
        ("armv7-linux", "armv7-unknown-linux-gnueabihf", ObjectFormat.ELF, ARMV7),
        ("wasm32", "wasm32-unknown-unknown", ObjectFormat.WASM, WASM32),
    )
}


def find_target(name: str) -> Target:
    """The target of a name. Raises UnknownTarget."""
    if name in TARGETS:
        return TARGETS[name]
    nearest = get_close_matches(name, TARGETS, n=1, cutoff=0)[0]
    raise UnknownTarget(f"no target {name!a}; the nearest is {nearest}")
