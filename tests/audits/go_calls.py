"""Calls of routines by Go's older convention: every argument on the stack, and a goroutine."""

from __future__ import annotations

import ctypes
import mmap

CALL = bytes.fromhex(
    "53554154415541564157"  # push rbx, rbp and r12 to r15
    "64ff3425f8ffffff"  # push fs:[-8]
    "6448890c25f8ffffff"  # mov fs:[-8], rcx
    "4889e5"  # mov rbp, rsp
    "488d04f500000000"  # lea rax, [8*rsi]
    "4829c4"  # sub rsp, rax
    "4883e4f0"  # and rsp, -16
    "4889f14889fe4889e7"  # mov rcx, rsi; mov rsi, rdi; mov rdi, rsp
    "f348a5"  # rep movsq
    "ffd2"  # call rdx
    "4889ec"  # mov rsp, rbp
    "648f0425f8ffffff"  # pop fs:[-8]
    "415f415e415d415c5d5bc3"  # pop r15 to r12, rbp and rbx; ret
)
"""Of the arguments' address and number, the routine and the goroutine."""
STACK_END = 16
"""Offset of the stack's end in a goroutine; 0 says that there is room."""


class GoCall:
    """A function that calls a routine at an address."""

    def __init__(self, routine: int) -> None:
        protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        self.memory = mmap.mmap(-1, mmap.PAGESIZE, prot=protection)
        self.memory[: len(CALL)] = CALL
        place = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        kinds = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
        self.call = ctypes.PYFUNCTYPE(None, *kinds)(place)
        self.routine = routine
        self.goroutine = (ctypes.c_uint64 * (STACK_END // 8 + 1))()

    def __call__(self, *arguments: object) -> None:
        given = (ctypes.c_uint64 * len(arguments))(*map(_word, arguments))
        self.call(
            ctypes.addressof(given), len(given), self.routine, ctypes.addressof(self.goroutine)
        )


def _word(argument: object) -> int:
    if isinstance(argument, ctypes.c_uint64):
        return argument.value
    assert isinstance(argument, ctypes.Array)
    return ctypes.addressof(argument)
