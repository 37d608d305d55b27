"""Register allocation for straight-line code: one forward pass, furthest next use is spilled.

Belady (1966) for the victim; operands may stay in the stack frame where an instruction can read
memory. Only `mov` is inserted, which leaves the flags alone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from fieldc.targets.judge import NotCompiled
from fieldc.targets.x86_64.choices import PLAIN, Refinement
from fieldc.targets.x86_64.conventions import Convention
from fieldc.targets.x86_64.instructions import Physical, VirtualCode
from fieldc.targets.x86_64.operands import STACK, Immediate, Memory, Operand, Register, Virtual

SLOT_BYTES = 8
NEVER = 1 << 60


class AllocationError(NotCompiled):
    """An instruction needs more registers at once than the processor has (a defect)."""


@dataclass
class Allocation:
    """Physical code, the bytes of stack it uses, and the registers it writes."""

    code: list[Physical] = field(default_factory=list)
    frame: int = 0
    written: set[str] = field(default_factory=set)


def allocate(
    code: list[VirtualCode],
    incoming: dict[Virtual, str],
    convention: Convention,
    refinement: Refinement = PLAIN,
) -> Allocation:
    """Give every virtual register a place. `incoming` are the arguments' registers on entry."""
    allocator = _Allocator(code, incoming, refinement.registers or convention.order)
    allocator.places = dict(refinement.places)
    for position, instruction in enumerate(code):
        allocator.step(position, instruction)
    return allocator.result


def virtuals_read(instruction: VirtualCode) -> list[Virtual]:
    """Virtual registers an instruction reads, pointers of memory operands included."""
    read: list[Virtual] = []
    for operand in instruction.reads:
        if isinstance(operand, Virtual):
            read.append(operand)
        elif isinstance(operand, Memory) and isinstance(operand.base, Virtual):
            read.append(operand.base)
    return read


class _Allocator:
    def __init__(
        self, code: list[VirtualCode], incoming: dict[Virtual, str], order: tuple[str, ...]
    ) -> None:
        self.result = Allocation()
        self.places: dict[int, str] = {}
        self._order = order
        self._uses: dict[Virtual, list[int]] = defaultdict(list)
        self._fixed: dict[str, list[int]] = defaultdict(list)
        for position, instruction in enumerate(code):
            for virtual in virtuals_read(instruction):
                self._uses[virtual].append(position)
            for virtual in instruction.writes:
                if virtual.fixed:
                    self._fixed[virtual.fixed].append(position)
        for positions in (*self._uses.values(), *self._fixed.values()):
            positions.reverse()
        self._where = {v: r for v, r in incoming.items() if self._uses[v]}
        self._holder = {r: v for v, r in self._where.items()}
        self._slots: dict[Virtual, int] = {}
        self._free_slots: list[int] = []
        self._slots_read_now: list[int] = []
        self._locked: set[str] = set()
        self._now = 0

    def step(self, position: int, instruction: VirtualCode) -> None:
        """Allocate one instruction: read, free what dies, write."""
        self._now, self._locked = position, set()
        # A spill goes before the instruction: it must not land where the instruction still reads.
        self._free_slots += self._slots_read_now
        self._slots_read_now = []
        for positions in self._fixed.values():
            while positions and positions[-1] < position:
                positions.pop()
        # Twice: a reload into its own register may have moved what an earlier read had found there.
        for _ in range(2):
            reads = [self._read(instruction, i) for i in range(len(instruction.reads))]
        if instruction.row.mnemonic == "clear":
            self._clear_flags()
            return
        if instruction.row.tied:
            self._tied(instruction, reads)
            return
        # Moves out of the way come before the instruction: none may land in what it reads.
        for virtual in instruction.writes:
            self._vacate(virtual.fixed)
        self._free_dead(instruction)
        self._locked = set()
        placed = {
            v: self._acquire(v) for v in sorted(instruction.writes, key=lambda v: not v.fixed)
        }
        operands = [placed[virtual] for virtual in instruction.writes]
        implicit = {i for i, _ in instruction.row.fixed_reads}
        explicit = [r for i, r in enumerate(reads) if i not in implicit]
        printed = [] if instruction.row.fixed_writes else operands
        self._emit(instruction, *printed, *explicit)
        self._free_unread(instruction)

    def _clear_flags(self) -> None:
        free = next((r for r in self._order if r not in self._holder), None)
        if free is None:
            stack = Register(STACK)
            self.result.code.append(Physical("test", (stack, stack), "clear both flags"))
        else:
            self.result.written.add(free)
            self.result.code.append(Physical("xor", (Register(free),), "clear both flags"))

    def _emit(self, instruction: VirtualCode, *operands: Register | Memory | Immediate) -> None:
        self.result.code.append(Physical(instruction.row.mnemonic, operands, instruction.remark))

    def _move(
        self, target: Register | Memory, source: Register | Memory | Immediate, remark: str
    ) -> None:
        self.result.code.append(Physical("mov", (target, source), remark))

    def _next_use(self, virtual: Virtual, after: int) -> int:
        uses = self._uses[virtual]
        while uses and uses[-1] < self._now:
            uses.pop()
        for use in reversed(uses):
            if use > after:
                return use
        return NEVER

    def _read(self, instruction: VirtualCode, index: int) -> Register | Memory | Immediate:
        others = (r for i, r in enumerate(instruction.reads) if i != index)
        first = instruction.row.tied and index == 0  # copied to a register before it is used
        only = instruction.row.memory == index and not any(isinstance(r, Memory) for r in others)
        return self._resolve(instruction.reads[index], in_memory=first or only)

    def _resolve(self, operand: Operand, in_memory: bool) -> Register | Memory | Immediate:
        if isinstance(operand, Immediate):
            return operand
        if isinstance(operand, Memory):
            if not isinstance(operand.base, Virtual):
                return operand
            return Memory(self._in_register(operand.base).name, operand.offset, operand.name)
        if in_memory and operand not in self._where and operand in self._slots:
            return Memory(STACK, self._slots[operand], operand.name)
        return self._in_register(operand)

    def _in_register(self, virtual: Virtual) -> Register:
        if virtual not in self._where:
            if virtual not in self._slots:
                raise AllocationError(f"{virtual.name} is read before it is written")
            register = self._acquire(virtual)
            slot = Memory(STACK, self._slots[virtual], virtual.name)
            self._move(register, slot, f"reload {virtual.name}")
        register = Register(self._where[virtual])
        self._locked.add(register.name)
        return register

    def _tied(self, instruction: VirtualCode, reads: list[Register | Memory | Immediate]) -> None:
        sources: list[Operand] = list(instruction.reads)
        swappable = instruction.row.commutes and not isinstance(sources[0], Immediate)
        if swappable and not self._dies(sources[0]) and self._dies(sources[1]):
            sources[:2], reads[:2] = [sources[1], sources[0]], [reads[1], reads[0]]
        (result,) = instruction.writes
        first = sources[0]
        register = reads[0]
        if (
            isinstance(first, Virtual)
            and isinstance(register, Register)
            and self._dies(first)
            and result.fixed in ("", register.name)
        ):
            self._release(first)
            self._occupy(result, register.name)
        else:
            register = self._acquire(result)
            self._move(register, reads[0], result.name)
            if result.fixed:  # another read may have lived there and been moved away
                reads[1:] = [self._resolve(operand, in_memory=False) for operand in sources[1:]]
        self._emit(instruction, register, *reads[1:])
        self._free_dead(instruction)
        self._free_unread(instruction)

    def _dies(self, operand: Operand) -> bool:
        return (
            isinstance(operand, Virtual)
            and operand in self._where
            and self._next_use(operand, self._now) == NEVER
        )

    def _free_dead(self, instruction: VirtualCode) -> None:
        for virtual in virtuals_read(instruction):
            if self._dies(virtual):
                self._release(virtual)
            if virtual in self._slots and self._next_use(virtual, self._now) == NEVER:
                self._slots_read_now.append(self._slots.pop(virtual))

    def _free_unread(self, instruction: VirtualCode) -> None:
        for virtual in instruction.writes:
            if self._dies(virtual):
                self._release(virtual)

    def _release(self, virtual: Virtual) -> None:
        del self._holder[self._where.pop(virtual)]

    def _occupy(self, virtual: Virtual, register: str) -> None:
        self._where[virtual], self._holder[register] = register, virtual
        self.result.written.add(register)
        self._locked.add(register)

    def _vacate(self, register: str) -> None:
        occupant = self._holder.get(register)
        if occupant is not None and not self._dies(occupant):
            self._evict(occupant, may_move=True)

    def _acquire(self, virtual: Virtual) -> Register:
        register = virtual.fixed or self._choose(virtual)
        occupant = self._holder.get(register)
        if occupant is not None:
            self._evict(occupant, bool(virtual.fixed))
        self._occupy(virtual, register)
        return Register(register)

    def _choose(self, virtual: Virtual) -> str:
        """A free register that no fixed use claims soon, else the one needed furthest ahead."""
        uses = self._uses[virtual]
        end = uses[0] if uses else self._now + 1
        free = [r for r in self._order if r not in self._holder and r not in self._locked]
        unclaimed = [r for r in free if self._claimed(r) >= end]
        wanted = self.places.get(virtual.number, "")
        if unclaimed:
            return wanted if wanted in unclaimed else unclaimed[0]
        if free:
            return max(free, key=self._claimed)
        victims = [v for r, v in self._holder.items() if r not in self._locked and not v.fixed]
        if not victims:
            raise AllocationError(f"no register is left for {virtual.name}")
        if self._holder.get(wanted) in victims:
            return wanted
        return self._where[max(victims, key=lambda v: (self._next_use(v, self._now), v.number))]

    def _claimed(self, register: str) -> int:
        """The next position, this one included, that writes this very register."""
        positions = self._fixed.get(register)
        return next((p for p in reversed(positions or []) if p >= self._now), NEVER)

    def _evict(self, virtual: Virtual, may_move: bool) -> None:
        source = Register(self._where[virtual])
        self._locked.add(source.name)
        self._release(virtual)
        free = [r for r in self._order if r not in self._holder and r not in self._locked]
        if may_move and free:
            end = self._uses[virtual][0]
            target = next((r for r in free if self._claimed(r) >= end), free[0])
            self._occupy(virtual, target)
            self._move(Register(target), source, virtual.name)
        elif virtual not in self._slots:
            self._slots[virtual] = self._new_slot()
            self._move(
                Memory(STACK, self._slots[virtual], virtual.name), source, f"spill {virtual.name}"
            )

    def _new_slot(self) -> int:
        if self._free_slots:
            return self._free_slots.pop()
        self.result.frame += SLOT_BYTES
        return self.result.frame - SLOT_BYTES
