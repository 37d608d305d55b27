"""The clock of a race: time-stamp counter, calibration and canary, as loops in assembly.

Every loop reads the counter inside the assembly (lfence rdtsc ... rdtscp lfence) and returns ticks,
so Python's own time does not count.

The calibration is a chain of `imul`. A chain of `add $imm` would not do: Golden Cove adds small
immediates while it renames registers, so such a chain runs faster than one link a cycle.
"""

from __future__ import annotations

import ctypes
import statistics
from functools import cache

from fieldc.machine.assemble import assemble
from fieldc.machine.instruments import TimingError
from fieldc.machine.load import load
from fieldc.machine.processor import is_x86_64

CYCLES_PER_TURN = 48
"""Core cycles of one turn of the calibration loop: 16 dependent imul of 3 cycles each."""

START = """
    lfence
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
"""
"""Reads the counter into rax before the work; changes rdx."""
STOP = """
    rdtscp
    lfence
    shl $32, %rdx
    or %rdx, %rax
"""
"""Reads the counter into rax after the work; changes rcx and rdx."""


def turns(name: str, body: str) -> str:
    """The text of `name(turns) -> ticks`, which runs a body that keeps rsi and rdi."""
    return f"""
    .globl {name}
    .p2align 6
{name}:
    mov $3, %ecx
    {START}
    mov %rax, %rsi
    .p2align 6
1:
{body}
    dec %rdi
    jnz 1b
    {STOP}
    sub %rsi, %rax
    ret
"""


_CALIBRATE = turns("fieldc_calibrate", "    imul %rcx, %rcx\n" * 16)

# Independent additions fill every issue slot of Golden Cove (6 a cycle, 16.3 cycles a turn,
# +-0.5 %) and every ALU of Zen 5, so a busy sibling hyper-thread shows at once: 30 cycles and more.
# Loops bound by a carry chain miss it: 96 adc with mulx went from 32.0 to 32.6 cycles while a
# kernel went from 110 to 168.
_CANARY = turns(
    "fieldc_canary",
    "".join(f"    add $1, %{r}\n" for r in ("rax", "rcx", "rdx", "r8", "r9", "r10")) * 16,
)

_TICKS = f"""
    .globl fieldc_ticks                 # () -> ticks
fieldc_ticks:
    {START}
    ret
"""

# The cost of the two readings themselves: about 40 cycles. Left in, cycles read 0.3 % low.
_READING = f"""
    .globl fieldc_reading               # () -> ticks
    .p2align 6
fieldc_reading:
    {START}
    mov %rax, %rsi
    {STOP}
    sub %rsi, %rax
    ret
"""


class TickClock:
    """The counter and the two loops that say what state the machine is in.

    Raises TimingError on hosts other than System V x86-64.
    """

    def __init__(self) -> None:
        if not is_x86_64():
            raise TimingError("kernels can be timed on x86-64 Linux and Darwin hosts only")
        self._library = load(_object())
        u64, address = ctypes.c_uint64, self._library.address
        self._calibrate = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_calibrate"))
        self._canary = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_canary"))
        self._ticks = ctypes.CFUNCTYPE(u64)(address("fieldc_ticks"))
        reading = ctypes.CFUNCTYPE(u64)(address("fieldc_reading"))
        self.reading = statistics.median(int(reading()) for _ in range(101))
        """Ticks that reading the counter twice takes."""
        self.stretch = 1
        """The counter is as fast as the core."""

    def ticks(self) -> int:
        """The time-stamp counter now."""
        return int(self._ticks())

    def calibrate(self, count: int) -> float:
        """Ticks per core cycle, from this many turns of a dependent imul chain."""
        ticks = int(self._calibrate(count)) - self.reading
        return ticks / (count * CYCLES_PER_TURN)

    def canary(self, count: int) -> float:
        """Ticks per turn of a loop that fills every issue slot."""
        return int(self._canary(count)) / count


@cache
def _object() -> bytes:
    return assemble("".join((_CALIBRATE, _CANARY, _TICKS, _READING)))
