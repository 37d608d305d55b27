"""Timed loops in assembly, and the arena of pinned buffers that they run on.

Every loop reads the time-stamp counter inside the assembly (lfence rdtsc ... rdtscp lfence) and
returns ticks, so Python's own time does not count. A turn of the kernel loop is three pointer
moves, an indirect call, the kernel with its ret, a decrement and a branch: that overhead is part
of every figure. Nothing is subtracted but, from the calibration alone, the cost of reading the
counter (about 40 cycles, measured when the loops are loaded; left in, cycles read 0.3 % low).

All loops are System V x86-64 and need no feature beyond rdtscp.
"""

from __future__ import annotations

import ctypes
import mmap
import statistics
from functools import cache

from fieldc.errors import UserError
from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.machine.processor import is_x86_64

CALIBRATION_CYCLES = 48
"""Core cycles of one turn of the calibration loop: 16 dependent imul of 3 cycles each."""
MAX_LIMBS = 64
"""Longest operand or result, in 64-bit limbs."""

_PAGE = 4096
# Page offsets, no two alike: a load that shares its low 12 address bits with an earlier store to
# elsewhere waits for it (4K aliasing, up to 8 %). The stack has 0x7c0..0xfc0 of its page.
_X_OFFSET, _Y_OFFSET, _Z_OFFSET, _STACK_OFFSET = 0x040, 0x2C0, 0x540, 0xFC0


class TimingError(UserError):
    """Timing cannot be done here, or a candidate cannot be timed. The message is one line."""


_START = """
    lfence
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
"""
_STOP = """
    rdtscp
    lfence
    shl $32, %rdx
    or %rdx, %rax
"""
_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
_PUSH = "\n".join(f"    push %{register}" for register in _SAVED)
_POP = "\n".join(f"    pop %{register}" for register in reversed(_SAVED))

# The stack moves to a pinned page offset below the caller's. The first eight calls warm up: rbp
# is 0 then, and holds the first reading afterwards. Kernels preserve rbx, rbp, r12 to r15.
_CALLS = f"""
    .globl fieldc_calls                 # (kernel, z, x, y, count) -> ticks
    .p2align 6
fieldc_calls:
{_PUSH}
    mov %rsp, %rax
    sub ${_PAGE}, %rsp
    and $-{_PAGE}, %rsp
    add ${_STACK_OFFSET - 16}, %rsp
    mov %rax, (%rsp)
    mov %r8, 8(%rsp)
    mov %rdi, %rbx
    mov %rsi, %r12
    mov %rdx, %r13
    mov %rcx, %r14
    xor %ebp, %ebp
    mov $8, %r15d
    .p2align 6
1:  mov %r12, %rdi
    mov %r13, %rsi
    mov %r14, %rdx
    call *%rbx
    dec %r15
    jnz 1b
    test %rbp, %rbp
    jnz 2f
    {_START}
    mov %rax, %rbp
    mov 8(%rsp), %r15
    jmp 1b
2:  {_STOP}
    sub %rbp, %rax
    mov (%rsp), %rsp
{_POP}
    ret
"""


def _simple(name: str, turn: str) -> str:
    return f"""
    .globl {name}                       # (turns) -> ticks
    .p2align 6
{name}:
    mov $3, %ecx
    {_START}
    mov %rax, %rsi
    .p2align 6
1:
{turn}
    dec %rdi
    jnz 1b
    {_STOP}
    sub %rsi, %rax
    ret
"""


_CALIBRATE = _simple("fieldc_calibrate", "    imul %rcx, %rcx\n" * 16)

# Independent additions fill every issue slot (6 a cycle on Golden Cove, where this loop takes
# 16.3 cycles a turn, +-0.5 %), so a busy sibling hyper-thread shows at once: 30 cycles and more.
# Loops bound by a carry chain miss it: 96 adc with mulx went from 32.0 to 32.6 cycles while a
# kernel went from 110 to 168.
_CANARY = _simple(
    "fieldc_canary",
    "".join(f"    add $1, %{r}\n" for r in ("rax", "rcx", "rdx", "r8", "r9", "r10")) * 16,
)

_TICKS = f"""
    .globl fieldc_ticks                 # () -> ticks
fieldc_ticks:
    {_START}
    ret
"""

# The cost of the two readings themselves.
_READING = f"""
    .globl fieldc_reading               # () -> ticks
    .p2align 6
fieldc_reading:
    {_START}
    mov %rax, %rsi
    {_STOP}
    sub %rsi, %rax
    ret
"""


class Loops:
    """The loops, loaded, with an arena of one page for each of x, y and z.

    `x`, `y`, `z` are the addresses of the buffers, MAX_LIMBS limbs each. Raises TimingError on
    hosts other than System V x86-64.
    """

    def __init__(self) -> None:
        if not is_x86_64():
            raise TimingError("kernels can be timed on x86-64 Linux and Darwin hosts only")
        self._library = load(_object())
        self._arena = mmap.mmap(-1, 3 * _PAGE)
        page = ctypes.addressof(ctypes.c_char.from_buffer(self._arena))
        self.x = page + _X_OFFSET
        self.y = page + _PAGE + _Y_OFFSET
        self.z = page + 2 * _PAGE + _Z_OFFSET
        u64 = ctypes.c_uint64
        address = self._library.address
        self._calls = ctypes.CFUNCTYPE(u64, u64, u64, u64, u64, u64)(address("fieldc_calls"))
        self._calibrate = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_calibrate"))
        self._canary = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_canary"))
        self._ticks = ctypes.CFUNCTYPE(u64)(address("fieldc_ticks"))
        reading = ctypes.CFUNCTYPE(u64)(address("fieldc_reading"))
        self._reading = statistics.median(int(reading()) for _ in range(101))

    def ticks(self) -> int:
        """The time-stamp counter now."""
        return int(self._ticks())

    def calibrate(self, turns: int) -> float:
        """Ticks of the time-stamp counter per core cycle, from a dependent imul chain."""
        ticks = int(self._calibrate(turns)) - self._reading
        return ticks / (turns * CALIBRATION_CYCLES)

    def canary(self, turns: int) -> float:
        """Ticks per turn of a loop that fills every issue slot."""
        return int(self._canary(turns)) / turns

    def throughput(self, kernel: int, count: int) -> float:
        """Ticks per call of `count` independent calls: z elsewhere, the same x and y."""
        return int(self._calls(kernel, self.z, self.x, self.y, count)) / count

    def latency(self, kernel: int, count: int) -> float:
        """Ticks per call of `count` dependent calls: the result is written over x."""
        return int(self._calls(kernel, self.x, self.x, self.y, count)) / count

    def store(self, inputs: tuple[int, ...], limbs: tuple[int, ...]) -> None:
        """Write x (and y) as little-endian 64-bit limbs."""
        for address, value, length in zip((self.x, self.y), inputs, limbs, strict=False):
            ctypes.memmove(address, value.to_bytes(8 * length, "little"), 8 * length)


@cache
def _object() -> bytes:
    return assemble("".join((_CALLS, _CALIBRATE, _CANARY, _TICKS, _READING)))
