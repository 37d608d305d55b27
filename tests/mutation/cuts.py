"""Finished code cut into its instructions, and put together again with its constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import capstone
from capstone import x86_const as x86

ALIGNED = 64
"""Constants keep their place modulo this many bytes."""
RETURN_ARM = bytes.fromhex("c0035fd6")
ADR, LOAD_LITERAL = 0x10000000, 0x58000000
DISTANCE_X86 = 4
"""Bytes of a distance from the instruction pointer."""


@dataclass(frozen=True)
class Piece:
    """One instruction. A relative address is `to`, counted from the constants, written at `at`."""

    data: bytes
    to: int | None = None
    at: int = 0


@dataclass(frozen=True)
class Cut:
    """A routine's instructions to the return, and what lies after them."""

    architecture: str
    pieces: tuple[Piece, ...]
    constants: bytes
    place: int
    """Of the constants, modulo ALIGNED."""

    def with_pieces(self, pieces: Iterable[Piece]) -> Cut:
        """Other instructions before the same constants."""
        return replace(self, pieces=tuple(pieces))

    def joined(self) -> bytes:
        """The bytes, each relative address pointing to the same constant as before."""
        length = sum(len(piece.data) for piece in self.pieces)
        length += (self.place - length) % ALIGNED
        aim = _aimed_arm if self.architecture == "aarch64" else _aimed_x86
        code = b""
        for piece in self.pieces:
            code += piece.data if piece.to is None else aim(piece, length + piece.to - len(code))
        return code.ljust(length, b"\0") + self.constants


def cut(code: bytes, architecture: str) -> Cut:
    """Cut a routine that begins at the first byte and returns once."""
    pieces = _cut_arm(code) if architecture == "aarch64" else _cut_x86(code)
    length = sum(len(piece.data) for piece in pieces)
    aimed = (p if p.to is None else replace(p, to=p.to - length) for p in pieces)
    return Cut(architecture, tuple(aimed), code[length:], length % ALIGNED)


def decoded(data: bytes) -> capstone.CsInsn | None:
    """One x86-64 instruction with its parts, or None where the bytes are none."""
    engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    engine.detail = True
    return next(engine.disasm(data, 0, 1), None)


def _cut_x86(code: bytes) -> Sequence[Piece]:
    pieces: list[Piece] = []
    place = 0
    while not pieces or pieces[-1].data != b"\xc3":
        found = decoded(code[place : place + 15])
        assert found is not None
        place += found.size
        relative = any(
            o.type == x86.X86_OP_MEM and o.mem.base == x86.X86_REG_RIP for o in found.operands
        )
        to = place + found.disp if relative else None
        pieces.append(Piece(bytes(found.bytes), to, found.encoding.disp_offset))
    return pieces


def _aimed_x86(piece: Piece, distance: int) -> bytes:
    data = piece.data
    moved = (distance - len(data)).to_bytes(DISTANCE_X86, "little", signed=True)
    return data[: piece.at] + moved + data[piece.at + DISTANCE_X86 :]


def _cut_arm(code: bytes) -> Sequence[Piece]:
    pieces: list[Piece] = []
    while not pieces or pieces[-1].data != RETURN_ARM:
        place = 4 * len(pieces)
        word = int.from_bytes(code[place : place + 4], "little")
        high = word >> 5 & (1 << 19) - 1
        if word & 0x9F000000 == ADR:
            distance = (high << 2 | word >> 29 & 3) - (high >> 18 << 21)
            pieces.append(Piece(code[place : place + 4], place + distance))
        elif word & 0xFF000000 == LOAD_LITERAL:
            distance = (high << 2) - (high >> 18 << 21)
            pieces.append(Piece(code[place : place + 4], place + distance))
        else:
            pieces.append(Piece(code[place : place + 4]))
    return pieces


def _aimed_arm(piece: Piece, distance: int) -> bytes:
    word = int.from_bytes(piece.data, "little") & ~(((1 << 19) - 1) << 5)
    if word & 0x9F000000 == ADR:
        word = word & ~(3 << 29) | (distance & 3) << 29
    return (word | (distance >> 2 & (1 << 19) - 1) << 5).to_bytes(4, "little")
