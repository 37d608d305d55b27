"""Where a straight run of code touches memory, as far as its text tells.

Registers that hold an entry value plus a constant are followed, also through the stack, so that
equal places get equal names.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fieldc.counting.instructions import STACK_POINTERS, Access, DecodedInstruction


@dataclass(frozen=True)
class RootedAccess:
    """`size` bytes of memory, from an offset to a root; roots are taken to lie apart.

    `operand` says that it is no stack and no constant: the caller gave the address.
    """

    store: bool
    root: Hashable
    offset: int
    size: int
    operand: bool


RootedAddress = tuple[Hashable, int]
"""A root and an offset."""
WORD = 8
"""Bytes of a register."""


class Places:
    """What each register holds, and each word of memory that a register was stored in."""

    def __init__(self) -> None:
        self.held: dict[str, RootedAddress] = {}
        self.stored: dict[RootedAddress, RootedAddress] = {}
        self.fresh = 0

    def touches(self, instruction: DecodedInstruction) -> list[RootedAccess]:
        """Return the places of an instruction, and then follow what it does to the registers."""
        found = [self._touch(access) for access in instruction.accesses]
        named = list(zip(found, (access.register for access in instruction.accesses), strict=True))
        loaded = {
            name: self.stored[touch.root, touch.offset]
            for touch, name in named
            if not touch.store and touch.size == WORD and (touch.root, touch.offset) in self.stored
        }
        for touch, name in named:
            if touch.store:
                self._store(touch, name if instruction.moves_only else "")
        self._follow(instruction)
        if instruction.moves_only:
            self.held |= {name: loaded[name] for name in instruction.writes & loaded.keys()}
        return found

    def _store(self, touch: RootedAccess, register: str) -> None:
        """Forget what a store overwrites; remember the value of a whole register."""
        for root, offset in list(self.stored):
            if root == touch.root and -WORD < offset - touch.offset < touch.size:
                del self.stored[root, offset]
        if register and touch.size == WORD:
            self.stored[touch.root, touch.offset] = self._value(register)

    def _value(self, register: str) -> RootedAddress:
        return self.held.get(register, (register, 0))

    def _touch(self, access: Access) -> RootedAccess:
        root, offset = self._value(access.base)
        if access.index:
            root = root, self._value(access.index), access.scale
        operand = root not in ("", *STACK_POINTERS)
        return RootedAccess(access.store, root, offset + access.offset, access.width // 8, operand)

    def _follow(self, instruction: DecodedInstruction) -> None:
        copy = instruction.copies
        value = (self._value(copy[1])[0], self._value(copy[1])[1] + copy[2]) if copy else None
        for register in instruction.writes:
            self.fresh += 1
            self.held[register] = (self.fresh, 0)
        if copy and value:
            self.held[copy[0]] = value


def touches_of(code: Sequence[DecodedInstruction]) -> list[list[RootedAccess]]:
    """The places that each instruction of a straight run touches."""
    places = Places()
    return [places.touches(instruction) for instruction in code]
