"""Unwind data of AArch64 kernels: where the caller's frame and registers are at each instruction.

A kernel saves registers and makes room before all else, and takes both back just before `ret`. The
directives are GNU's. Objects get the same as bytes of `.eh_frame`, by DWARF 4 (6.4, 7.23) and the
Linux Standard Base; LLVM in this process has no assembler but its host's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fieldc.errors import UserError
from fieldc.targets.aarch64.kernel import LANDING_PAD

INSTRUCTION = 4
SLOT = 8
KEPT = range(19, 31)
"""Registers that a kernel gives back: x30 has the place to return to."""
BEGIN, END = ".cfi_startproc", ".cfi_endproc"
MOVED = re.compile(r"(sub|add) sp, sp, #(\d+)")
STORED = re.compile(
    r"(st|ld)[pr] x(\d+)(?:, x(\d+))?, \[sp(?:, #(-?\d+)\]!|, #(\d+)\]|\](?:, #(\d+))?)"
)
CIE = bytes([*(0, 0, 0, 0), 1, *b"zR\0", INSTRUCTION, 0x78, 30, 1, 0x1B, 0x0C, 31, 0])
"""All but its length: pc-relative places of 4 bytes; on entry the frame is at the stack pointer."""
NOP, ADVANCE, ADVANCE_2, OFFSET, RESTORE, FRAME_OFFSET = 0, 0x40, 3, 0x80, 0xC0, 0x0E


class UndescribedRoutines(UserError):
    """A kernel calls routines, whose frames are not described."""


@dataclass(frozen=True)
class FrameStep:
    """What an instruction changes."""

    frame: int | None = None
    """The stack pointer's distance from the caller's frame after it, where that changes."""
    saved: tuple[tuple[int, int], ...] = ()
    """Registers, and how far below the caller's frame they lie."""
    restored: tuple[int, ...] = ()

    @property
    def directives(self) -> Iterator[str]:
        """As lines of assembly."""
        if self.frame is not None:
            yield f".cfi_def_cfa_offset {self.frame}"
        yield from (f".cfi_offset {register}, -{below}" for register, below in self.saved)
        yield from (f".cfi_restore {register}" for register in self.restored)

    @property
    def code(self) -> bytes:
        """As bytes of `.eh_frame`."""
        found = b"" if self.frame is None else bytes([FRAME_OFFSET]) + _uleb(self.frame)
        for register, below in self.saved:
            found += bytes([OFFSET | register]) + _uleb(below // SLOT)
        return found + bytes(RESTORE | register for register in self.restored)


def frame_steps(lines: Sequence[str]) -> dict[int, FrameStep]:
    """The instructions that change the frame, by their numbers; constants stand after `ret`."""
    lines = lines[: lines.index("ret") + 1]
    found: dict[int, FrameStep] = {}
    frame, kept = 0, dict[int, int]()
    for number, line in enumerate(lines):
        if moved := MOVED.fullmatch(line):
            frame += int(moved[2]) if moved[1] == "sub" else -int(moved[2])
            found[number] = FrameStep(frame)
        elif (stored := STORED.fullmatch(line)) and int(stored[2]) in KEPT:
            registers = [int(register) for register in (stored[2], stored[3]) if register]
            before, at, after = (int(stored[i] or 0) for i in (4, 5, 6))
            frame -= before
            places = {r: frame - at - SLOT * i for i, r in enumerate(registers)}
            if stored[1] == "st" and kept.keys().isdisjoint(places) and _is_first(lines, number):
                kept |= places
                found[number] = FrameStep(frame if before else None, tuple(places.items()))
            elif stored[1] == "ld" and places.items() <= kept.items() and _is_last(lines, number):
                frame -= after
                restored = tuple(places)
                found[number] = FrameStep(frame if after else None, restored=restored)
    return found


def _is_first(lines: Sequence[str], number: int) -> bool:
    """Whether only what saves and makes room stands before an instruction."""
    return all(line == LANDING_PAD or _is_of_frame(line, "st") for line in lines[:number])


def _is_last(lines: Sequence[str], number: int) -> bool:
    """Whether only what takes back stands between an instruction and `ret`."""
    return all(line == "ret" or _is_of_frame(line, "ld") for line in lines[number:])


def _is_of_frame(line: str, way: str) -> bool:
    stored = STORED.fullmatch(line)
    return bool(MOVED.fullmatch(line) or (stored and stored[1] == way and int(stored[2]) in KEPT))


def with_directives(lines: Sequence[str]) -> list[str]:
    """The lines of a function with directives."""
    steps = frame_steps(lines)
    found = [BEGIN]
    for number, line in enumerate(lines):
        found += [line, *(steps[number].directives if number in steps else ())]
        if line == "ret":
            found.append(END)
    return found


def frame_description(lines: Sequence[str]) -> tuple[bytes, bytes]:
    """The bytes of `.eh_frame` before and after the place of the function."""
    cie = _padded(CIE)
    code, at = b"", 0
    for number, step in frame_steps(lines).items():
        code += _advanced(number + 1 - at) + step.code
        at = number + 1
    size = (lines.index("ret") + 1) * INSTRUCTION
    rest = _padded(_word(len(cie) + 4) + bytes(4) + _word(size) + b"\0" + code)
    return cie + rest[:8], rest[12:]


def _padded(content: bytes) -> bytes:
    """Its length, and the content up to a multiple of 8."""
    content += bytes([NOP] * (-(len(content) + 4) % 8))
    return _word(len(content)) + content


def _advanced(count: int) -> bytes:
    """Instructions to go on by; a kernel's body may be long."""
    if count < ADVANCE:
        return bytes([ADVANCE | count])
    size = 4 if count >> 16 else 2
    return bytes([ADVANCE_2 + (size == 4)]) + count.to_bytes(size, "little")


def _word(number: int) -> bytes:
    return number.to_bytes(4, "little")


def _uleb(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
