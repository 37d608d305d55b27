"""Arrays of residues for kernels on arrays: how they lie in memory, calling, and checking.

In limbs, elements lie side by side, n limbs of 64 bits each, or one of 32. In digits of 52 bits,
blocks of eight elements lie side by side: digit 0 of all eight, then digit 1, each in a word of 64
bits. The last block is filled with zeros.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from fieldc.algorithms.lanes import DIGIT_BITS, LOOSE_BITS, in_lanes
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.check import CheckError, vectors
from fieldc.machine.load import load

BLOCK = 8
"""Elements of a block of digits."""
WORD_BYTES = 8
GUARD = b"\xa5" * 64
"""What must stay as it is on both sides of an array."""


def size(f: Field, count: int, width: int = 0) -> int:
    """Return the bytes of an array of elements, of so many words if they are no residues."""
    held = -(-count // BLOCK) * BLOCK if f.word == DIGIT_BITS else count
    return word_bytes(f) * (width or f.n) * held


def word_bytes(f: Field) -> int:
    """Return the bytes of a word in memory: digits have words of 64 bits."""
    return f.word // 8 if f.word != DIGIT_BITS else WORD_BYTES


def packed(f: Field, values: Sequence[int], width: int = 0, is_loose: bool = False) -> bytes:
    """The array of some values, in the layout of the field's words: n, or `width` for each.

    In loose digits each word lends to the one below it as much as that has room for.
    """
    width = width or f.n
    words = [[v >> f.word * i & f.base - 1 for i in range(width)] for v in values]
    if is_loose:
        words = [_loosened(f, value, width) for value in values]
    if f.word != DIGIT_BITS:
        ordered = [word for value in words for word in value]
    else:
        words += [[0] * width] * (-len(words) % BLOCK)
        blocks = (words[at : at + BLOCK] for at in range(0, len(words), BLOCK))
        ordered = [value[i] for block in blocks for i in range(width) for value in block]
    return b"".join(word.to_bytes(word_bytes(f), "little") for word in ordered)


def _loosened(f: Field, value: int, width: int) -> list[int]:
    """The words of a number in loose digits."""
    words, most = [], (1 << LOOSE_BITS - f.word) - 1
    for _ in range(width - 1):
        word = value & f.base - 1
        value >>= f.word
        lent = min(value, most)
        words.append(word + lent * f.base)
        value -= lent
    return [*words, value]


def unpacked(f: Field, data: bytes, count: int) -> list[int]:
    """The values of an array: packed undone."""
    view = memoryview(data).cast("Q" if word_bytes(f) == WORD_BYTES else "I")
    if f.word != DIGIT_BITS:
        places = ([f.n * e + i for i in range(f.n)] for e in range(count))
    else:
        places = (
            [BLOCK * f.n * (e // BLOCK) + BLOCK * i + e % BLOCK for i in range(f.n)]
            for e in range(count)
        )
    return [sum(view[at] << f.word * i for i, at in enumerate(each)) for each in places]


class ArrayFunction:
    """A loaded kernel on arrays: `void (size_t count, z, x, ...)`, or z0, z1 instead of z."""

    def __init__(
        self,
        code: bytes,
        symbol: str,
        expression: Expression,
        result_field: Field | None = None,
        in_digits: Collection[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        f = expression.field
        self.expression = expression
        self.result_field = result_field or f
        names = [name for name, _ in expression.kernel.operands]
        self.operand_fields = [in_lanes(f) if name in in_digits else f for name in names]
        bounds = [bound for _, bound in expression.kernel.operands]
        self.loose = [bound.is_loose for bound in bounds]
        """Whether an operand is in loose digits."""
        self.widths = [b.width(g) for b, g in zip(bounds, self.operand_fields, strict=True)]
        """The words of an element of each operand."""
        self.shared = [name in shared for name in names]
        """Whether an operand has one element, which serves for all."""
        self._load(code, symbol)

    def _load(self, code: bytes, symbol: str) -> None:
        """Make the kernel ready to be called."""
        self.library = load(code)
        self.address = self.library.address(symbol)
        kernel = self.expression.kernel
        pointers = [ctypes.c_void_p] * (kernel.result.count + len(kernel.operands))
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_size_t, *pointers)(self.address)

    def at(self, count: int, *addresses: int) -> None:
        """Call it on arrays at addresses: results first."""
        self._function(count, *addresses)

    def array(self, number: int, values: Sequence[int]) -> bytes:
        """An operand in memory: of one that serves for all elements, the words of the first."""
        f = self.operand_fields[number]
        if not self.shared[number]:
            return packed(f, values, self.widths[number], self.loose[number])
        words = range(self.widths[number])
        digits = (values[0] >> f.word * i & f.base - 1 for i in words)
        return b"".join(digit.to_bytes(WORD_BYTES, "little") for digit in digits)

    def size_of(self, number: int, count: int) -> int:
        """Bytes of an operand of so many elements."""
        f, width = self.operand_fields[number], self.widths[number]
        return WORD_BYTES * width if self.shared[number] else size(f, count, width)

    def __call__(
        self, *operands: Sequence[int], on: Mapping[int, int] = MappingProxyType({})
    ) -> list[int]:
        """The results for operands of equal lengths; several values are one number.

        `on` says which operand lies where which result does. Raises CheckError if anything beside
        the arrays of results is written.
        """
        count, kernel = len(operands[0]), self.expression.kernel
        z = size(self.result_field, count)
        memory, places = bytearray(GUARD), list[int]()
        for _ in range(kernel.result.count):
            places.append(len(memory))
            memory += b"\x5a" * z + GUARD
        room, results = len(memory), tuple(places)
        for number, operand in enumerate(operands):
            array = self.array(number, operand)
            if number in on:
                places.append(results[on[number]])
                memory[places[-1] : places[-1] + z] = array
            else:
                places.append(len(memory))
                memory += array + GUARD
        held = (ctypes.c_char * len(memory)).from_buffer(memory)
        before = bytes(memory)
        self.at(count, *(ctypes.addressof(held) + place for place in places))
        after = bytes(held)
        ends = zip((0, *(place + z for place in results)), (*results, room), strict=True)
        guards = [*ends, (room, len(after))]
        if any(after[first:last] != before[first:last] for first, last in guards):
            raise CheckError(
                f"{kernel.operation} on an array of {count}: something beside z is written"
            )
        values = [unpacked(self.result_field, after[at : at + z], count) for at in results]
        return [kernel.result.number(self.result_field, each) for each in zip(*values, strict=True)]


def check_arrays(function: ArrayFunction, seed: int = 0, lengths: Sequence[int] = ()) -> int:
    """Run a kernel on edge values and random ones, of every length to 17 and more; how many.

    Or of some `lengths` alone. Operands lie apart, and where z does. Raises CheckError.
    """
    every = list(vectors(function.expression, seed))
    random.Random(seed).shuffle(every)
    calls = 0
    f, kernel = function.expression.field, function.expression.kernel
    highs = [bound.high(f) for _, bound in kernel.operands]
    narrow = highs.index(min(highs))
    for chosen in [every[-n:] for n in lengths] or _lengths(every):
        operands = [
            [operand[0 if shared else i] for i in range(len(operand))]
            for operand, shared in zip(zip(*chosen, strict=True), function.shared, strict=True)
        ]
        same = [operands[narrow]] * len(operands)
        calls += 1
        _expect(function, operands, function(*operands))
        fields = function.operand_fields
        if function.result_field != fields[0]:
            continue
        for on in ({0: 0}, {i: i for i in range(kernel.result.count)}):
            _expect(function, operands, function(*operands, on=on))
        calls += 2
        if len({*fields}) == len({*function.widths}) == 1 and not any(function.shared):
            _expect(function, same, function(*same, on=dict.fromkeys(range(len(same)), 0)))
            calls += 1
    return calls


def _lengths(every: Sequence[tuple[int, ...]]) -> Iterator[Sequence[tuple[int, ...]]]:
    yield every
    yield from (every[-length:] for length in range(1, 18))


def _expect(
    function: ArrayFunction, operands: Sequence[Sequence[int]], found: Sequence[int]
) -> None:
    kernel, f = function.expression.kernel, function.expression.field
    result, high = kernel.result, kernel.result.high(f)
    for number, (values, given) in enumerate(zip(zip(*operands, strict=True), found, strict=True)):
        wanted = kernel.meaning(f, *values)
        pairs = zip(
            result.values(function.result_field, given), result.values(f, wanted), strict=True
        )
        if any(value > high or (value - right) % f.p for value, right in pairs):
            operands_of_it = ", ".join(
                f"{name} = {v:#x}" for (name, _), v in zip(kernel.operands, values, strict=True)
            )
            raise CheckError(
                f"{kernel.operation} on arrays for {f.short}, element {number} of {len(found)}, "
                f"{operands_of_it}: got {given:#x}, expected {wanted:#x}"
            )
