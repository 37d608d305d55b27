"""What a register or a word of memory may hold while a straight-line program runs on symbols."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.algebra.equations import Polynomial

GOROUTINE = "fs:[-8]"
"""Go's record of what runs: its address is at fs:[-8], and in r14 by the newer convention."""


@dataclass(frozen=True)
class Pointer:
    """An address: `base` is an operand's name, `code` or `stack`; offset in bytes."""

    base: str
    offset: int


@dataclass(frozen=True)
class OnEntry:
    """What a register held on entry, of which nothing is known."""

    register: str


@dataclass(frozen=True)
class LowByte:
    """A register of which only the low 8 bits are known: a constant or a flag, or not even they."""

    value: Polynomial | None


@dataclass(frozen=True)
class AnyOf:
    """The `or` of several words, which may only be asked whether it is 0."""

    words: tuple[Polynomial, ...]


@dataclass(frozen=True)
class Signed:
    """A return address whose upper bits hold a code, made by a key from the stack pointer."""

    address: OnEntry | Pointer
    key: str
    stack: int


Value = Polynomial | Pointer | OnEntry | LowByte | AnyOf | Signed


def word(value: int) -> Polynomial:
    """A constant word."""
    return {(): value} if value else {}
