"""Whether finished machine code takes the same time for all operands: a scan of object bytes.

What is loaded through an argument is secret. Arguments themselves, addresses made from them, the
stack pointer, constants and what is loaded from statics are public. Follows jumps to a fixed point;
whatever it does not understand is a finding. Speculation and power are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fieldc.binary.functions import ScannedCode, functions
from fieldc.proof.constant_time.effects import Effect, Flow, Location, MemoryOperand, Transfer
from fieldc.proof.constant_time.instruction_sets import INSTRUCTION_SETS, effects_of


class Depends(Enum):
    """What something depends on."""

    PUBLIC = "public values"
    UNKNOWN = "something unknown"
    SECRET = "an operand's value"


class FindingKind(Enum):
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
    the function called says the rest. Where some are not, `secret` names them, and a scan with
    these says the rest. `callee` is the function's name.
    """

    function: str
    offset: int
    instruction: str
    kind: FindingKind
    depends: Depends
    callee: str = ""
    secret: frozenset[str] = frozenset()

    def __str__(self) -> str:
        where = f"{self.function}+{self.offset:#x}: {self.instruction}"
        to = f" to {self.callee}" if self.callee else ""
        return f"{where}: {self.kind.value}{to}, depends on {self.depends.value}"


def scan(data: bytes, symbol: str | None = None) -> list[Finding]:
    """Every finding in an object file, or in one function of it.

    Raises ObjectError for what is no object, and LookupError where it has no function of that name.
    """
    found = functions(data)
    chosen = [f for f in found if symbol in (None, f.name, f.name.removeprefix("_"))]
    if not chosen:
        raise LookupError(f"no function {symbol!a} in the object")
    return [finding for function in chosen for finding in scan_function(function)]


def scan_function(function: ScannedCode, secret: frozenset[str] = frozenset()) -> list[Finding]:
    """Every finding in one function; the registers named in `secret` hold secrets on entry."""
    return _Scan(function, secret).findings()


@dataclass(frozen=True)
class AbstractValue:
    """What is known of a word: where it points, or what it depends on."""

    base: str
    offset: int | None = None

    @property
    def depends(self) -> Depends:
        """Whether the word itself may depend on an operand's value."""
        known = {"secret": Depends.SECRET, "unknown": Depends.UNKNOWN}
        return known.get(self.base, Depends.PUBLIC)


PUBLIC = AbstractValue("public")
ARGUMENT = AbstractValue("argument")
STACK = AbstractValue("stack")
UNKNOWN = AbstractValue("unknown")
SECRET = AbstractValue("secret")
_ORDER = (SECRET, UNKNOWN, STACK, ARGUMENT, PUBLIC)


def _combined(values: list[AbstractValue], added: int | None) -> AbstractValue:
    """What an instruction makes of its sources; `added` if it only adds a number."""
    if len(values) == 1 and added is not None:
        (value,) = values
        return value if value.offset is None else AbstractValue(value.base, value.offset + added)
    bases = {value.base for value in values}
    return next((value for value in _ORDER if value.base in bases), PUBLIC)


def _either(a: AbstractValue, b: AbstractValue) -> AbstractValue:
    """What a word is where two paths meet."""
    if a == b:
        return a
    if "secret" in (a.base, b.base):
        return SECRET
    if a.base == b.base:
        return AbstractValue(a.base)
    return ARGUMENT if {a.base, b.base} == {"public", "argument"} else UNKNOWN


_ARGUMENTS = {"memcpy": 3, "memmove": 3, "memset": 3}
"""How many a function takes: other registers hold what nobody reads."""


@dataclass
class _State:
    """Registers, and the stack by words; offsets count from the stack pointer on entry."""

    registers: dict[str, AbstractValue]
    word: int = 8
    """Bytes of a register, and of a word of the stack."""
    stack: dict[int, AbstractValue] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.registers), self.word, dict(self.stack))

    def register(self, name: str) -> AbstractValue:
        return self.registers.get(name, UNKNOWN)

    def address(self, memory: MemoryOperand) -> AbstractValue:
        bases = [self.register(base) for base in memory.bases]
        return _combined(bases, memory.displacement if len(bases) == 1 else None)

    def load(self, memory: MemoryOperand) -> AbstractValue:
        address = self.address(memory)
        if address.base == "public":
            return PUBLIC
        if address.base != "stack" or address.offset is None:
            return SECRET
        slots = [self.stack.get(i, UNKNOWN) for i in self.slots(address.offset, memory.size)]
        exact = address.offset % self.word == 0 and memory.size == self.word
        return _combined(slots, 0 if exact else None)

    def store(self, memory: MemoryOperand, value: AbstractValue) -> None:
        address = self.address(memory)
        if address.base in ("argument", "public"):
            return
        if address.base != "stack" or address.offset is None:
            self.spoil()
            return
        whole = address.offset % self.word == 0 and memory.size % self.word == 0
        kept = value if memory.size == self.word else _combined([value], None)
        for i in self.slots(address.offset, memory.size):
            self.stack[i] = kept if whole else _either(kept, self.stack.get(i, UNKNOWN))

    def slots(self, offset: int, size: int) -> range:
        """The words of the stack that bytes lie in."""
        return range(offset // self.word, (offset + max(size, 1) - 1) // self.word + 1)

    def spoil(self) -> None:
        """Something wrote to the stack somewhere."""
        self.stack = {i: SECRET for i in self.stack}

    def read(self, place: Location) -> AbstractValue:
        return self.load(place) if isinstance(place, MemoryOperand) else self.register(place)

    def apply(self, transfers: tuple[Transfer, ...]) -> None:
        values = [
            _combined([self.read(s) for s in transfer.sources], transfer.added)
            for transfer in transfers
        ]
        for transfer, value in zip(transfers, values, strict=True):
            for target in transfer.targets:
                if isinstance(target, MemoryOperand):
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


class _Scan:
    """One function, from its entry along every path."""

    def __init__(self, function: ScannedCode, secret: frozenset[str]) -> None:
        self.function, self.secret = function, secret
        self.machine = INSTRUCTION_SETS[function.architecture]
        self.convention = self.machine.convention_of(function)
        self.effects = effects_of(function)
        self.end = function.start + len(function.code)
        self.met: dict[int, _State] = {}
        self.waiting: list[int] = []
        self.found: dict[tuple[int, FindingKind], Finding] = {}
        self.leaders = {self._target(effect) for effect in self.effects.values()}

    def findings(self) -> list[Finding]:
        """All findings by place. A state only ever learns more, so the last visit says it all."""
        registers = dict.fromkeys(self.convention.arguments, ARGUMENT)
        registers |= dict.fromkeys((*self.convention.public, *self.convention.entry), PUBLIC)
        registers |= dict.fromkeys(self.secret, SECRET)
        registers[self.convention.stack_pointer] = AbstractValue("stack", 0)
        self._enter(self.function.start, _State(registers, self.machine.word))
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
            effect = self.effects.get(place)
            if effect is None:
                self._report(Effect(place, 0, "?"), FindingKind.BYTES, Depends.UNKNOWN)
                return
            self._check(effect, state)
            state.apply(effect.transfers)
            place += effect.size
            delayed = self.machine.delayed and effect.flow is not Flow.NEXT
            if delayed and place in self.effects:
                self._check(self.effects[place], state)
            if not self._goes_on(effect, state, self.effects.get(place) if delayed else None):
                return
            place += self.effects[place].size if delayed else 0
        self._enter(place, state)

    def _check(self, effect: Effect, state: _State) -> None:
        if not effect.known:
            self._report(effect, FindingKind.TIME, Depends.UNKNOWN)
        asked = _combined([state.read(place) for place in effect.asks], None).depends
        if effect.flow is Flow.NEXT and asked is not Depends.PUBLIC:
            self._report(effect, FindingKind.BRANCH, asked)
        self._check_addresses(effect, state)
        self._check_statics(effect, state)

    def _check_addresses(self, effect: Effect, state: _State) -> None:
        moved = [
            place
            for transfer in effect.transfers
            for place in (*transfer.sources, *transfer.targets)
        ]
        for place in (*moved, *effect.asks):
            if isinstance(place, MemoryOperand):
                depends = state.address(place).depends
                if depends is not Depends.PUBLIC:
                    self._report(effect, FindingKind.ADDRESS, depends)

    def _check_statics(self, effect: Effect, state: _State) -> None:
        for transfer in effect.transfers:
            value = _combined([state.read(source) for source in transfer.sources], transfer.added)
            if value.depends is not Depends.PUBLIC:
                for target in transfer.targets:
                    if isinstance(target, MemoryOperand) and state.address(target) == PUBLIC:
                        self._report(effect, FindingKind.STATIC, value.depends)

    def _goes_on(self, effect: Effect, state: _State, delayed: Effect | None) -> bool:
        """Whether the next instruction may follow; reports what leaves the straight line.

        The delayed instruction runs after the branch condition is read and before the jump.
        """
        asked = _combined([state.read(place) for place in effect.asks], None).depends
        state.apply(delayed.transfers if delayed else ())
        if effect.flow is Flow.NEXT:
            return True
        if effect.flow in (Flow.RETURN, Flow.STOP):
            return False
        target, callee = self._target(effect), self._callee(effect)
        if effect.flow is Flow.BRANCH:
            self._report(effect, FindingKind.BRANCH, asked)
            if target is not None and target in self.effects:
                self._enter(target, state)
            elif not effect.returns:
                self._leave(effect, state, callee)
            return True
        if effect.flow is Flow.JUMP and target is not None and target in self.effects:
            self._enter(target, state)
            return False
        if target is None and not callee:
            self._report(effect, FindingKind.INDIRECT, max(asked, Depends.UNKNOWN, key=_rank))
        self._leave(effect, state, callee)
        self._after_call(state)
        return effect.flow is Flow.CALL

    def _leave(self, effect: Effect, state: _State, callee: str) -> None:
        arguments = self.convention.arguments[: _ARGUMENTS.get(callee.lstrip("_"))]
        passed = {name: state.register(name) for name in arguments}
        secret = frozenset(n for n, v in passed.items() if v.depends is not Depends.PUBLIC)
        depends = _combined([*passed.values()], None).depends
        self._report(effect, FindingKind.CALL, depends, callee, secret)

    def _after_call(self, state: _State) -> None:
        """A callee may change every register it need not keep, and what it has the address of."""
        kept = {*self.convention.kept, *self.convention.public}
        state.registers = {k: v for k, v in state.registers.items() if k in kept}
        state.spoil()

    def _report(
        self,
        effect: Effect,
        kind: FindingKind,
        depends: Depends,
        callee: str = "",
        secret: frozenset[str] = frozenset(),
    ) -> None:
        offset = effect.address - self.function.start
        before = self.found.get((offset, kind))
        worst = max(depends, before.depends, key=_rank) if before else depends
        secret |= before.secret if before else frozenset()
        name = self.function.name
        self.found[offset, kind] = Finding(name, offset, effect.text, kind, worst, callee, secret)

    def _relocated(self, effect: Effect) -> tuple[int, ...]:
        """Where a relocation of a jump or a call may be."""
        if effect.flow not in (Flow.JUMP, Flow.BRANCH, Flow.CALL):
            return ()
        return self.machine.relocated(effect, self.effects.get(effect.address - 4))

    def _target(self, effect: Effect) -> int | None:
        """Where in the section a jump goes, unless the linker fills in another place."""
        for place in self._relocated(effect):
            if place in self.function.labels:
                return self.function.labels[place]
            if place in self.function.names:
                return None
        return effect.target

    def _callee(self, effect: Effect) -> str:
        names = (self.function.names.get(place) for place in self._relocated(effect))
        named = next((name for name in names if name), "")
        target = self._target(effect)
        return self.function.starts.get(target, "") if target is not None else named


def _rank(depends: Depends) -> int:
    return [*Depends].index(depends)
