"""What the scan for constant time knows of each processor: decoder, registers, calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import capstone

from fieldc.proof.constant_time_arm import arm
from fieldc.proof.constant_time_code import Architecture, Function
from fieldc.proof.constant_time_mips import mips32, mips64
from fieldc.proof.constant_time_risc import aarch64, conditional_zero, riscv64
from fieldc.proof.constant_time_step import Step
from fieldc.proof.constant_time_x86_64 import x86_64


@dataclass(frozen=True)
class Convention:
    """Registers by what a call does with them.

    `public` ones never depend on an operand; those of `entry` do not when a function is entered.
    """

    arguments: tuple[str, ...]
    kept: frozenset[str]
    stack_pointer: str
    public: tuple[str, ...]
    entry: tuple[str, ...] = ()


@dataclass(frozen=True)
class Machine:
    """A processor: capstone's name for it, and what its instructions mean to the scan."""

    kind: int
    mode: int
    decode: Callable[[Any], Step]
    word: int = 8
    """Bytes of a register."""
    delayed: bool = False
    """Whether the instruction behind a jump comes before it."""


_MIPS, _BIG = capstone.CS_ARCH_MIPS, capstone.CS_MODE_BIG_ENDIAN
_RISCV = capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC

MACHINES: dict[Architecture, Machine] = {
    Architecture.X86_64: Machine(capstone.CS_ARCH_X86, capstone.CS_MODE_64, x86_64),
    Architecture.AARCH64: Machine(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM, aarch64),
    Architecture.RISCV64: Machine(capstone.CS_ARCH_RISCV, _RISCV, riscv64),
    Architecture.MIPS64: Machine(_MIPS, capstone.CS_MODE_MIPS64 | _BIG, mips64, delayed=True),
    Architecture.MIPS64EL: Machine(_MIPS, capstone.CS_MODE_MIPS64, mips64, delayed=True),
    Architecture.MIPSEL: Machine(_MIPS, capstone.CS_MODE_MIPS32, mips32, 4, delayed=True),
    Architecture.ARM: Machine(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM, arm, 4),
}


def convention_of(function: Function) -> Convention:
    """What the system's calls do with registers."""
    if function.architecture is Architecture.X86_64:
        kept = frozenset(("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"))
        if function.windows:
            return Convention(("rcx", "rdx", "r8", "r9"), kept | {"rdi", "rsi"}, "rsp", ("rip",))
        return Convention(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), kept, "rsp", ("rip",))
    return _CONVENTIONS[function.architecture]


def _numbered(letter: str, *numbers: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(*numbers))


_MIPS_KEPT = frozenset({*_numbered("s", 8), "sp", "fp"})
# The n64 arguments 5 to 8 are $8 to $11, which capstone calls t0 to t3.
_N64 = Convention(
    (*_numbered("a", 4), *_numbered("t", 4)), _MIPS_KEPT | {"gp"}, "sp", ("zero", "gp"), ("t9",)
)
_CONVENTIONS = {
    # x8 points to a result that is returned in memory.
    Architecture.AARCH64: Convention(
        _numbered("x", 9), frozenset({*_numbered("x", 19, 30), "sp"}), "sp", ("xzr",)
    ),
    Architecture.RISCV64: Convention(
        _numbered("a", 8), frozenset({*_numbered("s", 12), "sp"}), "sp", ("zero", "gp")
    ),
    Architecture.MIPS64: _N64,
    Architecture.MIPS64EL: _N64,
    Architecture.MIPSEL: Convention(_numbered("a", 4), _MIPS_KEPT, "sp", ("zero", "gp"), ("t9",)),
    Architecture.ARM: Convention(
        _numbered("r", 4), frozenset({*_numbered("r", 4, 9), "sb", "sl", "fp", "sp"}), "sp", ("pc",)
    ),
}


def steps_of(function: Function) -> dict[int, Step]:
    """The instructions of a function by place, up to the first bytes that are none."""
    machine = MACHINES[function.architecture]
    engine = capstone.Cs(machine.kind, machine.mode)
    engine.detail = True
    found: dict[int, Step] = {}
    place, end = function.start, function.start + len(function.code)
    while place < end:
        rest = function.code[place - function.start :]
        for instruction in engine.disasm(rest, place):
            found[place] = machine.decode(instruction)
            place += instruction.size
        rest = function.code[place - function.start :]
        other = conditional_zero(rest, place) if machine.decode is riscv64 else None
        if other is None:
            break
        found[place] = other
        place += other.size
    return found
