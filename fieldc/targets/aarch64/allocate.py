"""Registers for straight-line AArch64 code: one pass, and the furthest next use waits in the stack.

Belady (1966). What one instruction makes again, such as a limb that is loaded, needs no place to
wait. Two registers are never used: x18 is the system's on macOS and Windows, and x29 points to a
frame at all times on macOS.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fieldc.targets.aarch64.virtual import ArmCode, Selected, on_registers

FREE = tuple(range(18))
"""Registers that a callee may change."""
SAVED = (*range(19, 29), 30)
"""Registers that a callee restores; x30 is the return address."""
SLOT = 8
NEVER = 1 << 60
FAR = 504
"""The furthest offset of stp."""


@dataclass
class Allocator:
    """Gives every virtual register of a piece of code a place."""

    selected: Selected
    code: Sequence[ArmCode]
    lines: list[tuple[str, tuple[int, ...], int]] = field(default_factory=list)
    """Texts with their registers, and the stack's slot that each names, or -1."""

    def __post_init__(self) -> None:
        self.uses: dict[int, list[int]] = defaultdict(list)
        for position, instruction in enumerate(self.code):
            for read in instruction.reads:
                self.uses[read].append(position)
        self.where = {p: i for i, p in enumerate(self.selected.pointers) if self.uses[p]}
        self.holder = {register: virtual for virtual, register in self.where.items()}
        self.slots: dict[int, int] = {}
        self.unused_slots: list[int] = []
        self.slot_count = 0
        self.taken: set[int] = set()
        stores = [i for i, each in enumerate(self.code) if each.text.startswith("st")]
        self.first_store = min(stores, default=len(self.code))
        self.now = 0
        self.reread: set[int] = set()
        """Pointers by which operands of the current instruction were made again."""

    def run(self) -> None:
        """Allocate every instruction, in order."""
        for position, instruction in enumerate(self.code):
            self.now = position
            locked: set[int] = set()
            self.reread = set()
            for read in instruction.reads:
                self._bring(read, locked)
            reads = tuple(self.where[v] for v in instruction.reads)
            for read in {*instruction.reads, *self.reread}:
                self._free_if_dead(read)
            for written in instruction.writes:
                self._take(written, locked)
            writes = tuple(self.where[v] for v in instruction.writes)
            self.lines.append((instruction.text, (*writes, *reads), -1))
            for written in instruction.writes:
                self._free_if_dead(written)

    def _next_use(self, virtual: int) -> int:
        """The next instruction that reads it, this one included."""
        uses = self.uses[virtual]
        place = bisect_left(uses, self.now)
        return uses[place] if place < len(uses) else NEVER

    def _free_if_dead(self, virtual: int) -> None:
        uses = self.uses[virtual]
        if uses and uses[-1] > self.now:
            return
        if virtual in self.where:
            del self.holder[self.where.pop(virtual)]
        if virtual in self.slots:
            self.unused_slots.append(self.slots.pop(virtual))

    def _bring(self, virtual: int, locked: set[int]) -> None:
        """Have a value in a register, from its slot or made again."""
        if virtual not in self.where:
            again = self.selected.again.get(virtual)
            if virtual in self.slots or again is None:
                self._take(virtual, locked)
                text = "ldr {}, [sp, #{slot}]"
                self.lines.append((text, (self.where[virtual],), self.slots[virtual]))
            else:
                for read in again.reads:
                    self._bring(read, locked)
                registers = tuple(self.where[read] for read in again.reads)
                self._take(virtual, locked)
                self.lines.append((again.text, (self.where[virtual], *registers), -1))
                self.reread.update(again.reads)
        locked.add(self.where[virtual])

    def _take(self, virtual: int, locked: set[int]) -> None:
        """Give a value a register."""
        free = next((r for r in (*FREE, *SAVED) if r not in self.holder), None)
        if free is None:
            victims = [v for r, v in self.holder.items() if r not in locked]
            victim = max(victims, key=lambda v: (self._patience(v), v))
            free = self.where[victim]
            self._evict(victim)
        self.where[virtual], self.holder[free] = free, virtual
        self.taken.add(free)
        locked.add(free)

    def _patience(self, virtual: int) -> int:
        """How long a value is not read; twice that if it needs no store to wait."""
        distance = self._next_use(virtual) - self.now
        return distance * (2 if virtual in self.slots or self._is_again(virtual) else 1)

    def _is_again(self, virtual: int) -> bool:
        """Whether a value can be made again where it is read next.

        An operand's limb only from a pointer that is there, and before z, which may lie on it.
        """
        again = self.selected.again.get(virtual)
        if again is None:
            return False
        pointers = self.selected.pointers
        if (
            any(read in pointers for read in again.reads)
            and self._next_use(virtual) > self.first_store
        ):
            return False
        return all(read in self.where or read in self.slots for read in again.reads)

    def _evict(self, virtual: int) -> None:
        source = self.where.pop(virtual)
        del self.holder[source]
        if virtual in self.slots:
            return
        if self._is_again(virtual):
            for read in self.selected.again[virtual].reads:
                insort(self.uses[read], self._next_use(virtual))
            return
        if not self.unused_slots:
            self.unused_slots.append(self.slot_count)
            self.slot_count += 1
        self.slots[virtual] = self.unused_slots.pop()
        self.lines.append(("str {}, [sp, #{slot}]", (source,), self.slots[virtual]))


def allocated(selected: Selected, code: Sequence[ArmCode]) -> list[str]:
    """The lines of a function, from its first instruction to `ret`."""
    allocator = Allocator(selected, code)
    allocator.run()
    saved = sorted(allocator.taken.intersection(SAVED))
    below = SLOT * (len(saved) + len(saved) % 2)
    frame = below + SLOT * (allocator.slot_count + allocator.slot_count % 2)
    before, after = framed(saved, frame)
    lines = list(before)
    for text, registers, slot in allocator.lines:
        lines += on_registers(text, registers, below + SLOT * slot)
    return [*lines, *after, "ret"]


def framed(saved: Sequence[int], frame: int) -> tuple[list[str], list[str]]:
    """What saves registers in pairs and makes room, and what takes both back."""
    pairs = [saved[i : i + 2] for i in range(0, len(saved), 2)]
    before: list[str] = []
    after: list[str] = []
    for i, pair in enumerate(pairs):
        names = ", ".join(f"x{register}" for register in pair)
        kind = "p" if len(pair) == 2 else "r"
        first = i == 0 and frame <= (FAR if len(pair) == 2 else 255)
        place = f"[sp, #{2 * SLOT * i}]"
        before.append(f"st{kind} {names}, " + (f"[sp, #-{frame}]!" if first else place))
        after.insert(0, f"ld{kind} {names}, " + (f"[sp], #{frame}" if first else place))
    if frame and not (pairs and before[0].endswith("!")):
        before.insert(0, f"sub sp, sp, #{frame}")
        after.append(f"add sp, sp, #{frame}")
    return before, after
