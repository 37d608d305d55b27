"""Loops that are written before a kernel and call it directly, wherever the kernel lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.machine.results import Mode

_DISTANCE = (1 << 26) - 1
ALIGNMENT = 4096
"""With a gap of 0, the kernel begins at a multiple of this many bytes."""


@dataclass(frozen=True)
class Caller:
    """Loops of type `(memory, count) -> ticks`, and where they are in their code.

    `code` is as long as whole pages. It expects the kernel right after it; `sites` is where its
    calls have their distances, in 4 bytes.
    """

    code: bytes
    sites: tuple[int, ...]
    loops: Mapping[Mode, tuple[int, ...]] = field(hash=False)
    """Where the loops of each mode begin: a figure is the mean over them."""
    calls: int = 1
    """Calls of a turn of the throughput loops: counts are multiples of it."""
    once: int | None = None
    """Where a System V function begins that calls the kernel once; None if the kernel is one."""
    unit: int = 1
    """What a call's distance counts: bytes; or words of 4 bytes, in the low 26 bits of `bl`."""

    def before(self, gap: int) -> bytes:
        """Return the code for a kernel that begins `gap` bytes after it."""
        if not gap:
            return self.code
        moved = bytearray(self.code)
        for site in self.sites:
            word = int.from_bytes(moved[site : site + 4], "little")
            moved[site : site + 4] = self._further(word, gap).to_bytes(4, "little")
        return bytes(moved)

    def _further(self, word: int, gap: int) -> int:
        """A call's distance, or its instruction, for a kernel that begins `gap` bytes later."""
        if self.unit == 1:
            return word + gap
        distance = (word & _DISTANCE) + gap // self.unit
        return word & ~_DISTANCE | distance & _DISTANCE
