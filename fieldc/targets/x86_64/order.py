"""The order of instructions: what each reads and writes, and moves that keep the result.

A move takes the instruction at one place to another place. It is legal where the instruction
passes none that writes what it reads or writes, or reads what it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fieldc.errors import UserError
from fieldc.targets.x86_64.instructions import (
    CF,
    INSTRUCTIONS,
    OF,
    SIGNS,
    Physical,
    VirtualCode,
)
from fieldc.targets.x86_64.operands import (
    CONSTANTS,
    STACK,
    Immediate,
    Memory,
    Operand,
    Register,
    Virtual,
)

Move = tuple[int, int]
Ordered = TypeVar("Ordered", VirtualCode, Physical)


class OrderError(UserError):
    """A move is not legal in this code; the message is one line."""


@dataclass(frozen=True)
class Touch:
    """What an instruction reads and writes: sets of places, as bits."""

    reads: int
    writes: int

    def before(self, other: Touch) -> bool:
        """Whether these two must keep their order."""
        return bool(self.writes & (other.reads | other.writes) or self.reads & other.writes)


_NAMES = (CF, OF, SIGNS, "operands", "rax", "rcx", "rdx", "rbx", STACK, "rbp", "rsi", "rdi")
BITS = {name: 1 << i for i, name in enumerate((*_NAMES, *(f"r{i}" for i in range(8, 16))))}
"""One bit each for flags, registers, and the memory of the operands, which may be the result's."""
VIRTUALS = len(BITS)
"""Above it: virtual registers by their numbers, or words of the stack by their offsets."""
EVERYTHING = Touch(-1, -1)


def touch(instruction: VirtualCode | Physical) -> Touch:
    """What an instruction touches."""
    if isinstance(instruction, VirtualCode):
        return _touch_of_virtual(instruction)
    return _touch_of_physical(instruction)


def _touch_of_virtual(instruction: VirtualCode) -> Touch:
    row = instruction.row
    reads = _all(map(_bits, instruction.reads)) | _all(BITS[f] for f in row.reads_flags)
    writes = _all(map(_bits, instruction.writes)) | _all(BITS[f] for f in row.writes_flags)
    if row.mnemonic == "store":
        writes |= BITS["operands"]
    return Touch(reads, writes)


def _touch_of_physical(instruction: Physical) -> Touch:
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if mnemonic == "ret":
        return EVERYTHING
    row = INSTRUCTIONS[mnemonic]
    printed = 0 if row.fixed_writes else row.writes
    written = operands[: 1 if mnemonic == "store" else printed]
    read = operands if row.tied or mnemonic == "sbb_mask" else operands[len(written) :]
    reads = _all(map(_bits, read)) | _all(BITS[f] for f in row.reads_flags)
    reads |= _all(BITS[name] for _, name in row.fixed_reads)
    writes = _all(map(_bits, written)) | _all(BITS[f] for f in row.writes_flags)
    writes |= _all(BITS[name] for _, name in row.fixed_writes)
    for place in written:
        if isinstance(place, Memory):  # its address is read
            reads |= BITS[str(place.base)]
            writes &= ~BITS[str(place.base)]
    if mnemonic in ("push", "pop"):
        writes |= BITS[STACK]
    return Touch(reads, writes)


def _bits(place: Operand | Register) -> int:
    """Return the bit of a place. A virtual register with a fixed register has its bit too."""
    if isinstance(place, Virtual):
        return 1 << VIRTUALS + place.number | BITS.get(place.fixed, 0)
    if isinstance(place, Register):
        return BITS[place.name]
    if isinstance(place, Immediate) or place.base == CONSTANTS:
        return 0
    if isinstance(place.base, Virtual):
        return 1 << VIRTUALS + place.base.number | BITS["operands"]
    if place.base == STACK:
        return BITS[STACK] | 1 << VIRTUALS + place.offset
    return BITS[str(place.base)] | BITS["operands"]


def _all(bits: Iterable[int]) -> int:
    total = 0
    for each in bits:
        total |= each
    return total


def reach(touched: Callable[[int], Touch], count: int, start: int) -> range:
    """The places that one of `count` instructions may move to, its own among them."""
    mine, low, high = touched(start), start, start
    while low > 0 and not mine.before(touched(low - 1)):
        low -= 1
    while high < count - 1 and not mine.before(touched(high + 1)):
        high += 1
    return range(low, high + 1)


def may_move(code: Sequence[VirtualCode] | Sequence[Physical], move: Move) -> bool:
    """Whether a move is legal."""
    start, end = move
    if not (0 <= start < len(code) and 0 <= end < len(code)):
        return False
    mine, passed = touch(code[start]), code[start + 1 : end + 1] or code[end:start]
    return not any(mine.before(touch(other)) for other in passed)


def ordered(code: Sequence[Ordered], moves: Iterable[Move]) -> list[Ordered]:
    """The code after some moves, one after the other. Raises OrderError."""
    moved = list(code)
    for move in moves:
        if not may_move(moved, move):
            raise OrderError(f"instruction {move[0]} cannot move to {move[1]} in this kernel")
        shift(moved, move)
    return moved


Item = TypeVar("Item")


def shift(items: list[Item], move: Move) -> None:
    """Take one item of a list to another place."""
    start, end = move
    items.insert(end, items.pop(start))
