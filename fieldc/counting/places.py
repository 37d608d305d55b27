"""Where a straight run of code touches memory, as far as its text tells: registers that hold an
entry value plus a constant are followed, so that equal places get equal names."""

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


class Places:
    """What each register holds: a root and an offset."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[Hashable, int]] = {}
        self.fresh = 0

    def touches(self, instruction: DecodedInstruction) -> list[RootedAccess]:
        """Return the places of an instruction, and then follow what it does to the registers."""
        found = [self._touch(access) for access in instruction.accesses]
        self._follow(instruction)
        return found

    def _value(self, register: str) -> tuple[Hashable, int]:
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
