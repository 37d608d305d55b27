"""Mutants of finished bytes, by class: for the prover and for both checkers of certificates.

`mutants.py` changes what our compiler's instructions say. Here any bytes are changed, those that
LLVM made and those for AArch64 too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mutation.cuts import Cut, Piece, decoded

NEAR = 6
"""How many instructions apart two that are exchanged or deleted may be."""
TRIES = 1000

FLAGS_X86 = (
    *("f8", "f9", "f5"),  # clc, stc, cmc
    *("4885c0", "4839c8", "31c0", "4531db"),  # test, cmp, xor
    *("4883c000", "4883d000", "4883d900", "48f7d8", "480fbae000"),  # add, adc, sbb, neg, bt
)
FLAGS_ARM = (
    *(0xEB01001F, 0xEB1F03FF, 0xAB1F03FF),  # cmp x0, x1; cmp xzr, xzr; cmn xzr, xzr
    *(0xBA1F0063, 0xFA1F0063, 0xAB1F0063),  # adcs, sbcs and adds of xzr to x3
    *(0xEA03007F, 0xFA410000),  # tst x3, x3; ccmp x0, x1, #0, eq
)
"""Instructions that set the flags, and little else."""

Change = Callable[[Cut, random.Random], Cut]
Bits = Callable[[Piece], Sequence[int]]
"""The bits of an instruction that say one thing."""


def _swapped(cut: Cut, draw: random.Random) -> Cut:
    first, second = _two(cut, draw)
    pieces = list(cut.pieces)
    pieces[first], pieces[second] = pieces[second], pieces[first]
    return cut.with_pieces(pieces)


def _pair_deleted(cut: Cut, draw: random.Random) -> Cut:
    gone = _two(cut, draw)
    return cut.with_pieces(p for i, p in enumerate(cut.pieces) if i not in gone)


def _two(cut: Cut, draw: random.Random) -> tuple[int, int]:
    """Two places near each other, both before the return."""
    first = draw.randrange(len(cut.pieces) - 2)
    return first, min(first + draw.randint(1, NEAR), len(cut.pieces) - 2)


def _flags_inserted(cut: Cut, draw: random.Random) -> Cut:
    if cut.architecture == "aarch64":
        more = draw.choice(FLAGS_ARM).to_bytes(4, "little")
    else:
        more = bytes.fromhex(draw.choice(FLAGS_X86))
    at = draw.randrange(len(cut.pieces))
    return cut.with_pieces((*cut.pieces[:at], Piece(more), *cut.pieces[at:]))


def _one_bit(of_x86: Bits, of_arm: Bits) -> Change:
    """Flip a bit of those that an instruction has; where it has none the code stays as it was."""

    def change(cut: Cut, draw: random.Random) -> Cut:
        at = draw.randrange(len(cut.pieces))
        was = cut.pieces[at]
        if not (bits := (of_arm if cut.architecture == "aarch64" else of_x86)(was)):
            return cut
        data, bit = bytearray(was.data), draw.choice(bits)
        data[bit // 8] ^= 1 << bit % 8
        now = replace(was, data=bytes(data))
        return cut.with_pieces((*cut.pieces[:at], now, *cut.pieces[at + 1 :]))

    return change


def _displaced(cut: Cut, draw: random.Random) -> Cut:
    """An access at another distance, from a register or from the instruction."""
    at = draw.randrange(len(cut.pieces))
    was = cut.pieces[at]
    if was.to is None:
        return _displacement(cut, draw)
    now = replace(was, to=was.to ^ 1 << draw.randrange(8))
    return cut.with_pieces((*cut.pieces[:at], now, *cut.pieces[at + 1 :]))


def _registers_x86(piece: Piece) -> list[int]:
    """The fields of ModRM, SIB, REX and VEX; of a short instruction the opcode's last bits."""
    data = piece.data
    found = decoded(data)
    if found is None:
        return []
    places: list[tuple[int, int]] = []
    prefixes = next((k for k, byte in enumerate(data) if byte not in b"\x66\xf2\xf3"), 0)
    if data[prefixes] == 0xC4:
        places += [(prefixes + 1, bit) for bit in (5, 7)]
        places += [(prefixes + 2, bit) for bit in (3, 4, 5, 6)]
    elif data[prefixes] >> 4 == 4:
        places += [(prefixes, 0), (prefixes, 2)]
    if modrm := found.encoding.modrm_offset:
        places += [(modrm, bit) for bit in range(6)]
        if data[modrm] & 7 == 4 and data[modrm] >> 6 != 3:
            places += [(modrm + 1, bit) for bit in range(3)]
    elif found.operands:
        places += [(prefixes + (data[prefixes] >> 4 == 4), bit) for bit in range(3)]
    return [8 * byte + bit for byte, bit in places]


def _immediate_x86(piece: Piece) -> range:
    found = decoded(piece.data)
    encoding = found and found.encoding
    return _field(encoding.imm_offset, encoding.imm_size) if encoding else range(0)


def _displacement_x86(piece: Piece) -> range:
    found = decoded(piece.data)
    encoding = found and found.encoding
    return _field(encoding.disp_offset, encoding.disp_size) if encoding else range(0)


def _field(offset: int, size: int) -> range:
    return range(8 * offset, 8 * (offset + size)) if offset else range(0)


def _registers_arm(piece: Piece) -> list[int]:
    return [*range(10), *range(16, 21)]


def _immediate_arm(piece: Piece) -> range:
    """What is left of an instruction with three registers: conditions, shifts, a fourth one."""
    return range(0) if _is_access(piece) else range(10, 16)


def _displacement_arm(piece: Piece) -> range:
    return range(10, 22) if _is_access(piece) else range(0)


def _is_access(piece: Piece) -> bool:
    """Whether it loads or stores."""
    return piece.data[3] & 0x0A == 0x08


_displacement = _one_bit(_displacement_x86, _displacement_arm)

CLASSES: dict[str, Change] = {
    "instructions swapped": _swapped,
    "pair deleted": _pair_deleted,
    "flags set": _flags_inserted,
    "register": _one_bit(_registers_x86, _registers_arm),
    "immediate": _one_bit(_immediate_x86, _immediate_arm),
    "displacement": _displaced,
}
"""What attacks on the prover drew, beside the single changes of `mutants.py`."""


def drawn(cut: Cut, name: str, many: int) -> Iterator[bytes]:
    """So many different mutants of a class, or fewer where it has few; always the same ones."""
    draw = random.Random(f"{name} of {len(cut.pieces)}")
    seen = {cut.joined()}
    for _ in range(TRIES):
        try:
            mutant = CLASSES[name](cut, draw).joined()
        except OverflowError:  # a distance that has no place
            continue
        if mutant in seen:
            continue
        seen.add(mutant)
        yield mutant
        if len(seen) > many:
            return
