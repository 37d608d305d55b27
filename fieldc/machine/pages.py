"""Pages that are written and run: code without an object file, for kernels tried once."""

from __future__ import annotations

import ctypes
import mmap

from fieldc.machine.loops import TimingError

SLOT_BYTES = 1 << 15
"""Largest kernel with its constants; slots begin at the same page offset, so ratios are fair."""
SLOTS = 8


class Pages:
    """Executable slots for code, overwritten in turn. Raises TimingError where none can be had."""

    def __init__(self) -> None:
        try:
            protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
            self._memory = mmap.mmap(-1, SLOTS * SLOT_BYTES, prot=protection)
        except (AttributeError, OSError):
            raise TimingError("this system forbids memory that is written and run") from None
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._held: list[bytes] = [b""] * SLOTS
        self._turn = 0

    def address(self, code: bytes, beside: bytes = b"") -> int:
        """Where code is, once written; that of `beside` stays."""
        if code not in self._held:
            self._write(code, beside)
        return self._start + SLOT_BYTES * self._held.index(code)

    def _write(self, code: bytes, beside: bytes) -> None:
        if len(code) > SLOT_BYTES:
            raise TimingError(f"kernels of up to {SLOT_BYTES} bytes can be searched")
        self._turn = (self._turn + 1) % SLOTS
        if beside and self._held[self._turn] == beside:
            self._turn = (self._turn + 1) % SLOTS
        self._held[self._turn] = code
        start = SLOT_BYTES * self._turn
        self._memory[start : start + len(code)] = code
