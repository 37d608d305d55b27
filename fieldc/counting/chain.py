"""The latency chain: the longest path from operands in memory to results, through registers,
flags and memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from fieldc.counting.instructions import DecodedInstruction
from fieldc.counting.places import RootedAccess
from fieldc.machine.processors import InstructionCost, Processor

RESULTS = ("rax", "x0")
NOTHING = InstructionCost()


@dataclass(frozen=True)
class Ready:
    """When a value is there, and the instruction on its longest path, -1 for none."""

    cycle: int = 0
    by: int = -1


@dataclass(frozen=True)
class LatencyChain:
    """The longest path: its cycles, and its instructions, first to last."""

    cycles: int
    path: tuple[DecodedInstruction, ...]

    def by_opcode(self) -> dict[str, int]:
        """How often each opcode stands on the path."""
        return dict(Counter(i.mnemonic for i in self.path).most_common())


@dataclass
class _Run:
    """A run of the code, with unlimited ports: when each value is there."""

    processor: Processor
    registers: dict[str, Ready] = field(default_factory=dict)
    memory: dict[tuple[Hashable, int], Ready] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)
    stored: list[Ready] = field(default_factory=list)

    def step(
        self, number: int, instruction: DecodedInstruction, touches: Sequence[RootedAccess]
    ) -> None:
        """One instruction: its results wait for what it reads."""
        timing = self.processor.timing(instruction.timing) or NOTHING
        if instruction.moves_only:
            timing = NOTHING
        waits = [self._register(name) for name in sorted(instruction.reads)]
        waits += [self._loaded(t) for t in touches if not t.store]
        waits += self._addresses(instruction, touches)
        last = _latest(waits)
        self.before.append(last.by)
        done = Ready(last.cycle + timing.latency, number)
        results = {name: done for name in sorted(instruction.writes)}
        if instruction.high:
            results[instruction.high] = Ready(last.cycle + timing.high, number)
        if instruction.copies and instruction.accesses:  # a stack pointer, or an address stepped on
            results[instruction.copies[0]] = self._register(instruction.copies[1])
        self.registers |= results
        for touch in touches:
            if touch.store:
                self._store(touch, done)

    def _register(self, name: str) -> Ready:
        return self.registers.get(name, Ready())

    def _loaded(self, touch: RootedAccess) -> Ready:
        own = [
            ready
            for byte in range(touch.offset, touch.offset + touch.size)
            if (ready := self.memory.get((touch.root, byte)))
        ]
        if own:
            last = _latest(own)
            return Ready(last.cycle + self.processor.forward_latency, last.by)
        return Ready(self.processor.load_latency if touch.operand else 0)

    def _addresses(
        self, instruction: DecodedInstruction, touches: Sequence[RootedAccess]
    ) -> list[Ready]:
        """A load waits for its address; a store's data does not."""
        found = []
        for access in instruction.accesses:
            for name in (access.base, access.index):
                ready = self._register(name)
                if not access.store and ready.cycle and not access.pushed:
                    found.append(Ready(ready.cycle + self.processor.load_latency, ready.by))
        return found

    def _store(self, touch: RootedAccess, done: Ready) -> None:
        for byte in range(touch.offset, touch.offset + touch.size):
            self.memory[touch.root, byte] = done
        if touch.operand:
            self.stored.append(done)


def _latest(several: Iterable[Ready]) -> Ready:
    return max(several, key=lambda ready: ready.cycle, default=Ready())


def latency_chain(
    code: Sequence[DecodedInstruction],
    touches: Sequence[Sequence[RootedAccess]],
    processor: Processor,
) -> LatencyChain:
    """The longest path to what is stored for the caller; without such a store, to the result."""
    run = _Run(processor)
    for number, (instruction, touched) in enumerate(zip(code, touches, strict=True)):
        run.step(number, instruction, touched)
    results = [run.registers[name] for name in RESULTS if name in run.registers]
    last = _latest(run.stored or results or run.registers.values())
    path, number = [], last.by
    while number >= 0:
        path.append(code[number])
        number = run.before[number]
    return LatencyChain(last.cycle, tuple(reversed(path)))
