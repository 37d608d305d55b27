"""Object files in this process: loading them, and calling kernels with Python integers."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence

import llvmlite.binding as llvm

from fieldc.machine.assemble import initialise
from fieldc.machine.frames import GuardedKernel


class LoadError(RuntimeError):
    """An object file or a symbol cannot be loaded."""


class Library:
    """Loaded object code. Addresses are valid while the library is referenced."""

    def __init__(self, objects: tuple[bytes, ...]) -> None:
        initialise()
        # LLJIT owns the memory: both it and the tracker must live as long as the code.
        self._jit = llvm.create_lljit_compiler(suppress_errors=True)
        builder = llvm.JITLibraryBuilder().add_current_process()
        for data in objects:
            builder.add_object_img(data)
        try:
            self._tracker = builder.link(self._jit, "kernels")
        except RuntimeError as error:
            raise LoadError(f"cannot load the object: {error}") from None
        self._addresses: dict[str, int] = {}
        self._held: list[llvm.ResourceTracker] = []

    def address(self, symbol: str) -> int:
        """Return the address of a global symbol. Raises LoadError if there is none."""
        if symbol not in self._addresses:
            try:
                tracker = self._jit.lookup("kernels", symbol)
            except RuntimeError as error:
                raise LoadError(f"cannot load {symbol}: {error}") from None
            self._held.append(tracker)
            self._addresses[symbol] = tracker[symbol]
        return self._addresses[symbol]


def load(*objects: bytes) -> Library:
    """Object files of this host's format, linked together and loaded."""
    return Library(objects)


class _FrameMemory(threading.local):
    """Memory for a kernel's frames. Each thread that calls the kernel has its own."""

    def __init__(self, frame_bytes: int, word_bytes: int) -> None:
        memory = ctypes.create_string_buffer(frame_bytes + 128)
        # One word past a 64-byte line: kernels may rely on no more alignment than C gives.
        start = -ctypes.addressof(memory) % 64 + word_bytes
        self.view = memoryview(memory).cast("B")[start : start + frame_bytes]
        self.address = ctypes.addressof(memory) + start


class LoadedKernel(GuardedKernel):
    """A kernel that is loaded in this process. Any number of threads may call it at once."""

    def __init__(
        self,
        library: Library,
        symbol: str,
        operands: tuple[int, ...],
        result_limbs: int,
        word: int = 64,
    ) -> None:
        super().__init__(symbol, operands, result_limbs, word)
        self.library = library
        kinds = [ctypes.c_void_p] * (1 + len(operands))
        self._function = ctypes.CFUNCTYPE(None, *kinds)(library.address(symbol))
        self._memory = _FrameMemory(self.frame_bytes, self.word_bytes)

    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """The frame after a call, which happens in this process's memory."""
        view, address = self._memory.view, self._memory.address
        view[:] = frame
        self._function(*(address + place for place in places))
        return bytes(view)
