"""Whether finished machine code takes the same time for all operands: a scan of object bytes.

What is loaded through an argument is secret. Arguments themselves, addresses made from them, the
stack pointer, constants and what is loaded from statics are public. Follows jumps to a fixed point;
whatever it does not understand is a finding. Speculation and power are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import capstone

from fieldc.proof.constant_time_code import Architecture, Function, functions
from fieldc.proof.constant_time_risc import aarch64, riscv64
from fieldc.proof.constant_time_step import Flow, Memory, Move, Place, Step
from fieldc.proof.constant_time_x86_64 import x86_64


class Depends(Enum):
    """What something depends on."""

    PUBLIC = "public values"
    UNKNOWN = "something unknown"
    SECRET = "an operand's value"


class Kind(Enum):
    """What was found."""

    BRANCH = "conditional branch"
    INDIRECT = "indirect jump or call"
    CALL = "call"
    TIME = "not known to take the same time for all values"
    ADDRESS = "address"
    STATIC = "keeps what is not public in a static"
    BYTES = "no instruction"


@dataclass(frozen=True)
class Finding:
    """Something in a function that constant time could fail by.

    For a call, `depends` is about all registers that pass arguments: where it is public, a scan of
    the function called says the rest. `callee` is its name.
    """

    function: str
    offset: int
    instruction: str
    kind: Kind
    depends: Depends
    callee: str = ""

    def __str__(self) -> str:
        where = f"{self.function}+{self.offset:#x}: {self.instruction}"
        to = f" to {self.callee}" if self.callee else ""
        return f"{where}: {self.kind.value}{to}, depends on {self.depends.value}"


def scan(data: bytes, symbol: str | None = None) -> list[Finding]:
    """Every finding in an object file, or in one function of it.

    Raises CodeError for what is no object, and LookupError where it has no function of that name.
    """
    found = functions(data)
    chosen = [f for f in found if symbol in (None, f.name, f.name.removeprefix("_"))]
    if not chosen:
        raise LookupError(f"no function {symbol!a} in the object")
    return [finding for function in chosen for finding in _Scan(function).findings()]


@dataclass(frozen=True)
class Value:
    """What is known of a word: where it points, or what it depends on."""

    base: str
    offset: int | None = None

    @property
    def depends(self) -> Depends:
        """Whether the word itself may depend on an operand's value."""
        known = {"secret": Depends.SECRET, "unknown": Depends.UNKNOWN}
        return known.get(self.base, Depends.PUBLIC)


PUBLIC = Value("public")
ARGUMENT = Value("argument")
STACK = Value("stack")
UNKNOWN = Value("unknown")
SECRET = Value("secret")
_ORDER = (SECRET, UNKNOWN, STACK, ARGUMENT, PUBLIC)


def _combined(values: list[Value], added: int | None) -> Value:
    """What an instruction makes of its sources; `added` if it only adds a number."""
    if len(values) == 1 and added is not None:
        (value,) = values
        return value if value.offset is None else Value(value.base, value.offset + added)
    bases = {value.base for value in values}
    return next((value for value in _ORDER if value.base in bases), PUBLIC)


def _either(a: Value, b: Value) -> Value:
    """What a word is where two paths meet."""
    if a == b:
        return a
    if "secret" in (a.base, b.base):
        return SECRET
    if a.base == b.base:
        return Value(a.base)
    return ARGUMENT if {a.base, b.base} == {"public", "argument"} else UNKNOWN


SLOT = 8
_ARGUMENTS = {"memcpy": 3, "memmove": 3, "memset": 3}
"""How many a function takes: other registers hold what nobody reads."""


@dataclass
class _State:
    """Registers, and the stack by words; offsets count from the stack pointer on entry."""

    registers: dict[str, Value]
    stack: dict[int, Value] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.registers), dict(self.stack))

    def register(self, name: str) -> Value:
        return self.registers.get(name, UNKNOWN)

    def address(self, memory: Memory) -> Value:
        bases = [self.register(base) for base in memory.bases]
        return _combined(bases, memory.displacement if len(bases) == 1 else None)

    def load(self, memory: Memory) -> Value:
        address = self.address(memory)
        if address.base == "public":
            return PUBLIC
        if address.base != "stack" or address.offset is None:
            return SECRET
        slots = [self.stack.get(i, UNKNOWN) for i in _slots(address.offset, memory.size)]
        exact = address.offset % SLOT == 0 and memory.size == SLOT
        return _combined(slots, 0 if exact else None)

    def store(self, memory: Memory, value: Value) -> None:
        address = self.address(memory)
        if address.base in ("argument", "public"):
            return
        if address.base != "stack" or address.offset is None:
            self.spoil()
            return
        whole = address.offset % SLOT == 0 and memory.size % SLOT == 0
        kept = value if memory.size == SLOT else _combined([value], None)
        for i in _slots(address.offset, memory.size):
            self.stack[i] = kept if whole else _either(kept, self.stack.get(i, UNKNOWN))

    def spoil(self) -> None:
        """Something wrote to the stack somewhere."""
        self.stack = {i: SECRET for i in self.stack}

    def read(self, place: Place) -> Value:
        return self.load(place) if isinstance(place, Memory) else self.register(place)

    def apply(self, moves: tuple[Move, ...]) -> None:
        values = [_combined([self.read(s) for s in move.sources], move.added) for move in moves]
        for move, value in zip(moves, values, strict=True):
            for target in move.targets:
                if isinstance(target, Memory):
                    self.store(target, value)
                elif target not in ("xzr", "zero"):
                    self.registers[target] = value

    def meet(self, other: _State) -> bool:
        """Take in another path's state; whether that changed anything."""
        before = self.copy()
        for mine, theirs in ((self.registers, other.registers), (self.stack, other.stack)):
            for key in {*mine, *theirs}:
                mine[key] = _either(mine.get(key, UNKNOWN), theirs.get(key, UNKNOWN))
        return before != self


def _slots(offset: int, size: int) -> range:
    return range(offset // SLOT, (offset + max(size, 1) - 1) // SLOT + 1)


@dataclass(frozen=True)
class Convention:
    """Registers by what a call does with them."""

    arguments: tuple[str, ...]
    kept: frozenset[str]
    stack_pointer: str
    public: tuple[str, ...]


def _convention(function: Function) -> Convention:
    if function.architecture is Architecture.AARCH64:
        kept = frozenset(f"x{i}" for i in range(19, 30))
        # x8 points to a result that is returned in memory.
        return Convention(tuple(f"x{i}" for i in range(9)), kept | {"sp"}, "sp", ("xzr",))
    if function.architecture is Architecture.RISCV64:
        kept = frozenset({*(f"s{i}" for i in range(12)), "sp"})
        return Convention(tuple(f"a{i}" for i in range(8)), kept, "sp", ("zero", "gp"))
    kept = frozenset(("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"))
    if function.windows:
        return Convention(("rcx", "rdx", "r8", "r9"), kept | {"rdi", "rsi"}, "rsp", ("rip",))
    return Convention(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), kept, "rsp", ("rip",))


_DECODERS: dict[Architecture, tuple[int, int, Callable[[Any], Step]]] = {
    Architecture.X86_64: (capstone.CS_ARCH_X86, capstone.CS_MODE_64, x86_64),
    Architecture.AARCH64: (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM, aarch64),
    Architecture.RISCV64: (
        capstone.CS_ARCH_RISCV,
        capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC,
        riscv64,
    ),
}


def _steps(function: Function) -> dict[int, Step]:
    """The instructions of a function by place, up to the first bytes that are none."""
    kind, mode, decode = _DECODERS[function.architecture]
    engine = capstone.Cs(kind, mode)
    engine.detail = True
    found = engine.disasm(function.code, function.start)
    return {instruction.address: decode(instruction) for instruction in found}


class _Scan:
    """One function, from its entry along every path."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.convention = _convention(function)
        self.steps = _steps(function)
        self.end = function.start + len(function.code)
        self.met: dict[int, _State] = {}
        self.waiting: list[int] = []
        self.found: dict[tuple[int, Kind], Finding] = {}
        self.leaders = {self._target(step) for step in self.steps.values()}

    def findings(self) -> list[Finding]:
        """All findings by place. A state only ever learns more, so the last visit says it all."""
        registers = dict.fromkeys(self.convention.arguments, ARGUMENT)
        registers |= dict.fromkeys(self.convention.public, PUBLIC)
        registers[self.convention.stack_pointer] = Value("stack", 0)
        self._enter(self.function.start, _State(registers))
        while self.waiting:
            place = self.waiting.pop()
            self._run(place, self.met[place].copy())
        return [self.found[key] for key in sorted(self.found, key=lambda k: (k[0], k[1].value))]

    def _enter(self, place: int, state: _State) -> None:
        if place not in self.met:
            self.met[place] = state.copy()
        elif not self.met[place].meet(state):
            return
        self.waiting.append(place)

    def _run(self, place: int, state: _State) -> None:
        """From a place to where the straight line ends or meets another."""
        first = True
        while first or place not in self.leaders:
            first = False
            step = self.steps.get(place)
            if step is None:
                self._report(Step(place, 0, "?"), Kind.BYTES, Depends.UNKNOWN)
                return
            self._check(step, state)
            state.apply(step.moves)
            if not self._goes_on(step, state):
                return
            place += step.size
        self._enter(place, state)

    def _check(self, step: Step, state: _State) -> None:
        if not step.known:
            self._report(step, Kind.TIME, Depends.UNKNOWN)
        moved = [place for move in step.moves for place in (*move.sources, *move.targets)]
        for place in (*moved, *step.asks):
            if isinstance(place, Memory):
                depends = state.address(place).depends
                if depends is not Depends.PUBLIC:
                    self._report(step, Kind.ADDRESS, depends)
        for move in step.moves:
            value = _combined([state.read(source) for source in move.sources], move.added)
            if value.depends is not Depends.PUBLIC:
                for target in move.targets:
                    if isinstance(target, Memory) and state.address(target) == PUBLIC:
                        self._report(step, Kind.STATIC, value.depends)

    def _goes_on(self, step: Step, state: _State) -> bool:
        """Whether the next instruction may follow; reports what leaves the straight line."""
        asked = _combined([state.read(place) for place in step.asks], None).depends
        if step.flow is Flow.NEXT:
            return True
        if step.flow in (Flow.RETURN, Flow.STOP):
            return False
        target, callee = self._target(step), self._callee(step)
        if step.flow is Flow.BRANCH:
            self._report(step, Kind.BRANCH, asked)
            if target is not None and target in self.steps:
                self._enter(target, state)
            else:
                self._leave(step, state, callee)
            return True
        if step.flow is Flow.JUMP and target is not None and target in self.steps:
            self._enter(target, state)
            return False
        if target is None and not callee:
            self._report(step, Kind.INDIRECT, max(asked, Depends.UNKNOWN, key=_rank))
        self._leave(step, state, callee)
        self._after_call(state)
        return step.flow is Flow.CALL

    def _leave(self, step: Step, state: _State, callee: str) -> None:
        arguments = self.convention.arguments[: _ARGUMENTS.get(callee.lstrip("_"))]
        passed = [state.register(name) for name in arguments]
        self._report(step, Kind.CALL, _combined(passed, None).depends, callee)

    def _after_call(self, state: _State) -> None:
        """A callee may change every register it need not keep, and what it has the address of."""
        kept = {*self.convention.kept, *self.convention.public}
        state.registers = {k: v for k, v in state.registers.items() if k in kept}
        state.spoil()

    def _report(self, step: Step, kind: Kind, depends: Depends, callee: str = "") -> None:
        offset = step.address - self.function.start
        before = self.found.get((offset, kind))
        worst = max(depends, before.depends, key=_rank) if before else depends
        name = self.function.name
        self.found[offset, kind] = Finding(name, offset, step.text, kind, worst, callee)

    def _relocated(self, step: Step) -> Iterator[int]:
        """Where a relocation of a jump or a call may be: in it, or in the auipc before it."""
        if step.flow not in (Flow.JUMP, Flow.BRANCH, Flow.CALL):
            return
        if self.function.architecture is Architecture.X86_64:
            yield step.address + step.size - (4 if step.size > 4 else 1)
            return
        yield step.address
        before = self.steps.get(step.address - 4)
        if step.target is None and before and before.text.startswith("auipc"):
            yield before.address

    def _target(self, step: Step) -> int | None:
        """Where in the section a jump goes, unless the linker fills in another place."""
        for place in self._relocated(step):
            if place in self.function.labels:
                return self.function.labels[place]
            if place in self.function.names:
                return None
        return step.target

    def _callee(self, step: Step) -> str:
        names = (self.function.names.get(place) for place in self._relocated(step))
        named = next((name for name in names if name), "")
        target = self._target(step)
        return self.function.starts.get(target, "") if target is not None else named


def _rank(depends: Depends) -> int:
    return [*Depends].index(depends)
