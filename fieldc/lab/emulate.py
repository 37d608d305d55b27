"""One call of a function in an emulator: each instruction, each read and write, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import unicorn
from unicorn import Uc, UcError

from fieldc.binary.image import PAGE, page_after
from fieldc.binary.relocate import Linked
from fieldc.counting.decode import decode_one
from fieldc.counting.instructions import CodeError, DecodedInstruction
from fieldc.errors import UserError, counted
from fieldc.lab.registers import MODELS, ArgumentPlaces, Model

# Far above what any linker gives: a wild pointer of the code does not meet them.
RETURN = 0x20_0000_0000
THREAD = 0x21_0000_0000
STACK, STACK_SIZE = 0x22_0000_0000, 1 << 20
OPERANDS, OPERAND_ROOM = 0x23_0000_0000, 0x10000
MOST_MEMORY = 1 << 30
MASK = (1 << 64) - 1
FILLED = 0x5EED_0000_0000
"""What registers hold that no argument sets, with their number: a pointer to nowhere."""

ASKS = ("syscall", "sysenter", "int", "svc", "hvc", "smc", "rdtsc", "rdtscp", "rdrand", "rdseed")
"""Instructions whose answer the system, the clock or chance gives."""


WIDEST = 8
"""Bytes that a relocation changes at most."""


class TraceError(UserError):
    """A call that could not be followed to its end; the message is one line."""


@dataclass(frozen=True)
class Moved:
    """Bytes read or written: `size` of them at an address, as a number."""

    address: int
    size: int
    value: int


@dataclass
class ExecutedInstruction:
    """One executed instruction and what it read from memory and wrote to it."""

    instruction: DecodedInstruction
    reads: list[Moved] = field(default_factory=list)
    writes: list[Moved] = field(default_factory=list)


@dataclass
class Run:
    """A call in progress: hooks append to `steps`, the first failure stops it."""

    linked: Linked
    machine: Uc
    limit: int
    steps: list[ExecutedInstruction] = field(default_factory=list)
    failure: str = ""
    known: dict[int, DecodedInstruction] = field(default_factory=dict)
    touched: int = 0

    def fail(self, message: str) -> None:
        """End the run with a message; the first one counts."""
        self.failure = self.failure or message
        self.machine.emu_stop()

    def on_code(self, machine: Uc, address: int, size: int, _: object) -> None:
        """Before each instruction, and each turn of a repeated one."""
        if address == RETURN:
            return
        if len(self.steps) >= self.limit:
            self.fail(
                f"no return within {counted(self.limit, 'instruction')}; --limit N allows more"
            )
            return
        if address not in self.known:
            try:
                self.known[address] = self._decoded(address, size)
            except (CodeError, UcError) as error:
                self.fail(str(error))
                return
        one = self.known[address]
        if one.mnemonic.split()[0] in ASKS:
            self.fail(f"'{one.text}' at {address:#x} asks the system, which is not here")
        last = self.steps[-1].instruction if self.steps else None
        if last is not one or not one.mnemonic.startswith("rep"):
            self.steps.append(ExecutedInstruction(one))

    def _decoded(self, address: int, size: int) -> DecodedInstruction:
        wanted = size if 0 < size <= 15 else 4
        code = bytes(self.machine.mem_read(address, wanted))
        one = decode_one(code, self.linked.image.architecture, address)
        self._require_linked(address, one.size, "executes")
        return one

    def on_memory(
        self, machine: Uc, access: int, address: int, size: int, value: int, _: object
    ) -> None:
        """Before each read, and each write."""
        self.touched += 1
        if self.touched > 16 * self.limit:
            self.fail(f"no end within {self.touched} memory accesses; --limit N allows more")
        if not self.steps:
            return
        if access == unicorn.UC_MEM_WRITE:
            moved = Moved(address, size, value % (1 << 8 * size))
            self.steps[-1].writes.append(moved)
            return
        self._require_linked(address, size, "reads")
        held = int.from_bytes(machine.mem_read(address, size), "little")
        self.steps[-1].reads.append(Moved(address, size, held))

    def _require_linked(self, address: int, size: int, does: str) -> None:
        unknown = self.linked.unknown
        for place in range(address - WIDEST + 1, address + size) if unknown else ():
            if place in unknown:
                self.fail(f"it {does} {address:#x}, which a relocation changes: {unknown[place]}")

    def on_unmapped(
        self, machine: Uc, access: int, address: int, size: int, value: int, _: object
    ) -> bool:
        """A fetch, read or write where nothing lies."""
        name = self.linked.external(address)
        verb = {
            unicorn.UC_MEM_FETCH_UNMAPPED: "calls",
            unicorn.UC_MEM_WRITE_UNMAPPED: "writes to",
        }.get(access, "reads")
        if name:
            what = f"{verb} {name}, which is in another file"
        else:
            what = f"{verb} {address % (1 << 64):#x}, where no memory is"
        self.fail(f"{self._place()} {what}")
        return False

    def on_interrupt(self, machine: Uc, number: int, _: object) -> None:
        """The processor raises an exception, or the code asks the system."""
        self.fail(f"{self._place()} needs the system, or is none of the emulator's instructions")

    def _place(self) -> str:
        if not self.steps:
            return "the call"
        one = self.steps[-1].instruction
        return f"'{one.text}' at {one.address:#x}"


@dataclass(frozen=True)
class CallState:
    """Where a call starts and with what: words in the convention's places, memory by address."""

    address: int
    convention: str
    arguments: Sequence[int]
    memory: dict[int, bytes]


def call(linked: Linked, entry: CallState, limit: int) -> tuple[list[ExecutedInstruction], Uc]:
    """Run one call to its return, of at most `limit` instructions. Raises TraceError."""
    model = model_of(linked.image.architecture)
    machine = Uc(model.architecture, model.mode, model.cpu)
    run = Run(linked, machine, limit)
    try:
        _map(machine, linked, entry.memory)
        _enter(machine, model, model.conventions[entry.convention], entry.arguments)
        for kind, hook in (
            (unicorn.UC_HOOK_CODE, run.on_code),
            (unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, run.on_memory),
            (unicorn.UC_HOOK_MEM_UNMAPPED, run.on_unmapped),
            (unicorn.UC_HOOK_INTR, run.on_interrupt),
        ):
            machine.hook_add(kind, hook)
        machine.emu_start(entry.address, RETURN)
    except UcError as error:
        run.failure = run.failure or f"{run._place()}: {_reason(error)}"
    if run.failure:
        raise TraceError(run.failure)
    return run.steps, machine


def _reason(error: UcError) -> str:
    if error.errno in (unicorn.UC_ERR_INSN_INVALID, unicorn.UC_ERR_EXCEPTION):
        return "the emulator does not know this instruction"
    return f"the emulator stopped: {error}"


def model_of(architecture: str) -> Model:
    """The emulator's model of an architecture. Raises TraceError."""
    if architecture not in MODELS:
        raise TraceError(f"no emulator for {architecture}; there are {', '.join(MODELS)}")
    return MODELS[architecture]


def _map(machine: Uc, linked: Linked, data: dict[int, bytes]) -> None:
    regions = [(r.address, bytes(held), r.size) for r, held in linked.memory]
    own = [
        (RETURN, b"", PAGE),
        (THREAD, b"", PAGE),
        (STACK, b"", STACK_SIZE),
        *((address, held, OPERAND_ROOM) for address, held in data.items()),
    ]
    if sum(size for _, _, size in regions) > MOST_MEMORY:
        raise TraceError("the file asks for more than 1 GiB of memory")
    if any(address + size > RETURN for address, _, size in regions):
        raise TraceError(f"the file lies above {RETURN:#x}")
    for start, end in _pages([(address, size) for address, _, size in regions + own]):
        machine.mem_map(start, end - start)
    for address, held, _ in regions + own:
        machine.mem_write(address, held)


def _pages(areas: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Whole pages that cover the areas, those that meet joined."""
    joined: list[tuple[int, int]] = []
    for address, size in sorted(areas):
        start, end = address - address % PAGE, page_after(address + max(size, 1))
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(joined.pop()[1], end)
        joined.append((start, end))
    return joined


def _enter(machine: Uc, model: Model, convention: ArgumentPlaces, arguments: Sequence[int]) -> None:
    """Registers and stack as a caller leaves them."""
    for number, name in enumerate(model.general):
        machine.reg_write(model.numbers[name], FILLED + number)
    machine.reg_write(model.numbers[model.thread], THREAD)
    count = len(convention.arguments)
    for name, value in zip(convention.arguments, arguments, strict=False):
        machine.reg_write(model.numbers[name], value & MASK)
    rest = b"".join((v & MASK).to_bytes(8, "little") for v in arguments[count:])
    place = STACK + STACK_SIZE - PAGE
    if model.link:
        machine.reg_write(model.numbers[model.link], RETURN)
    else:
        machine.mem_write(place - 8, RETURN.to_bytes(8, "little"))
    machine.mem_write(place + convention.shadow, rest)
    machine.reg_write(model.numbers[model.stack], place if model.link else place - 8)
