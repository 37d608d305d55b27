"""AArch64 code in an emulator, by the Procedure Call Standard. It has no keys to sign with."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import unicorn
from unicorn import arm64_const as arm

ARGUMENTS, STACK, RETURN = 0x40000000, 0x50000000, 0x60000000
PAGES = 1 << 16
"""Bytes of each of these."""
KEPT = (*range(19, 30), 31)
"""x19 to x29, and the stack pointer."""
LONGEST = 1_000_000
"""Instructions of one run."""


class EmulatedArm64:
    """A routine in memory of its own."""

    def __init__(self, memory: bytes, start: int) -> None:
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.machine.ctl_set_cpu_model(arm.UC_CPU_ARM64_MAX)
        self.machine.mem_map(0, len(memory), unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self.machine.mem_write(0, memory)
        for place in (ARGUMENTS, STACK):
            self.machine.mem_map(place, PAGES, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self.start = start

    def call(self, arguments: Sequence[object]) -> None:
        """Call the routine: arrays by address, which it may change, and numbers."""
        places: dict[int, int] = {}
        free = ARGUMENTS
        for index, given in enumerate(arguments):
            if isinstance(given, ctypes.c_uint64):
                self._set(index, given.value)
                continue
            assert isinstance(given, ctypes.Array)
            if id(given) not in places:
                places[id(given)] = free
                self.machine.mem_write(free, bytes(given))
                free += ctypes.sizeof(given) + 64
            self._set(index, places[id(given)])
        held = {register: 0x1111 * register for register in KEPT[:-1]} | {31: STACK + PAGES // 2}
        for register, value in held.items():
            self._set(register, value)
        self._set(30, RETURN)
        self.machine.emu_start(self.start, RETURN, count=LONGEST)
        if {register: self._get(register) for register in KEPT} != held:
            raise RuntimeError("a register that must be kept has changed")
        for given in arguments:
            if isinstance(given, ctypes.Array):
                data = self.machine.mem_read(places[id(given)], ctypes.sizeof(given))
                ctypes.memmove(given, bytes(data), ctypes.sizeof(given))

    def _set(self, register: int, value: int) -> None:
        self.machine.reg_write(_number(register), value)

    def _get(self, register: int) -> int:
        return int(self.machine.reg_read(_number(register)))


def _number(register: int) -> int:
    if register == 31:
        return int(arm.UC_ARM64_REG_SP)
    return int(getattr(arm, f"UC_ARM64_REG_X{register}"))
