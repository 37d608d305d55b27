"""Lower bounds: how many cycles code takes at least on a processor, and which bound binds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fieldc.counting.chain import LatencyChain, latency_chain
from fieldc.counting.count import Count
from fieldc.counting.instructions import COMPARISON, DecodedInstruction
from fieldc.machine.processors import InstructionCost, Processor, processors_of

SLOTS, CHAIN = "issue slots", "latency chain"
UNKNOWN = InstructionCost()


@dataclass(frozen=True)
class Limits:
    """Bounds by name, in cycles. `chain` is None where the order of execution is not known."""

    processor: Processor
    throughput: dict[str, float]
    chain: LatencyChain | None
    unknown: dict[str, int] = field(default_factory=dict)
    """The opcodes whose ports are not known: each counts for one slot."""

    @property
    def binding(self) -> tuple[str, float]:
        """The largest bound on independent calls."""
        return max(self.throughput.items(), key=lambda item: item[1])

    @property
    def latency(self) -> tuple[str, float]:
        """The largest bound on calls that wait for each other."""
        name, cycles = self.binding
        if self.chain is None or self.chain.cycles <= cycles:
            return name, cycles
        return CHAIN, float(self.chain.cycles)

    def row(self) -> dict[str, object]:
        """The bounds for programs."""
        chain = self.chain
        return {
            "processor": self.processor.key,
            "name": self.processor.name,
            "measured": list(self.processor.measured),
            "throughput": {name: round(cycles, 2) for name, cycles in self.throughput.items()},
            "chain": None if chain is None else chain.cycles,
            "chain_by_opcode": {} if chain is None else chain.by_opcode(),
            "binds": self.binding[0],
            "cycles": round(self.binding[1], 2),
            "latency_binds": self.latency[0],
            "latency_cycles": round(self.latency[1], 2),
            "unknown": self.unknown,
        }


def lower_bounds(count: Count, processor: Processor) -> Limits:
    """The bounds of straight-line code, or of the instructions that a call executed."""
    uses: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    slots = 0
    for instruction, timing in timed(count.code, processor):
        if timing is None:
            unknown[instruction.mnemonic] += 1
        slots += (timing or UNKNOWN).slots
        uses.update((timing or UNKNOWN).ports)
    throughput = {SLOTS: slots / processor.slots}
    for name, unit in processor.units.items():
        busy = sum(times for ports, times in uses.items() if set(ports) <= set(unit))
        throughput[name] = busy / len(unit)
    chain = latency_chain(count.code, count.touches, processor) if count.touches else None
    return Limits(processor, throughput, chain, dict(unknown))


def all_bounds(count: Count) -> list[Limits]:
    """The bounds on every processor of the code's architecture; none where it branches."""
    if not (count.is_straight or count.is_run) or not count.code:
        return []
    return [lower_bounds(count, processor) for processor in processors_of(count.architecture)]


def timed(
    code: Sequence[DecodedInstruction], processor: Processor
) -> Iterator[tuple[DecodedInstruction, InstructionCost | None]]:
    """Each instruction with what it takes, its loads and stores included."""
    for number, instruction in enumerate(code):
        following = code[number + 1] if number + 1 < len(code) else None
        if processor.fuses and instruction.kind == COMPARISON and _branches(following):
            yield instruction, InstructionCost(0, _memory_ports(instruction, processor))
            continue
        timing = processor.timing(instruction.timing)
        if timing is None and instruction.accesses:
            timing = UNKNOWN
        if timing is not None:
            timing = _with_memory(instruction, timing, processor)
        elif instruction.timing in ("nop", "zero", "trap"):
            timing = UNKNOWN
        yield instruction, timing


def _branches(instruction: DecodedInstruction | None) -> bool:
    return instruction is not None and instruction.timing == "branch"


def _with_memory(
    instruction: DecodedInstruction, timing: InstructionCost, processor: Processor
) -> InstructionCost:
    own = () if instruction.moves_only else timing.ports
    slots = timing.slots
    modifies = any(a.store for a in instruction.accesses) and not instruction.moves_only
    if modifies and instruction.timing != "call":
        slots += processor.read_modify_write
    return InstructionCost(slots, (*own, *_memory_ports(instruction, processor)))


def _memory_ports(instruction: DecodedInstruction, processor: Processor) -> tuple[str, ...]:
    """One load and one store at most: a pair of registers goes at once."""
    sides = {access.store for access in instruction.accesses}
    load = (processor.load,) if False in sides else ()
    store = (processor.store_address, processor.store_data) if True in sides else ()
    return tuple(ports for ports in (*load, *store) if ports)
