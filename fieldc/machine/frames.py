"""Calls of a kernel with Python's integers, between guards, wherever the kernel runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from fieldc.errors import Refusal
from fieldc.machine.aliasing import Aliasing, aliasings, apart

GUARD_BYTES = 64
_GUARD = bytes(0xA5 ^ i for i in range(GUARD_BYTES))
_POISON = 0x5C
NAMES = ("z", "x", "y", "a", "b", "c", "d", "e")
"""What messages call the result and the operands; those that come later have numbers."""


class FrameError(Refusal):
    """A kernel wrote outside its result, into a guard or an input, or lost a register."""


class GuardedKernel(ABC):
    """A kernel, callable from Python integers to an integer.

    C signature `void SYMBOL(word z[result_limbs], const word x[operands[0]], ...)` with any number
    of operands, limbs of `word` bits, least significant first. Every call checks guards round all
    buffers, and the inputs, and raises FrameError. Limbs of z that the kernel leaves unwritten read
    as 0x5c bytes. `order` is that of the bytes of a word.
    """

    def __init__(
        self,
        symbol: str,
        operands: tuple[int, ...],
        result_limbs: int,
        word: int = 64,
        order: str = "little",
    ) -> None:
        if word not in (32, 64) or not operands:
            raise ValueError(f"{symbol}: a kernel has operands of 32 or 64-bit words")
        self.symbol = symbol
        self.word_bytes = word // 8
        self.is_big_endian = order == "big"
        self._sizes = tuple(limbs * word // 8 for limbs in operands)
        self._result = result_limbs * word // 8
        lengths = (self._result, *(max(size, self._result) for size in self._sizes))
        ends = [sum(lengths[: i + 1]) + GUARD_BYTES * (i + 1) for i in range(len(lengths))]
        self.spans = [slice(end - size, end) for end, size in zip(ends, lengths, strict=True)]
        self.frame_bytes = ends[-1] + GUARD_BYTES
        self._apart = apart(len(operands))

    @abstractmethod
    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """A frame after a call whose arguments lie at these places in it."""

    def __call__(self, *operands: int) -> int:
        """The kernel's result with separate buffers."""
        return self.aliased(self._apart, *operands)

    def aliased(self, aliasing: Aliasing, *operands: int) -> int:
        """The result with buffers shared; operands that share one need equal values.

        Where the result is shorter than the input it lies on, the input's upper limbs must stay.
        """
        contents = self._contents(operands, aliasing)
        found = self.call(self._framed(contents), self.places(aliasing))
        return self._result_of(found, contents, aliasing.buffers[0])

    def aliasings(self) -> Iterator[Aliasing]:
        """The ways to share buffers in which the kernel must be right."""
        return aliasings(self._sizes)

    def places(self, aliasing: Aliasing | None = None) -> list[int]:
        """Where in a frame the arguments lie, in separate buffers unless an aliasing is given."""
        return [self.spans[buffer].start for buffer in (aliasing or self._apart).buffers]

    def frame(self, *operands: int) -> bytes:
        """The memory of a call before it, with separate buffers."""
        return self._framed(self._contents(operands, self._apart))

    def _contents(self, values: tuple[int, ...], aliasing: Aliasing) -> list[bytes]:
        count = len(self._sizes)
        if len(values) != count or len(aliasing.buffers) != count + 1:
            raise ValueError(f"{self.symbol} takes {count} operands, and aliasings of as many")
        if aliasing.merged(values) != values:
            raise ValueError("operands can share a buffer only when they are equal")
        contents = [b""] * len(self.spans)
        for value, size, buffer in zip(values, self._sizes, aliasing.buffers[1:], strict=True):
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
        more = (f"operand {i}" for i in range(len(NAMES), len(self.spans)))
        named = [*zip((*NAMES, *more), self.spans, strict=False)]
        for name, span in named:
            if span.start <= at < span.stop:
                return f"{self.symbol} changed byte {at - span.start} of {name}'s buffer"
        nearest, span = min(
            named,
            key=lambda pair: min(abs(at - pair[1].start), abs(at - pair[1].stop)),
        )
        return f"{self.symbol} wrote outside {nearest}'s buffer, at byte {at - span.start}"


def _padded(content: bytes, span: slice) -> bytes:
    return content.ljust(span.stop - span.start, bytes([_POISON]))
