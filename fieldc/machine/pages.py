"""Memory for a race: kernels written at several places, and the operands that they read.

The same bytes take another time at another place in memory: an addition of 6 limbs 10.5 or 15.5
cycles by its place in a cache line, a product in Fp2 of 4 KiB 247 or 280 cycles from one program to
the next. So a kernel is written several times, at places that its alignment allows and that differ
in page offset and in their distance from the loops that call it.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fieldc.machine.caller import Caller
from fieldc.machine.code import Code
from fieldc.machine.instruments import TimingError, written_at_once
from fieldc.machine.results import Mode

PAGE = 4096
PLACEMENTS = 8
_CALLER_ROOM = 4 * PAGE
_APPLE_ARM = (platform.system(), platform.machine()) == ("Darwin", "arm64")
_MAP_JIT = 0x800
"""Of <sys/mman.h> on Darwin."""
OFFSET = 0x040
"""The page offset at which operands begin."""


def gaps(alignment: int, placements: int = PLACEMENTS) -> list[int]:
    """Return how far after a page's start each copy begins: multiples of the alignment."""
    step = PAGE // PLACEMENTS + alignment
    return [step * number % PAGE for number in range(placements)]


@dataclass(frozen=True)
class Copy:
    """One copy of a kernel with the loops that call it."""

    caller: Caller
    base: int
    """Where the caller begins."""
    kernel: int
    """Where the kernel begins."""

    @property
    def function(self) -> int:
        """A System V function: the kernel, or what calls it once."""
        return self.kernel if self.caller.once is None else self.base + self.caller.once

    def ticks(self, mode: Mode, memory: int, count: int) -> float:
        """Ticks per call of this many calls, in the mean over the caller's loops."""
        calls = self.caller.calls if mode == "throughput" else 1
        turns = max(1, count // calls)
        loops = self.caller.loops[mode]
        ticks = [int(_LOOP(self.base + loop)(memory, turns)) for loop in loops]
        return sum(ticks) / (turns * calls * len(loops))


_LOOP = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
Timed = tuple[Caller, Code]


class Pages:
    """Slots for kernels. Each kernel is written at every placement; slots are reused in turn.

    `room` is the most bytes of a kernel. Raises TimingError where the system forbids such memory.
    """

    def __init__(
        self,
        slots: int,
        room: int,
        placements: int = PLACEMENTS,
        show: Callable[[int, int], None] = written_at_once,
    ) -> None:
        self.placements, self._show = placements, show
        self._room = room
        self._copy = _pages(_CALLER_ROOM) + _pages(room) + 2 * PAGE
        try:
            self._memory = _executable(slots * placements * self._copy)
        except (AttributeError, OSError):
            raise TimingError("this system forbids memory that is written and run") from None
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._held: list[tuple[Timed, list[Copy]] | None] = [None] * slots
        self._turn = 0

    def copies(self, timed: Timed, beside: Iterable[Timed] = ()) -> list[Copy]:
        """Return copies of a kernel, one for each placement. Kernels in `beside` keep theirs."""
        for slot in self._held:
            if slot is not None and slot[0] == timed:
                return slot[1]
        kept = list(beside)
        while True:
            self._turn = (self._turn + 1) % len(self._held)
            held = self._held[self._turn]
            if held is None or held[0] not in kept:
                break
        copies = list(self._written(*timed))
        self._held[self._turn] = timed, copies
        return copies

    def _written(self, caller: Caller, code: Code) -> Iterable[Copy]:
        if len(code.data) > self._room or len(caller.code) > _CALLER_ROOM:
            raise TimingError(f"kernels of up to {self._room} bytes can be timed here")
        for number, gap in enumerate(gaps(code.alignment, self.placements)):
            offset = (self._turn * self.placements + number) * self._copy
            first = _pages(code.start)  # what lies before the function stays before it
            begin = len(caller.code) + first + gap - code.start
            kernel = self._start + offset + begin + code.start
            before = caller.before(first + gap)
            written = code.at(self._start + offset + begin)
            with _writable():
                self._memory[offset : offset + len(before)] = before
                self._memory[offset + begin : offset + begin + len(written)] = written
            end = offset + begin + len(written)
            self._show(self._start + offset, self._start + end)
            yield Copy(caller, self._start + offset, kernel)


def _executable(size: int) -> mmap.mmap:
    """Memory that is written and run. Raises OSError, AttributeError on Windows."""
    protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    if not _APPLE_ARM:
        return mmap.mmap(-1, size, prot=protection)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANON | _MAP_JIT
    return mmap.mmap(-1, size, flags=flags, prot=protection)


@contextmanager
def _writable() -> Iterator[None]:
    """Let this thread write to memory that runs: on Apple's processors it does one or the other."""
    if not _APPLE_ARM:
        yield
        return
    protect = ctypes.CDLL(None).pthread_jit_write_protect_np
    protect(0)
    try:
        yield
    finally:
        protect(1)


def _pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


class OperandMemory:
    """Where operands are, at a pinned page offset."""

    def __init__(self) -> None:
        self._fit(PAGE - OFFSET)

    def write(self, image: bytes) -> None:
        """Write operands. The address changes if they need more room than any before."""
        if len(image) > self._size:
            self._fit(len(image))
        ctypes.memmove(self.address, image, len(image))

    def _fit(self, size: int) -> None:
        self._size = size
        self._memory = mmap.mmap(-1, _pages(OFFSET + size))
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory)) + OFFSET
