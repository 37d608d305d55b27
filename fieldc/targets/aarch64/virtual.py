"""AArch64 code on virtual registers: what selection makes, and what is ordered and allocated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.words.program import Value

ZERO = -1
"""The register `xzr`."""
TABLE_LABEL = "2"
"""The label of the constants."""
WORD_BYTES = 8
FAR = 504
"""The furthest offset of a pair in memory."""


@dataclass(frozen=True)
class ArmCode:
    """Instructions on virtual registers: a text with places for those it writes, then reads.

    `pinned` keep their order among themselves: they touch flags, or store.
    """

    text: str
    writes: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    pinned: bool = False


@dataclass(frozen=True)
class Selected:
    """The code of a program; its pointers in the order of the convention."""

    code: tuple[ArmCode, ...]
    pointers: tuple[int, ...]
    again: dict[int, ArmCode]
    """Registers that one instruction makes again, as it made them first."""


@dataclass(frozen=True)
class Shift:
    """A word shifted: `by` is what stands after the register that holds it."""

    word: Value
    by: str

    @property
    def instruction(self) -> str:
        """The shift as an instruction of its own."""
        name, amount = self.by.split()
        return f"{name} {{}}, {{}}, {amount}"


def code_of(text: str, writes: tuple[int, ...], reads: tuple[int, ...], pinned: bool) -> ArmCode:
    """An instruction whose text has a place for each register; `xzr` is written there."""
    places = (*writes, *reads)
    numbers = iter(range(len(places)))
    names = ["xzr" if place == ZERO else f"{{{next(numbers)}}}" for place in places]
    written, read = (tuple(p for p in group if p != ZERO) for group in (writes, reads))
    return ArmCode(text.format(*names), written, read, pinned)


def on_registers(text: str, registers: Sequence[int], slot: int = 0) -> list[str]:
    """The lines of a text on these registers; `w{}` stands for the lower half of one."""
    lines = text.format(*(f"x{register}" for register in registers), slot=slot)
    return lines.replace("wx", "w").split("\n")


def number_text(number: int) -> str:
    """`mov`, then `movk` for each part of 16 bits that it left wrong."""
    parts = [number >> shift & 0xFFFF for shift in range(0, 64, 16)]
    rest = 0xFFFF if parts.count(0xFFFF) > parts.count(0) else 0
    unlike = [i for i, part in enumerate(parts) if part != rest] or [0]
    first = unlike[0]
    value = parts[first] << 16 * first
    if rest:
        value = -1 - ((0xFFFF ^ parts[first]) << 16 * first)
    lines = [f"mov {{0}}, #{value}"]
    lines += [f"movk {{0}}, #{parts[i]}, lsl #{16 * i}" for i in unlike[1:]]
    return "\n".join(lines)


def address_of(limb: int) -> str:
    """A limb in memory, by a pointer."""
    return f"[{{}}, #{WORD_BYTES * limb}]" if limb else "[{}]"


def pair_of(limb: int) -> tuple[int, ...]:
    """The limbs that one instruction loads or stores with this one."""
    first = limb & -2
    return (first, first + 1) if WORD_BYTES * first <= FAR else (limb,)
