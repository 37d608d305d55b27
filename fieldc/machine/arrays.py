"""Arrays of residues for kernels on arrays: how they lie in memory, calling, and checking.

In limbs, elements lie side by side, n limbs of 64 bits each. In digits of 52 bits, blocks of eight
elements lie side by side: digit 0 of all eight, then digit 1, each in a word of 64 bits. The last
block is filled with zeros.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator, Sequence

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.check import CheckError, vectors
from fieldc.machine.load import load

BLOCK = 8
"""Elements of a block of digits."""
WORD_BYTES = 8
GUARD = b"\xa5" * 64
"""What must stay as it is on both sides of an array."""


def size(f: Field, count: int) -> int:
    """Return the bytes of an array of elements."""
    held = -(-count // BLOCK) * BLOCK if f.word == DIGIT_BITS else count
    return WORD_BYTES * f.n * held


def packed(f: Field, values: Sequence[int]) -> bytes:
    """The array of some values, in the layout of the field's words."""
    words = [[v >> f.word * i & f.base - 1 for i in range(f.n)] for v in values]
    if f.word != DIGIT_BITS:
        ordered = [word for value in words for word in value]
    else:
        words += [[0] * f.n] * (-len(words) % BLOCK)
        blocks = (words[at : at + BLOCK] for at in range(0, len(words), BLOCK))
        ordered = [value[i] for block in blocks for i in range(f.n) for value in block]
    return b"".join(word.to_bytes(WORD_BYTES, "little") for word in ordered)


def unpacked(f: Field, data: bytes, count: int) -> list[int]:
    """The values of an array: packed undone."""
    view = memoryview(data).cast("Q")
    if f.word != DIGIT_BITS:
        places = ([f.n * e + i for i in range(f.n)] for e in range(count))
    else:
        places = (
            [BLOCK * f.n * (e // BLOCK) + BLOCK * i + e % BLOCK for i in range(f.n)]
            for e in range(count)
        )
    return [sum(view[at] << f.word * i for i, at in enumerate(each)) for each in places]


class ArrayFunction:
    """A loaded kernel on arrays: `void (size_t count, z, x, ...)`."""

    def __init__(
        self,
        code: bytes,
        symbol: str,
        expression: Expression,
        result_field: Field | None = None,
    ) -> None:
        self.expression = expression
        self.result_field = result_field or expression.field
        self.library = load(code)
        self.address = self.library.address(symbol)
        pointers = [ctypes.c_void_p] * (1 + len(expression.kernel.operands))
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_size_t, *pointers)(self.address)

    def at(self, count: int, *addresses: int) -> None:
        """Call it on arrays at addresses: z first."""
        self._function(count, *addresses)

    def __call__(self, *operands: Sequence[int], shared: int = 0) -> list[int]:
        """The results for operands of equal lengths. The `shared` first operands lie where z does.

        Raises CheckError if anything beside the array of results is written.
        """
        f, count = self.expression.field, len(operands[0])
        arrays = [packed(f, operand) for operand in operands]
        z = size(self.result_field, count)
        places, memory = [len(GUARD)], bytearray(GUARD + b"\x5a" * z + GUARD)
        for number, array in enumerate(arrays):
            if number < shared:
                memory[len(GUARD) : len(GUARD) + z] = array
                places.append(len(GUARD))
            else:
                places.append(len(memory))
                memory += array + GUARD
        held = (ctypes.c_char * len(memory)).from_buffer(memory)
        before = bytes(memory)
        self.at(count, *(ctypes.addressof(held) + place for place in places))
        after, start = bytes(held), len(GUARD)
        if after[:start] != before[:start] or after[start + z :] != before[start + z :]:
            operation = self.expression.kernel.operation
            raise CheckError(f"{operation} on an array of {count}: something beside z is written")
        return unpacked(self.result_field, after[start : start + z], count)


def check_arrays(function: ArrayFunction, seed: int = 0, lengths: Sequence[int] = ()) -> int:
    """Run a kernel on edge values and random ones, of every length to 17 and more; how many.

    Or of some `lengths` alone. Operands lie apart, and where z does. Raises CheckError.
    """
    every = list(vectors(function.expression, seed))
    random.Random(seed).shuffle(every)
    calls = 0
    for chosen in [every[-n:] for n in lengths] or _lengths(every):
        operands = [list(operand) for operand in zip(*chosen, strict=True)]
        converts = function.result_field != function.expression.field
        for shared in range(1 if converts else 2):
            _expect(function, operands, function(*operands, shared=shared))
            calls += 1
        if len(operands) > 1:
            same = [operands[0]] * len(operands)
            _expect(function, same, function(*same, shared=len(operands)))
            calls += 1
    return calls


def _lengths(every: Sequence[tuple[int, ...]]) -> Iterator[Sequence[tuple[int, ...]]]:
    yield every
    yield from (every[-length:] for length in range(1, 18))


def _expect(
    function: ArrayFunction, operands: Sequence[Sequence[int]], found: Sequence[int]
) -> None:
    kernel, f = function.expression.kernel, function.expression.field
    high = kernel.result.high(f)
    for number, (values, result) in enumerate(zip(zip(*operands, strict=True), found, strict=True)):
        wanted = kernel.meaning(f, *values)
        if result > high or (result - wanted) % f.p:
            given = ", ".join(
                f"{name} = {v:#x}" for (name, _), v in zip(kernel.operands, values, strict=True)
            )
            raise CheckError(
                f"{kernel.operation} on arrays for {f.label}, element {number} of {len(found)}, "
                f"{given}: got {result:#x}, expected {wanted:#x}"
            )
