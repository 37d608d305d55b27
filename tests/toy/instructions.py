"""The toy's instructions: a row each, with opcode and meaning, printed and encoded by one rule."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from fieldc.words.operations import LOAD, OPERATIONS, WordOperation

OPCODES: dict[int, WordOperation] = dict(enumerate(OPERATIONS.values()))
NUMBERS = {operation.name: code for code, operation in OPCODES.items()}
STORE = 0xFF
"""Writes a cell to a word of z."""
HEAD = struct.Struct("<BBBH")
READ = struct.Struct("<BQ")
WRITE = struct.Struct("<H")


@dataclass(frozen=True)
class Instruction:
    """`writes` are cells; `reads` are (is a number, the number or the cell)."""

    opcode: int
    writes: tuple[int, ...]
    reads: tuple[tuple[bool, int], ...]
    attribute: int = 0

    def encode(self) -> bytes:
        """Its bytes."""
        head = HEAD.pack(self.opcode, len(self.writes), len(self.reads), self.attribute)
        writes = b"".join(map(WRITE.pack, self.writes))
        return head + writes + b"".join(READ.pack(*read) for read in self.reads)

    def print(self) -> str:
        """Its line of assembly."""
        name = "store" if self.opcode == STORE else OPCODES[self.opcode].name
        cells = [f"c{cell}" for cell in self.writes]
        read = [f"#{value:#x}" if number else f"c{value}" for number, value in self.reads]
        attribute = [f".{self.attribute}"] if self.opcode in (STORE, NUMBERS[LOAD.name]) else []
        return f"    {name} {', '.join((*cells, *read, *attribute))}"


def decode(code: bytes) -> list[Instruction]:
    """Instructions from bytes."""
    found, at = [], 0
    while at < len(code):
        opcode, writes, reads, attribute = HEAD.unpack_from(code, at)
        at += HEAD.size
        cells = tuple(WRITE.unpack_from(code, at + WRITE.size * i)[0] for i in range(writes))
        at += WRITE.size * writes
        pairs = [READ.unpack_from(code, at + READ.size * i) for i in range(reads)]
        at += READ.size * reads
        found.append(Instruction(opcode, cells, tuple((bool(n), v) for n, v in pairs), attribute))
    return found
