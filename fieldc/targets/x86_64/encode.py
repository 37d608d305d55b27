"""The bytes of x86-64 instructions, directly: the search tries thousands of kernels a second.

Encodings are those that LLVM's assembler picks, byte for byte (Intel SDM volume 2, chapters 2, 3).
Kernels that are written to files are assembled by LLVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldc.targets.x86_64.encoding import EncodeError
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, Physical
from fieldc.targets.x86_64.operands import CONSTANTS, Memory

CACHE_LINE = 64


@dataclass(frozen=True)
class Piece:
    """One instruction's bytes; `table` is the offset of the constant that its last 4 address."""

    code: bytes
    table: int = -1


def encode(instruction: Physical) -> Piece:
    """The bytes of one instruction. Raises EncodeError."""
    row, operands = INSTRUCTIONS.get(instruction.mnemonic), instruction.operands
    if row is None or row.encode is None:
        raise EncodeError(f"no encoding of {instruction.mnemonic}")
    constants = (o for o in operands if isinstance(o, Memory) and o.base == CONSTANTS)
    table = next((o.offset for o in constants), -1)
    return Piece(row.encode(*operands), table)


def size_of(pieces: Iterable[Piece]) -> int:
    """Bytes of some instructions."""
    return sum([len(piece.code) for piece in pieces])


def table_after(size: int) -> int:
    """Where the constants of code begin: on a cache line of their own."""
    return -(-size // CACHE_LINE) * CACHE_LINE


def linked(pieces: Sequence[Piece], constants: Iterable[int]) -> bytes:
    """Return the instructions, followed by the table of constants."""
    size = size_of(pieces)
    table = table_after(size)
    words = b"".join(value.to_bytes(8, "little") for value in constants)
    return b"".join((placed(pieces, 0, table), bytes(table - size), words))


def placed(pieces: Iterable[Piece], start: int, table: int) -> bytes:
    """Instructions from a place on, with the distance of each to its constant."""
    parts, end = [], start
    for piece in pieces:
        end += len(piece.code)
        if piece.table < 0:
            parts.append(piece.code)
        else:
            parts += (piece.code[:-4], (table + piece.table - end).to_bytes(4, "little"))
    return b"".join(parts)
