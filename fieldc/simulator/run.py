"""A run of decoded instructions through a core, in one pass in program order.

Each instruction goes through four stations:

1. Renaming takes `slots` of them in a cycle, in order, while window and scheduler have room. Each
   micro-operation is bound here to one of its ports: the one with the fewest waiting, as they were
   when the cycle began.
2. A micro-operation starts when its operands are ready and its port is free. Of several the oldest
   goes first. So an older one never waits for a younger one, and one pass in program order, which
   gives each the first free cycle of its port, finds what a simulation cycle by cycle would find.
   (A product that keeps its port for several cycles may thereby look ahead.)
3. Its results are ready after its latency: registers, flags and words of memory are values of their
   own, each with the cycle in which it is there.
4. Instructions retire in order and leave the window.

The method is that of uiCA (A. Abel, J. Reineke, 2022) and of OSACA, with much left out: there is no
fetching, no decoding, no cache and no wrong guess.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from math import inf

from fieldc.counting.instructions import DecodedInstruction
from fieldc.counting.limits import UNKNOWN, timed
from fieldc.counting.places import RootedAccess
from fieldc.machine.processors import InstructionCost, Processor
from fieldc.simulator.cores import Core

PAST = 256
"""Cycles that a port forgets at a time, so that its sets stay small."""
TouchedBytes = Sequence[tuple[Hashable, int]]
"""The bytes that an access touches: the root and the offset of each."""


@dataclass(frozen=True)
class CostedInstruction:
    """An instruction with the slots it takes, its own micro-operations, and where it touches."""

    instruction: DecodedInstruction
    slots: int
    cost: InstructionCost
    touches: Sequence[RootedAccess] = ()

    @cached_property
    def reads(self) -> Sequence[str]:
        """The registers and flags that it computes from."""
        return tuple(self.instruction.reads)

    @cached_property
    def writes(self) -> Sequence[str]:
        """The registers and flags that it writes."""
        return tuple(self.instruction.writes)

    @cached_property
    def high(self) -> str:
        """The register of the high half of a product."""
        return self.instruction.high

    @cached_property
    def stepped(self) -> Sequence[str]:
        """A stack pointer, or an address that an access steps on, and what it was before."""
        i = self.instruction
        return i.copies[:2] if i.copies and i.accesses else ()

    @cached_property
    def latency(self) -> int:
        """Cycles from its start to its results."""
        return self.cost.latency

    @cached_property
    def pieces(self) -> Sequence[tuple[str, int]]:
        """Each micro-operation: the ports it may take, and the cycles it keeps one.

        A port named several times is busy for as many cycles; of a choice, several are taken.
        """
        named = Counter(self.cost.ports).items()
        whole = (((choice, n),) if len(choice) == 1 else ((choice, 1),) * n for choice, n in named)
        return [piece for pieces in whole for piece in pieces]

    @cached_property
    def loads(self) -> Sequence[TouchedBytes]:
        """The bytes of each load."""
        return [_bytes(touch) for touch in self.touches if not touch.store]

    @cached_property
    def stores(self) -> Sequence[TouchedBytes]:
        """The bytes of each store."""
        return [_bytes(touch) for touch in self.touches if touch.store]

    @cached_property
    def address(self) -> Sequence[str]:
        """The registers that make its addresses."""
        named = [access for access in self.instruction.accesses if not access.pushed]
        return [name for access in named for name in (access.base, access.index)]


def steps_of(
    code: Sequence[DecodedInstruction],
    touches: Sequence[Sequence[RootedAccess]],
    processor: Processor,
) -> list[CostedInstruction]:
    """Each instruction with its costs; an opcode without a row takes a slot and no port."""
    found = []
    for (instruction, whole), touched in zip(timed(code, processor), touches, strict=True):
        own = None if instruction.moves_only else processor.timing(instruction.timing)
        slots = (whole or UNKNOWN).slots
        found.append(CostedInstruction(instruction, slots, own or UNKNOWN, touched))
    return found


@dataclass
class Port:
    """What is bound to a port: the cycles in which it is busy, and when each one starts.

    Both are sets of cycles, as bits; bit 0 is the cycle `base`.
    """

    base: int = 0
    busy: int = 0
    starts: int = 0
    renamed: int = -1
    fresh: int = 0
    """The cycle that bound the last one, and how many it bound."""

    def waiting(self, cycle: int) -> int:
        """How many were bound before a cycle and have not started."""
        waiting = (self.starts >> cycle - self.base).bit_count()
        return waiting - (self.fresh if self.renamed == cycle else 0)

    def free(self, cycle: int, length: int) -> int:
        """The first cycle from `cycle` on that begins `length` free ones."""
        free = each = ~(self.busy >> cycle - self.base)
        if length > 1:
            for number in range(1, length):
                free &= each >> number
        return cycle + (free & -free).bit_length() - 1

    def take(self, cycle: int, length: int, renamed: int) -> int:
        """Bind a micro-operation; return the cycle in which it starts."""
        while renamed > self.base + PAST:
            self.busy, self.starts = self.busy >> PAST, self.starts >> PAST
            self.base += PAST
        start = self.free(cycle, length)
        bit = 1 << start - self.base
        self.busy |= (bit << length) - bit
        self.starts |= bit
        if self.renamed == renamed:
            self.fresh += 1
        else:
            self.renamed, self.fresh = renamed, 1
        return start


@dataclass
class PortChoice:
    """The ports that can do a micro-operation, and the one with the fewest waiting."""

    ports: Sequence[Port]
    cycle: int = -1
    least: Port = field(default_factory=Port)
    """Of that cycle: all that are renamed in it take the same port."""

    def best(self, cycle: int) -> Port:
        """The port for what is renamed in a cycle."""
        self.cycle, least = cycle, inf
        for port in self.ports:
            waiting = port.waiting(cycle)
            if waiting < least:
                least, self.least = waiting, port
        return self.least


class Simulation:
    """The state of a core while code runs through it."""

    def __init__(self, core: Core, processor: Processor) -> None:
        self.core, self.processor = core, processor
        self.slots, self.places, self.in_order = processor.slots, core.scheduler, core.in_order
        self.size, self.retire = core.window, core.retire
        self.cycle, self.taken = 0, 0
        """The cycle that renames, and its slots that are taken."""
        self.window: deque[int] = deque()
        """When each slot in flight retires."""
        self.scheduled: list[int] = []
        """When each micro-operation in the scheduler starts; a heap."""
        self.ports: dict[str, Port] = {}
        self.choices: dict[str, PortChoice] = {}
        """Each choice of ports that was met."""
        self.registers: dict[str, int] = {}
        self.memory: dict[tuple[Hashable, int], int] = {}
        self.retired, self.retiring = 0, 0
        self.begun = 0
        """When the last part of the current instruction starts."""

    def call(self, steps: Iterable[CostedInstruction], all_ready: bool = True) -> int:
        """Run one call; its registers may be all ready. Return when it has retired."""
        if all_ready:
            self.registers.clear()
        for step in steps:
            self.step(step)
        return self.retired

    def forget(self, roots: Collection[Hashable]) -> None:
        """Take these roots for other places than before: nothing was stored there."""
        self.memory = {at: data for at, data in self.memory.items() if at[0] not in roots}

    def step(self, step: CostedInstruction) -> None:
        """One instruction, through the four stations."""
        self._rename(step.slots)
        self.begun = operands = self._ready(step.reads)
        if step.loads:
            operands = max(operands, self._load(step))
        start = operands
        for choice, length in step.pieces:  # without ports it is done while renaming
            begin = self._start(choice, operands, length, True)
            if begin > start:
                start = begin
        done = start + step.latency
        registers = self.registers
        for name in step.writes:
            registers[name] = done
        if step.high:
            registers[step.high] = start + step.cost.high
        if step.stepped:
            registers[step.stepped[0]] = self._ready(step.stepped[1:])
        if step.stores:
            done = max(done, self._store(step, done))
        if self.in_order and self.begun > self.cycle + 1:  # none after it starts before it
            self.cycle, self.taken = self.begun - 1, step.slots
        self._retire(done if done > self.cycle else self.cycle + 1, step.slots)

    def _rename(self, slots: int) -> None:
        cycle, taken = self.cycle, self.taken
        if taken >= self.slots:
            cycle, taken = cycle + 1, 0
        window, size = self.window, self.size - slots
        while len(window) > size and window:
            if (retired := window.popleft()) > cycle:
                cycle, taken = retired, 0
        if self.places:
            scheduled = self.scheduled
            while scheduled and scheduled[0] <= cycle:
                heappop(scheduled)
            while len(scheduled) >= self.places:
                cycle, taken = max(cycle, heappop(scheduled)), 0
        taken += slots
        while taken > self.slots:
            cycle, taken = cycle + 1, taken - self.slots
        self.cycle, self.taken = cycle, taken

    def _ready(self, names: Iterable[str]) -> int:
        """When registers are there, at the earliest in the cycle after renaming."""
        ready, known = self.cycle + 1, self.registers
        for name in names:
            if known.get(name, 0) > ready:
                ready = known[name]
        return ready

    def _load(self, step: CostedInstruction) -> int:
        """When what is loaded is there: from the cache, or from the stores before."""
        core = self.core
        address = self._ready(step.address)
        for _ in step.loads if core.pairs else step.loads[:1]:
            start = self._start(self.processor.load, address, 1, core.shared)
        renamed = core.renamed >= 0 and step.instruction.moves_only
        forward = core.renamed if renamed else core.forward
        there = [self._stored(places) for places in step.loads]
        from_stores = [cycle + forward for cycle in there if cycle is not None]
        if renamed and None not in there:
            return max(self.cycle + 1, *from_stores)
        return max([start + core.load, *from_stores])

    def _stored(self, places: TouchedBytes) -> int | None:
        """When the youngest store to any byte of a place had its data."""
        own = [self.memory[place] for place in places if place in self.memory]
        return max(own, default=None)

    def _store(self, step: CostedInstruction, data: int) -> int:
        """When address and data of a store are there."""
        shared, processor = self.core.shared, self.processor
        address = self._ready(step.address)
        at = self._start(processor.store_address, address, 1, shared) + 1
        if processor.store_data:
            data = self._start(processor.store_data, data, 1, shared)
        for places in step.stores:
            self.memory.update(dict.fromkeys(places, data))
        return max(at, data + 1)

    def _start(self, choice: str, ready: int, length: int, waits: bool) -> int:
        """Bind a micro-operation to a port; return the cycle in which it starts there."""
        found = self.choices.get(choice)
        if found is None:
            found = PortChoice([self.ports.setdefault(name, Port()) for name in choice])
            self.choices[choice] = found
        if self.in_order:
            port = min(found.ports, key=lambda each: each.free(ready, length))
        else:
            port = found.least if found.cycle == self.cycle else found.best(self.cycle)
        start = port.take(ready, length, self.cycle)
        if start > self.begun:
            self.begun = start
        if waits and self.places:
            heappush(self.scheduled, start)
        return start

    def _retire(self, done: int, slots: int) -> None:
        retired, retiring = self.retired, self.retiring
        if done > retired:
            retired, retiring = done, 0
        for _ in range(slots):
            if retiring == self.retire:
                retired, retiring = retired + 1, 0
            retiring += 1
            self.window.append(retired)
        self.retired, self.retiring = retired, retiring


def _bytes(touch: RootedAccess) -> TouchedBytes:
    return [(touch.root, at) for at in range(touch.offset, touch.offset + touch.size)]
