"""What an emulator needs to know of each architecture: its model, registers and conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import unicorn
from unicorn import arm64_const, x86_const


@dataclass(frozen=True)
class ArgumentPlaces:
    """How a call passes words: in these registers, then on the stack after `shadow` bytes."""

    arguments: tuple[str, ...]
    shadow: int = 0


@dataclass(frozen=True)
class Model:
    """One architecture in the emulator; `link` holds the return address, or the stack does."""

    architecture: int
    mode: int
    cpu: int
    stack: str
    link: str
    thread: str
    general: tuple[str, ...]
    numbers: Mapping[str, int]
    conventions: Mapping[str, ArgumentPlaces]
    """By name; the first one is the usual one."""
    of_container: Mapping[str, str] = field(default_factory=dict)
    """Names of others by the container of objects that follow them."""

    def convention(self, container: str) -> str:
        """The name of the convention of a container's objects."""
        return self.of_container.get(container, next(iter(self.conventions)))


def _numbers(constants: object, prefix: str, names: tuple[str, ...]) -> dict[str, int]:
    return {name: getattr(constants, prefix + name.upper()) for name in names}


_X86 = (
    *("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp"),
    *(f"r{i}" for i in range(8, 16)),
)
_ARM = tuple(f"x{i}" for i in range(31))

MODELS = {
    # A model that has ADX and BMI2; the default one has neither. Vectors of 256 bits it has not.
    "x86_64": Model(
        unicorn.UC_ARCH_X86,
        unicorn.UC_MODE_64,
        x86_const.UC_CPU_X86_SKYLAKE_SERVER,
        *("rsp", "", "fs_base", _X86),
        _numbers(x86_const, "UC_X86_REG_", (*_X86, "rsp", "rip", "fs_base")),
        {
            "sysv": ArgumentPlaces(("rdi", "rsi", "rdx", "rcx", "r8", "r9")),
            "win64": ArgumentPlaces(("rcx", "rdx", "r8", "r9"), 32),
        },
        {"coff": "win64"},
    ),
    "aarch64": Model(
        unicorn.UC_ARCH_ARM64,
        unicorn.UC_MODE_ARM,
        arm64_const.UC_CPU_ARM64_MAX,
        *("sp", "x30", "tpidr_el0", _ARM),
        _numbers(arm64_const, "UC_ARM64_REG_", (*_ARM, "sp", "pc", "tpidr_el0")),
        {"aapcs64": ArgumentPlaces(_ARM[:8])},
    ),
}
