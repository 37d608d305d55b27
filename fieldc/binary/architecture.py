"""The architectures whose instructions can be decoded."""

from __future__ import annotations

from enum import Enum


class Architecture(Enum):
    """What instructions are written for; the values are the names that images have."""

    X86_64 = "x86_64"
    AARCH64 = "aarch64"
    RISCV64 = "riscv64"
    MIPS64 = "mips64"
    MIPS64EL = "mips64el"
    MIPSEL = "mipsel"
    ARM = "armv7"
