"""The clock of a race on AArch64: the system's counter, calibration and canary, as assembly.

A program may not read the cycle counter, so the generic timer's count serves (CNTVCT_EL0). Its rate
is constant: 24 MHz on Apple's M1, about 120 MHz on Graviton 2. Core cycles come from a chain of
additions of registers, each of which takes one cycle on every core of processors.toml. A slow
counter needs longer slices: `stretch` says how much longer.
"""

from __future__ import annotations

import ctypes
import statistics
from functools import cache

from fieldc.machine.assemble import assemble
from fieldc.machine.instruments import TimingError
from fieldc.machine.load import Library, load
from fieldc.machine.processor import host_architecture

CYCLES_PER_TURN = 96
"""Core cycles of one turn of the calibration loop: dependent additions of a cycle each."""
FAST = 200_000_000
"""Ticks a second that resolve a slice as it is; a slower counter stretches slices."""
LINE = 16
"""Bytes: no line of a cache is shorter."""


def reading(register: str) -> str:
    """Read the counter into a register, after all that comes before."""
    return f"    isb\n    mrs {register}, cntvct_el0\n"


def turns(name: str, body: str) -> str:
    """The text of `name(turns) -> ticks`, which runs a body that keeps x0 and x1."""
    return f"""
    .globl {name}
    .p2align 6
{name}:
    mov x2, #3
    mov x3, #5
{reading("x1")}    .p2align 6
1:
{body}    subs x0, x0, #1
    b.ne 1b
{reading("x0")}    sub x0, x0, x1
    ret
"""


_CALIBRATE = turns("fieldc_calibrate", "    add x2, x2, x3\n" * CYCLES_PER_TURN)
_CANARY = turns(
    "fieldc_canary", "".join(f"    add x{r}, x3, #1\n" for r in (2, *range(4, 11))) * 12
)
"""Independent additions, which fill every issue slot."""
_OTHERS = f"""
    .globl fieldc_ticks                 // () -> ticks
fieldc_ticks:
{reading("x0")}    ret

    .globl fieldc_rate                  // () -> ticks a second
fieldc_rate:
    mrs x0, cntfrq_el0
    ret

    .globl fieldc_reading               // () -> ticks of two readings
    .p2align 6
fieldc_reading:
{reading("x1")}{reading("x0")}    sub x0, x0, x1
    ret

    .globl fieldc_written               // (start, end): instructions there may be fetched
    .p2align 4
fieldc_written:
    and x0, x0, #-{LINE}
    mov x2, x0
1:  dc cvau, x2
    add x2, x2, #{LINE}
    cmp x2, x1
    b.lo 1b
    dsb ish
2:  ic ivau, x0
    add x0, x0, #{LINE}
    cmp x0, x1
    b.lo 2b
    dsb ish
    isb
    ret
"""
TEXT = "".join((_CALIBRATE, _CANARY, _OTHERS))


class GenericTimer:
    """The counter and the two loops that say what state the machine is in.

    Raises TimingError on hosts other than AArch64.
    """

    def __init__(self) -> None:
        if host_architecture() != "aarch64":
            raise TimingError("these loops time kernels on AArch64 hosts only")
        self._library = load(_object())
        u64, address = ctypes.c_uint64, self._library.address
        self._calibrate = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_calibrate"))
        self._canary = ctypes.CFUNCTYPE(u64, u64)(address("fieldc_canary"))
        self._ticks = ctypes.CFUNCTYPE(u64)(address("fieldc_ticks"))
        between = ctypes.CFUNCTYPE(u64)(address("fieldc_reading"))
        self.reading = statistics.mean(int(between()) for _ in range(1001))
        """Ticks that reading the counter twice takes; most often 0, so a mean."""
        self.stretch = stretch(int(ctypes.CFUNCTYPE(u64)(address("fieldc_rate"))()))

    def ticks(self) -> int:
        """The counter now."""
        return int(self._ticks())

    def calibrate(self, count: int) -> float:
        """Ticks per core cycle, from this many turns of a chain of additions."""
        count *= self.stretch
        ticks = int(self._calibrate(count)) - self.reading
        return max(ticks, 1) / (count * CYCLES_PER_TURN)

    def canary(self, count: int) -> float:
        """Ticks per turn of a loop that fills every issue slot."""
        count *= self.stretch
        return int(self._canary(count)) / count


def stretch(rate: int) -> int:
    """How much longer slices must be with a counter of a rate, in ticks a second."""
    return max(1, min(64, -(-FAST // rate))) if rate else 64


@cache
def _object() -> bytes:
    return assemble(TEXT)


def show_written(start: int, end: int) -> None:
    """Let instructions be fetched from memory that was written."""
    library = _visible()
    function = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
    function(library.address("fieldc_written"))(start, end)


@cache
def _visible() -> Library:
    return load(_object())
