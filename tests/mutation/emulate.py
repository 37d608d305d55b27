"""A concrete run of physical instructions, one at a time: all state in the open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import CONSTANTS, STACK, Immediate, Memory, Register

RADIX = 1 << 64
PLACES = {"z": 1 << 40, "x": 2 << 40, "y": 3 << 40, CONSTANTS: 4 << 40, STACK: 5 << 40}
Key = str | int
"""A register, `cf`, `of`, or an address."""


@dataclass
class State:
    """Registers, flags and memory, by name or address. An undefined flag holds junk."""

    values: dict[Key, int] = field(default_factory=dict)

    def place(self, memory: Memory) -> int:
        """The address of a memory operand."""
        base = PLACES[CONSTANTS] if memory.base == CONSTANTS else self.values[str(memory.base)]
        return base + memory.offset

    def read(self, operand: Register | Memory | Immediate) -> int:
        """An operand's value. Raises KeyError for memory that nobody wrote."""
        if isinstance(operand, Immediate):
            return operand.value % RADIX
        if isinstance(operand, Register):
            return self.values[operand.name]
        return self.values[self.place(operand)]

    def write(self, operand: Register | Memory | Immediate, value: int) -> None:
        """Assign an operand."""
        assert not isinstance(operand, Immediate)
        key: Key = operand.name if isinstance(operand, Register) else self.place(operand)
        self.values[key] = value % RADIX


def entry(kernel: X86Kernel, limbs: dict[str, Sequence[int]], junk: int) -> State:
    """The state at the start of a call; what a kernel may not rely on holds junk."""
    names = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", *(f"r{i}" for i in range(8, 16))]
    values: dict[Key, int] = {
        r: (junk + i * 0x9E3779B97F4A7C15) % RADIX for i, r in enumerate(names)
    }
    values |= {"cf": junk & 1, "of": junk >> 1 & 1, STACK: PLACES[STACK]}
    for register, name in zip(kernel.convention.arguments, ("z", *limbs), strict=False):
        values[register] = PLACES[name]
    tables = {**limbs, CONSTANTS: [value for _, value in kernel.constants]}
    for name, words in tables.items():
        values |= {PLACES[name] + 8 * i: word for i, word in enumerate(words)}
    return State(values)


def step(state: State, i: Physical) -> None:
    """Run one instruction."""
    RUN[i.mnemonic](state, i)


def result(state: State, limbs: int) -> list[int]:
    """What the kernel left in z."""
    return [state.values.get(PLACES["z"] + 8 * i, -1) for i in range(limbs)]


def _sum(sign: int, reads: str, writes: str, other: str) -> Callable[[State, Physical], None]:
    def run(state: State, i: Physical) -> None:
        a, b = state.read(i.operands[0]), state.read(i.operands[1])
        total = a + sign * (b + (state.values[reads] if reads else 0))
        state.write(i.operands[0], total)
        state.values[writes] = int(not 0 <= total < RADIX)
        if other:
            signed = _signed(a) + sign * (_signed(b) + (total - a - sign * b) * sign)
            state.values[other] = int(not -RADIX // 2 <= signed < RADIX // 2)

    return run


def _signed(value: int) -> int:
    return value - RADIX if value >> 63 else value


def _junk_flags(state: State, word: int) -> None:
    """Flags whose value we do not care to know: whoever reads them gets noise."""
    state.values |= {"cf": word >> 7 & 1, "of": word >> 13 & 1}


def _clear(state: State) -> None:
    state.values |= {"cf": 0, "of": 0}


def _mul(state: State, i: Physical) -> None:
    total = state.values["rax"] * state.read(i.operands[0])
    state.values |= {"rax": total % RADIX, "rdx": total // RADIX}
    _junk_flags(state, total)


def _mulx(state: State, i: Physical) -> None:
    total = state.values["rdx"] * state.read(i.operands[2])
    state.write(i.operands[1], total)
    state.write(i.operands[0], total // RADIX)


def _imul(state: State, i: Physical) -> None:
    total = state.read(i.operands[0]) * state.read(i.operands[1])
    state.write(i.operands[0], total)
    _junk_flags(state, total)


def _and(state: State, i: Physical) -> None:
    state.write(i.operands[0], state.read(i.operands[0]) & state.read(i.operands[1]))
    _clear(state)


def _shld(state: State, i: Physical) -> None:
    count = state.read(i.operands[2])
    both = state.read(i.operands[0]) * RADIX + state.read(i.operands[1])
    state.write(i.operands[0], (both << count) // RADIX)
    _junk_flags(state, both)


def _shl(state: State, i: Physical) -> None:
    total = state.read(i.operands[0]) << state.read(i.operands[1])
    state.write(i.operands[0], total)
    _junk_flags(state, total)


def _shr(state: State, i: Physical) -> None:
    total = state.read(i.operands[0]) >> state.read(i.operands[1])
    state.write(i.operands[0], total)
    _junk_flags(state, total)


def _mov(state: State, i: Physical) -> None:
    state.write(i.operands[0], state.read(i.operands[1]))


def _move_if(value: int) -> Callable[[State, Physical], None]:
    def run(state: State, i: Physical) -> None:
        if state.values["cf"] == value:
            _mov(state, i)

    return run


def _lea(state: State, i: Physical) -> None:
    _, place = i.operands
    assert isinstance(place, Memory)
    state.write(i.operands[0], state.place(place))


def _lea_double(state: State, i: Physical) -> None:
    state.write(i.operands[0], 2 * state.read(i.operands[1]))


def _lea_sum(state: State, i: Physical) -> None:
    state.write(i.operands[0], state.read(i.operands[1]) + state.read(i.operands[2]))


def _xor(state: State, i: Physical) -> None:
    state.write(i.operands[0], 0)
    _clear(state)


def _sbb_mask(state: State, i: Physical) -> None:
    state.write(i.operands[0], -state.values["cf"])
    state.values["of"] = 0


def _push(state: State, i: Physical) -> None:
    value = state.read(i.operands[0])
    state.values[STACK] -= 8
    state.values[state.values[STACK]] = value


def _pop(state: State, i: Physical) -> None:
    value = state.values[state.values[STACK]]
    state.values[STACK] += 8
    state.write(i.operands[0], value)


RUN: dict[str, Callable[[State, Physical], None]] = {
    "add": _sum(1, "", "cf", "of"),
    "adc": _sum(1, "cf", "cf", "of"),
    "adcx": _sum(1, "cf", "cf", ""),
    "adox": _sum(1, "of", "of", ""),
    "sub": _sum(-1, "", "cf", "of"),
    "sbb": _sum(-1, "cf", "cf", "of"),
    "and": _and,
    "cmovc": _move_if(1),
    "cmovnc": _move_if(0),
    "imul": _imul,
    "lea": _lea,
    "lea_double": _lea_double,
    "lea_sum": _lea_sum,
    "mov": _mov,
    "store": _mov,
    "mul": _mul,
    "mulx": _mulx,
    "pop": _pop,
    "push": _push,
    "ret": lambda state, i: None,
    "sbb_mask": _sbb_mask,
    "shld": _shld,
    "shl": _shl,
    "shr": _shr,
    "test": lambda state, i: _clear(state),
    "xor": _xor,
}
"""Written from the manual, apart from the prover's own meanings."""
