"""Object files in this process: loading them, and calling kernels with Python integers."""

from __future__ import annotations

import ctypes
from enum import Enum

import llvmlite.binding as llvm

from fieldc.errors import Refusal
from fieldc.machine.assemble import initialise

GUARD_BYTES = 64
_GUARD = bytes(0xA5 ^ i for i in range(GUARD_BYTES))
_POISON = 0x5C


class LoadError(RuntimeError):
    """An object file or a symbol cannot be loaded."""


class FrameError(Refusal):
    """A kernel wrote outside its result: into a guard or into an input."""


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
        """The address of a global symbol. Raises LoadError where there is none."""
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


class Alias(Enum):
    """Which operands of one call share a buffer: for each of z, x, y the buffer it lives in."""

    NONE = (0, 1, 2)
    Z_IS_X = (1, 1, 2)
    Z_IS_Y = (2, 1, 2)
    X_IS_Y = (0, 1, 1)
    ALL = (1, 1, 1)


class _Frame:
    """Guarded buffers in one block: guard, buffer, guard, buffer, ..., guard."""

    def __init__(self, sizes: tuple[int, ...], word_bytes: int) -> None:
        total = sum(sizes) + GUARD_BYTES * (len(sizes) + 1)
        self._memory = ctypes.create_string_buffer(total + 128)
        # One word past a 64-byte line: kernels may rely on no more alignment than C gives.
        start = -ctypes.addressof(self._memory) % 64 + word_bytes
        self.view = memoryview(self._memory).cast("B")[start : start + total]
        base = ctypes.addressof(self._memory) + start
        ends = [sum(sizes[: i + 1]) + GUARD_BYTES * (i + 1) for i in range(len(sizes))]
        self.spans = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        self.addresses = [base + span.start for span in self.spans]


class Kernel:
    """A loaded kernel, callable from Python integers to an integer.

    C signature `void SYMBOL(word z[result_limbs], const word x[operands[0]], const word
    y[operands[1]])`, limbs of `word` bits, least significant first; one-operand kernels leave out
    y. Every call checks guards round all buffers, and the inputs, and raises FrameError. Limbs of
    z that the kernel leaves unwritten read as 0x5c bytes.
    """

    def __init__(
        self,
        library: Library,
        symbol: str,
        operands: tuple[int, ...],
        result_limbs: int,
        word: int = 64,
    ) -> None:
        if word not in (32, 64) or len(operands) not in (1, 2):
            raise LoadError(f"{symbol}: a kernel has 1 or 2 operands of 32 or 64-bit words")
        self.library = library
        self.symbol = symbol
        self._sizes = tuple(limbs * word // 8 for limbs in operands)
        self._result = result_limbs * word // 8
        kinds = [ctypes.c_void_p] * (1 + len(operands))
        self._function = ctypes.CFUNCTYPE(None, *kinds)(library.address(symbol))
        self._frame = _Frame(
            (self._result, *(max(size, self._result) for size in self._sizes)), word // 8
        )

    def __call__(self, x: int, y: int | None = None) -> int:
        """The kernel's result with three separate buffers."""
        return self.aliased(Alias.NONE, x, y)

    def aliased(self, alias: Alias, x: int, y: int | None = None) -> int:
        """The result with operands sharing buffers; x is y needs equal values.

        Where the result is shorter than the input it lies on, the input's upper limbs must stay.
        """
        values = (x,) if y is None else (x, y)
        buffers = alias.value[: 1 + len(values)]
        contents = self._contents(values, buffers)
        self._fill(contents)
        self._function(*(self._frame.addresses[buffer] for buffer in buffers))
        return self._collect(contents, buffers[0])

    def _contents(self, values: tuple[int, ...], buffers: tuple[int, ...]) -> list[bytes]:
        if len(values) != len(self._sizes):
            raise ValueError(f"{self.symbol} takes {len(self._sizes)} operands")
        if max(buffers) > len(values):
            raise ValueError(f"{self.symbol} has no y to alias")
        if len(values) == 2 and buffers[1] == buffers[2] and values[0] != values[1]:
            raise ValueError("x and y can share a buffer only when they are equal")
        contents = [b""] * len(self._frame.spans)
        for value, size, buffer in zip(values, self._sizes, buffers[1:], strict=True):
            try:
                contents[buffer] = value.to_bytes(size, "little")
            except OverflowError:
                raise ValueError(f"{value:#x} does not fit in {size} bytes") from None
        return [self._pad(c, span) for c, span in zip(contents, self._frame.spans, strict=True)]

    @staticmethod
    def _pad(content: bytes, span: slice) -> bytes:
        return content.ljust(span.stop - span.start, bytes([_POISON]))

    def _fill(self, contents: list[bytes]) -> None:
        self._frame.view[:] = _GUARD + b"".join(content + _GUARD for content in contents)

    def _collect(self, contents: list[bytes], buffer: int) -> int:
        start = self._frame.spans[buffer].start
        result = bytes(self._frame.view[start : start + self._result])
        contents[buffer] = result + contents[buffer][self._result :]
        expected = _GUARD + b"".join(content + _GUARD for content in contents)
        found = bytes(self._frame.view)
        if found != expected:
            raise FrameError(self._describe(found, expected))
        return int.from_bytes(result, "little")

    def _describe(self, found: bytes, expected: bytes) -> str:
        at = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
        names = ("z", "x", "y")
        for name, span in zip(names, self._frame.spans, strict=False):
            if span.start <= at < span.stop:
                return f"{self.symbol} changed byte {at - span.start} of {name}'s buffer"
        nearest, span = min(
            zip(names, self._frame.spans, strict=False),
            key=lambda pair: min(abs(at - pair[1].start), abs(at - pair[1].stop)),
        )
        return f"{self.symbol} wrote outside {nearest}'s buffer, at byte {at - span.start}"
