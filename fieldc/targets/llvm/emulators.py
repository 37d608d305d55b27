"""How programs of LLVM's targets are linked and run on a host of another kind."""

from __future__ import annotations

from pathlib import Path

from fieldc.machine.emulated import Emulator
from fieldc.targets.running import EmulatedProgram

RUNNER = Path(__file__).with_name("runner")
_FREE = (
    *("-std=c99", "-O1", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-nostdlib"),
    *("-static", "-fuse-ld=lld"),
)
_MIPS = ("-mno-abicalls", "-fno-pic", "-G0")
_RISCV = ("-march=rv64imafdc", "-mabi=lp64d")


def _linux(
    command: str, triple: str, sources: str, *flags: str, order: str = "little"
) -> EmulatedProgram:
    compiler = ("clang", f"--target={triple}", *_FREE, *flags)
    files = tuple(RUNNER / name for name in sources.split())
    return EmulatedProgram(Emulator(command, compiler, files, order))


EMULATORS = {
    "aarch64-linux": _linux("qemu-aarch64", "aarch64-linux-gnu", "aarch64.S"),
    "riscv64-linux": _linux("qemu-riscv64", "riscv64-linux-gnu", "riscv64.S", *_RISCV),
    # Before its version 8.1 qemu has no Zicond: the program then does the two instructions itself.
    "riscv64-linux-zicond": _linux(
        "qemu-riscv64", "riscv64-linux-gnu", "riscv64.S zicond.c", *_RISCV
    ),
    "mips64-linux": _linux("qemu-mips64", "mips64-linux-gnuabi64", "mips.S", *_MIPS, order="big"),
    "mips64el-linux": _linux("qemu-mips64el", "mips64el-linux-gnuabi64", "mips.S", *_MIPS),
    "mipsel-linux": _linux("qemu-mipsel", "mipsel-linux-gnu", "mips.S", *_MIPS),
    "armv7-linux": _linux("qemu-arm", "armv7-linux-gnueabihf", "arm.S", "-marm"),
}
"""By the names of targets."""
