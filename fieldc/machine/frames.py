"""Calls of a kernel with Python's integers, between guards, wherever the kernel runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum

from fieldc.errors import Refusal

GUARD_BYTES = 64
_GUARD = bytes(0xA5 ^ i for i in range(GUARD_BYTES))
_POISON = 0x5C


class FrameError(Refusal):
    """A kernel wrote outside its result, into a guard or an input, or lost a register."""


class Alias(Enum):
    """Which operands of one call share a buffer: for each of z, x, y the buffer it lives in."""

    NONE = (0, 1, 2)
    Z_IS_X = (1, 1, 2)
    Z_IS_Y = (2, 1, 2)
    X_IS_Y = (0, 1, 1)
    ALL = (1, 1, 1)


class GuardedKernel(ABC):
    """A kernel, callable from Python integers to an integer.

    C signature `void SYMBOL(word z[result_limbs], const word x[operands[0]], const word
    y[operands[1]])`, limbs of `word` bits, least significant first; one-operand kernels leave out
    y. Every call checks guards round all buffers, and the inputs, and raises FrameError. Limbs of
    z that the kernel leaves unwritten read as 0x5c bytes. `order` is that of the bytes of a word.
    """

    def __init__(
        self,
        symbol: str,
        operands: tuple[int, ...],
        result_limbs: int,
        word: int = 64,
        order: str = "little",
    ) -> None:
        if word not in (32, 64) or len(operands) not in (1, 2):
            raise ValueError(f"{symbol}: a kernel has 1 or 2 operands of 32 or 64-bit words")
        self.symbol = symbol
        self.word_bytes = word // 8
        self.is_big_endian = order == "big"
        self._sizes = tuple(limbs * word // 8 for limbs in operands)
        self._result = result_limbs * word // 8
        lengths = (self._result, *(max(size, self._result) for size in self._sizes))
        ends = [sum(lengths[: i + 1]) + GUARD_BYTES * (i + 1) for i in range(len(lengths))]
        self.spans = [slice(end - size, end) for end, size in zip(ends, lengths, strict=True)]
        self.frame_bytes = ends[-1] + GUARD_BYTES

    @abstractmethod
    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """A frame after a call whose arguments lie at these places in it."""

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
        found = self.call(self._framed(contents), self.places(alias))
        return self._result_of(found, contents, buffers[0])

    def places(self, alias: Alias = Alias.NONE) -> list[int]:
        """Where in a frame the arguments lie."""
        return [self.spans[buffer].start for buffer in alias.value[: 1 + len(self._sizes)]]

    def frame(self, *values: int) -> bytes:
        """The memory of a call before it, with separate buffers."""
        return self._framed(self._contents(values, Alias.NONE.value[: 1 + len(values)]))

    def _contents(self, values: tuple[int, ...], buffers: tuple[int, ...]) -> list[bytes]:
        if len(values) != len(self._sizes):
            raise ValueError(f"{self.symbol} takes {len(self._sizes)} operands")
        if max(buffers) > len(values):
            raise ValueError(f"{self.symbol} has no y to alias")
        if len(values) == 2 and buffers[1] == buffers[2] and values[0] != values[1]:
            raise ValueError("x and y can share a buffer only when they are equal")
        contents = [b""] * len(self.spans)
        for value, size, buffer in zip(values, self._sizes, buffers[1:], strict=True):
            try:
                contents[buffer] = self._ordered(value.to_bytes(size, "little"))
            except OverflowError:
                raise ValueError(f"{value:#x} does not fit in {size} bytes") from None
        return [_padded(c, span) for c, span in zip(contents, self.spans, strict=True)]

    def _ordered(self, limbs: bytes) -> bytes:
        """Limbs with their bytes turned round, if the machine has the highest byte first."""
        if not self.is_big_endian:
            return limbs
        each = (limbs[i : i + self.word_bytes] for i in range(0, len(limbs), self.word_bytes))
        return b"".join(limb[::-1] for limb in each)

    def _framed(self, contents: list[bytes]) -> bytes:
        return _GUARD + b"".join(content + _GUARD for content in contents)

    def _result_of(self, found: bytes, contents: list[bytes], buffer: int) -> int:
        start = self.spans[buffer].start
        result = found[start : start + self._result]
        contents[buffer] = result + contents[buffer][self._result :]
        expected = self._framed(contents)
        if found != expected:
            raise FrameError(self._describe(found, expected))
        return int.from_bytes(self._ordered(result), "little")

    def _describe(self, found: bytes, expected: bytes) -> str:
        at = next(i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
        names = ("z", "x", "y")
        for name, span in zip(names, self.spans, strict=False):
            if span.start <= at < span.stop:
                return f"{self.symbol} changed byte {at - span.start} of {name}'s buffer"
        nearest, span = min(
            zip(names, self.spans, strict=False),
            key=lambda pair: min(abs(at - pair[1].start), abs(at - pair[1].stop)),
        )
        return f"{self.symbol} wrote outside {nearest}'s buffer, at byte {at - span.start}"


def _padded(content: bytes, span: slice) -> bytes:
    return content.ljust(span.stop - span.start, bytes([_POISON]))
