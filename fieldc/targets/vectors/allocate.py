"""Vector registers for straight-line code: furthest next use is spilled (Belady, 1966).

A value that was loaded from memory, or from a table, is not spilled: it is read there again, in
the instruction that needs it where that can read memory. Nothing is stored before all is loaded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from fieldc.targets.vectors.instructions import (
    INSTRUCTIONS,
    ZMM,
    Fixed,
    Rows,
    Vector,
    VectorInstruction,
    VectorSet,
    VirtualVector,
)
from fieldc.targets.vectors.select import MERGE_BY_MASK_FIRST
from fieldc.targets.x86_64.operands import (
    STACK,
    Immediate,
    Memory,
    Operand,
    Placed,
    Register,
    Virtual,
)

NEVER = 1 << 60
MERGES = {0: MERGE_BY_MASK_FIRST, 1: 0xE2, 2: 0xB8}
"""vpternlogq's table for a merge, by which of mask, a, b comes first; the mask then is second."""


class AllocationError(RuntimeError):
    """An instruction needs more registers at once than there are (a defect)."""


@dataclass
class Allocation:
    """Physical code and the bytes of stack that it uses."""

    code: list[Vector] = field(default_factory=list)
    frame: int = 0
    spills: int = 0


def allocate(
    code: Sequence[VirtualVector],
    held: Mapping[Virtual, str] = MappingProxyType({}),
    kept: Mapping[Virtual, str] = MappingProxyType({}),
    rows: Rows = INSTRUCTIONS,
    registers: VectorSet = ZMM,
) -> Allocation:
    """Give every virtual register a place.

    What is `held` begins in a register, and what is `kept` ends in it. Nothing else is there.
    """
    allocator = _Allocator(code, held, kept, rows, registers)
    for position, line in enumerate(code):
        allocator.step(position, line)
    allocator.check_kept(kept)
    return allocator.result


class _Allocator:
    def __init__(
        self,
        code: Sequence[VirtualVector],
        held: Mapping[Virtual, str],
        kept: Mapping[Virtual, str],
        rows: Rows,
        registers: VectorSet,
    ) -> None:
        self.result = Allocation()
        self._rows, self._slot_bytes = rows, registers.bytes
        self._free = [name for name in reversed(registers.names) if name not in held.values()]
        self._uses: dict[Virtual, list[int]] = defaultdict(list)
        for position, line in enumerate(code):
            for operand in line.reads:
                if isinstance(operand, Virtual):
                    self._uses[operand].append(position)
        for positions in self._uses.values():
            positions.reverse()
        for virtual in kept:
            self._uses[virtual].insert(0, len(code))
        self._where: dict[Virtual, str] = dict(held)
        self._homes: dict[Virtual, tuple[VectorInstruction, Memory]] = {}
        self._slots: list[Memory] = []
        self._slots_read_now: list[Memory] = []
        self._now = 0

    def check_kept(self, kept: Mapping[Virtual, str]) -> None:
        """Raise AllocationError unless everything that is kept is in its register."""
        if any(self._where.get(virtual) != register for virtual, register in kept.items()):
            raise AllocationError("what a loop holds in registers has left them")

    def step(self, position: int, line: VirtualVector) -> None:
        """Allocate one instruction: read, free what dies, write."""
        self._now = position
        # A spill goes before the instruction: it must not land where the instruction still reads.
        self._slots += self._slots_read_now
        self._slots_read_now = []
        if line.row.mnemonic in ("vmovdqu64", "vpbroadcastq") and line.write is not None:
            (source,) = line.reads
            if isinstance(source, Memory):  # made where it is read first
                self._homes[line.write] = line.row, source
                return
        line = self._best_order(line)
        held: set[Virtual] = {v for v in line.reads if v in self._where}
        operands: list[Placed | Fixed] = []
        for index, operand in enumerate(line.reads):
            in_memory = line.row.memory == index and line.write is not None
            operands.append(self._placed(operand, in_memory, held))
        first = line.reads[0] if line.reads else None
        dying = [v for v in dict.fromkeys(line.reads) if isinstance(v, Virtual) and self._dies(v)]
        if line.row.tied and line.write is not None and isinstance(first, Virtual):
            self._tied(line, first, operands, dying, held)
            return
        for virtual in dying:
            self._release(virtual)
        if line.write is None:
            self._emit(line, operands)
            return
        target = self._take(line.write, held)
        self._emit(line, [Register(target), *operands])
        if not self._uses[line.write]:
            self._release(line.write)

    def _tied(
        self,
        line: VirtualVector,
        first: Virtual,
        operands: list[Placed | Fixed],
        dying: list[Virtual],
        held: set[Virtual],
    ) -> None:
        write = line.write
        if write is None:
            raise AllocationError("a tied instruction writes")
        if first in dying and line.reads.count(first) == 1:
            register = self._where[first]
            for virtual in dying:
                self._release(virtual)
            self._free.remove(register)
            self._where[write] = register
        else:
            register = self._take(write, held)
            source = operands[0]
            self.result.code.append(
                Vector(self._rows["vmovdqa64"], (Register(register), source), write.name)
            )
            for virtual in dying:
                self._release(virtual)
        self._emit(line, [Register(register), *operands[1:]])

    def _best_order(self, line: VirtualVector) -> VirtualVector:
        """Reads that may change places, so that the last one is the one in memory, if one is."""
        reads = line.reads
        if line.row.mnemonic == "vpternlogq":
            return self._merge_order(line)
        if not line.row.any_two:
            return line
        a, b = reads[-2:]
        virtual = isinstance(a, Virtual) and isinstance(b, Virtual)
        if virtual and a not in self._where and b in self._where:
            return VirtualVector(line.row, line.write, (*reads[:-2], b, a), line.remark)
        return line

    def _merge_order(self, line: VirtualVector) -> VirtualVector:
        """A merge that overwrites what dies."""
        mask, a, b, _ = line.reads
        for first, operand in enumerate((mask, a, b)):
            if isinstance(operand, Virtual) and operand in self._where and self._dies(operand):
                order = ((mask, a, b), (a, mask, b), (b, mask, a))[first]
                reads = (*order, Immediate(MERGES[first]))
                return VirtualVector(line.row, line.write, reads, line.remark)
        return line

    def _placed(
        self, operand: Operand | Fixed, in_memory: bool, held: set[Virtual]
    ) -> Placed | Fixed:
        if not isinstance(operand, Virtual):
            if isinstance(operand, Memory) and isinstance(operand.base, Virtual):
                raise AllocationError("addresses are in fixed registers")
            return operand
        if operand not in self._where:
            row, home = self._homes[operand]
            again = self._next_use(operand, self._now) < NEVER
            if in_memory and row.mnemonic != "vpbroadcastq" and not (again and self._free):
                return home
            register = self._take(operand, held)
            self.result.code.append(Vector(row, (Register(register), home), operand.name))
        held.add(operand)
        return Register(self._where[operand])

    def _emit(self, line: VirtualVector, operands: Sequence[Placed | Fixed]) -> None:
        remark = line.remark or (line.write.name if line.write else "")
        self.result.code.append(Vector(line.row, tuple(operands), remark))

    def _next_use(self, virtual: Virtual, after: int) -> int:
        uses = self._uses[virtual]
        while uses and uses[-1] <= after:
            uses.pop()
        return uses[-1] if uses else NEVER

    def _dies(self, virtual: Virtual) -> bool:
        return self._next_use(virtual, self._now) == NEVER

    def _release(self, virtual: Virtual) -> None:
        register = self._where.pop(virtual, None)
        if register is not None:
            self._free.append(register)
        home = self._homes.pop(virtual, None)
        if home is not None and home[1].base == STACK:
            self._slots_read_now.append(home[1])

    def _take(self, virtual: Virtual, held: set[Virtual]) -> str:
        if not self._free:
            self._evict(held)
        register = self._free.pop()
        self._where[virtual] = register
        return register

    def _evict(self, held: set[Virtual]) -> None:
        """Free the register whose value is needed furthest ahead."""
        others = [v for v in self._where if v not in held]
        if not others:
            raise AllocationError("no register is left")
        victim = max(others, key=lambda v: (self._next_use(v, self._now), v.number))
        register = self._where.pop(victim)
        if victim not in self._homes:
            slot = self._slots.pop() if self._slots else self._new_slot()
            self._homes[victim] = self._rows["vmovdqu64"], slot
            self.result.spills += 1
            self.result.code.append(
                Vector(self._rows["store"], (slot, Register(register)), f"spill {victim.name}")
            )
        self._free.append(register)

    def _new_slot(self) -> Memory:
        self.result.frame += self._slot_bytes
        return Memory(STACK, self.result.frame - self._slot_bytes)
