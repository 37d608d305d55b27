"""What a function's code consists of: instructions by opcode and kind, and memory accesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldc.counting.decode import decode
from fieldc.counting.instructions import (
    ADDITION,
    CONTROL,
    KINDS,
    MOVE,
    MULTIPLICATION,
    STACK_POINTERS,
    SUBTRACTION,
    Access,
    DecodedInstruction,
)
from fieldc.counting.places import RootedAccess, touches_of


@dataclass(frozen=True)
class Count:
    """Counts of a sequence of instructions, and where it touches memory.

    `touches` is empty where the instructions have branches: then no path is known.
    """

    architecture: str
    code: tuple[DecodedInstruction, ...]
    touches: Sequence[Sequence[RootedAccess]] = ()
    is_run: bool = False
    """Whether these are the instructions that a call executed, not those that stand there."""

    @property
    def instructions(self) -> int:
        """How many there are."""
        return len(self.code)

    def by_opcode(self) -> dict[str, int]:
        """How often each opcode occurs, most frequent first."""
        found = Counter(i.mnemonic for i in self.code)
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def by_kind(self) -> dict[str, int]:
        """How often each kind occurs, for those that do."""
        found = Counter(i.kind for i in self.code)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def of_kind(self, kind: str) -> int:
        """How many instructions are of a kind."""
        return sum(i.kind == kind for i in self.code)

    @property
    def multiplications(self) -> int:
        """Instructions that multiply; AArch64 needs two for a whole product."""
        return self.of_kind(MULTIPLICATION)

    @property
    def is_straight(self) -> bool:
        """Whether every run executes each instruction once: nothing branches, nothing calls."""
        return all(i.kind != CONTROL or i.is_return for i in self.code)

    def accesses(self, pushed: bool = False) -> Iterable[Access]:
        """The accesses that name memory, or those of push, pop, call and ret."""
        return (a for i in self.code for a in i.accesses if a.pushed is pushed)

    def memory(self, store: bool | None = None) -> dict[int, int]:
        """How often memory is named, by width in bits: all of it, its loads or its stores."""
        found = Counter(a.width for a in self.accesses() if store is None or a.store is store)
        return dict(sorted(found.items()))

    def spills(self) -> dict[str, int]:
        """Loads and stores at the stack pointer other than by push and pop."""
        stack = self.stack_accesses()
        stores = sum(a.store for a in stack)
        return {"stores": stores, "loads": len(stack) - stores}

    def pushed_and_popped(self) -> tuple[int, int]:
        """How many registers are pushed, and popped; addresses of calls and returns are none."""
        code = (instruction for instruction in self.code if instruction.kind != CONTROL)
        stores = [a.store for instruction in code for a in instruction.accesses if a.pushed]
        return stores.count(True), stores.count(False)

    def stack_accesses(self) -> list[Access]:
        """The accesses at the stack pointer, or at a copy of it."""
        registers, found = set(STACK_POINTERS), []
        for instruction in self.code:
            found += [a for a in instruction.accesses if a.base in registers and not a.pushed]
            copy = instruction.copies
            for name in instruction.writes - set(STACK_POINTERS):
                registers.discard(name)
            if copy and copy[1] in registers:
                registers.add(copy[0])
        return found

    def row(self) -> dict[str, object]:
        """The counts for programs; widths are in bits."""
        return {
            "instructions": self.instructions,
            "by_opcode": self.by_opcode(),
            "by_kind": self.by_kind(),
            "memory": by_width(self.memory()),
            "loads": by_width(self.memory(False)),
            "stores": by_width(self.memory(True)),
            "spills": self.spills(),
            "pushes": sum(a.store for a in self.accesses(True)),
            "pops": sum(not a.store for a in self.accesses(True)),
            "multiplications": self.multiplications,
            "additions": self.of_kind(ADDITION),
            "subtractions": self.of_kind(SUBTRACTION),
            "moves": self.of_kind(MOVE),
            "straight_line": self.is_straight,
        }


def by_width(widths: dict[int, int]) -> dict[str, int]:
    """Times by width in bits, as JSON has its keys."""
    return {str(width): times for width, times in widths.items()}


def count(code: bytes, architecture: str, address: int = 0) -> Count:
    """Count a function from its bytes, for `x86_64`, `aarch64` or `riscv64`. Raises CodeError."""
    return counted(decode(code, architecture, address), architecture)


def counted(code: tuple[DecodedInstruction, ...], architecture: str) -> Count:
    """Count decoded instructions."""
    found = Count(architecture, code)
    return Count(architecture, code, touches_of(code)) if found.is_straight else found
