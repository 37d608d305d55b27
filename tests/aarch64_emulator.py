"""AArch64 simulated twice: an emulator on numbers, and the prover's symbolic run beside it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import capstone
import pytest

from fieldc.proof.aarch64.flags import Flags
from fieldc.proof.aarch64.meanings import MEANINGS
from fieldc.proof.aarch64.processor import Held, SymbolicArm64
from fieldc.proof.algebra.equations import Polynomial, Select, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import AnyOf, OnEntry, Pointer, Signed

RADIX = 1 << 64


def limbs(value: int, n: int) -> list[int]:
    return [value >> 64 * i & RADIX - 1 for i in range(n)]


RETURN = 0xF0000
"""Where the code returns to."""
PLACES = {"code": 0x1000, "z": 0x10000, "x": 0x20000, "y": 0x30000, "stack": 0x80000}
PLACES |= {"zeta": 0x40000, "f": 0x50000, "g": 0x60000}


class Emulator:
    """Unicorn with operands in memory, and random values in the other registers."""

    def __init__(self, code: bytes, operands: dict[str, list[int]], result_limbs: int) -> None:
        unicorn = pytest.importorskip("unicorn")
        arm = pytest.importorskip("unicorn.arm64_const")
        self.numbers = {f"x{i}": getattr(arm, f"UC_ARM64_REG_X{i}") for i in range(31)}
        self.numbers |= {"sp": arm.UC_ARM64_REG_SP, "nzcv": arm.UC_ARM64_REG_NZCV}
        self.numbers |= {"pc": arm.UC_ARM64_REG_PC}
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        self.machine.ctl_set_cpu_model(arm.UC_CPU_ARM64_MAX)
        self.machine.mem_map(0, 0x100000)
        self.machine.mem_write(0x1000, code)
        chance = random.Random(2)
        self.entry = {f"x{i}": chance.getrandbits(64) for i in range(30)} | {"x30": RETURN}
        names = ("z", *operands)
        self.entry |= {f"x{i}": PLACES[name] for i, name in enumerate(names)}
        for name, values in operands.items():
            data = b"".join(v.to_bytes(8, "little") for v in values)
            self.machine.mem_write(PLACES[name], data)
        for name, value in {**self.entry, "sp": PLACES["stack"]}.items():
            self.machine.reg_write(self.numbers[name], value)
        self.place, self.limbs = 0x1000, result_limbs

    def step(self) -> None:
        self.machine.emu_start(self.place, RETURN, count=1)
        self.place = self.register("pc")

    def run(self) -> None:
        self.machine.emu_start(self.place, RETURN)

    def register(self, name: str) -> int:
        return int(self.machine.reg_read(self.numbers[name]))

    def result(self) -> int:
        return int.from_bytes(self.machine.mem_read(PLACES["z"], 8 * self.limbs), "little")


@dataclass
class Recorded:
    """A symbolic run: what each instruction left in registers and flags."""

    code: bytes
    limbs: int
    operands: dict[str, int]
    is_foreign: bool = False
    states: list[tuple[dict[str, Held], Flags]] = field(default_factory=list)
    mnemonics: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.system = System(64, is_foreign=self.is_foreign)
        inputs, limbs = {}, {}
        for name, count in self.operands.items():
            variables = tuple(self.system.new(f"{name}[{i}]", RADIX - 1) for i in range(count))
            inputs[name] = Input(name, variables, RADIX**count - 1)
            limbs[name] = variables
        self.inputs = inputs
        memory = KernelMemory(self.system, limbs, self.code, self.limbs)
        meanings = {name: self.watched(meaning) for name, meaning in MEANINGS.items()}
        SymbolicArm64(memory).run(self.code, 0, meanings)

    def watched(self, meaning: Callable[..., None]) -> Callable[..., None]:
        def inner(cpu: SymbolicArm64, instruction: capstone.CsInsn) -> None:
            if instruction.address == 0:
                self.states.clear()
            meaning(cpu, instruction)
            self.states.append((dict(cpu.registers), replace(cpu.flags)))
            self.mnemonics.add(instruction.mnemonic)

        return inner

    def evaluated(self, operands: dict[str, list[int]]) -> dict[int, int]:
        """Every variable's value; each row must hold with its variables in range."""
        values = {
            v: k for n, i in self.inputs.items() for v, k in zip(i.limbs, operands[n], strict=True)
        }
        for row in self.system.rows:
            self._find_bits(values)
            if isinstance(row, Select):
                side = row.when_set if values[row.flag] else row.otherwise
                values[row.word] = number(side, values)
                continue
            right = number(row.right, values)
            values[row.word] = right % RADIX if row.carry is not None else right
            assert 0 <= values[row.word] < RADIX, row
            assert values[row.word] <= self.system.ranges[row.word][1], row
            if row.carry is not None:
                values[row.carry] = (right - values[row.word]) // row.factor
                low, high = self.system.ranges[row.carry]
                assert low <= values[row.carry] <= high, row
        self._find_bits(values)
        return values

    def _find_bits(self, values: dict[int, int]) -> None:
        """Give the top bits of known words, and the bits that two have, their values."""
        known = -1
        while known != len(values):  # such bits may be of such bits
            known = len(values)
            for (word, shift), top in self.system.top_bits.items():
                if word in values:
                    values[top] = values[word] >> shift
                    assert values[top] <= self.system.ranges[top][1], (word, shift)
            for (first, second), both in self.system.common.items():
                if first in values and second in values:
                    values[both] = values[first] & values[second]

    def agrees(self, operands: dict[str, list[int]]) -> None:
        """Compare with the emulator after every instruction."""
        values = self.evaluated(operands)
        machine = Emulator(self.code, operands, self.limbs)
        before: dict[str, Held] = {}
        for index, (registers, flags) in enumerate(self.states[:-1]):
            machine.step()
            for name, held in registers.items():
                if before.get(name) is not held:
                    expected = concrete(held, values, machine.entry)
                    got = machine.register(name)
                    assert expected is None or got == expected, (hex(4 * index), name, held)
            nzcv = machine.register("nzcv")
            known = (flags.negative, flags.zero, flags.carry, flags.overflow)
            for flag, bit in zip(known, (31, 30, 29, 28), strict=True):
                if flag is not None:
                    assert number(flag, values) == nzcv >> bit & 1, (hex(4 * index), bit)
            before = registers


def number(value: Polynomial, values: dict[int, int]) -> int:
    total = 0
    for monomial, coefficient in value.items():
        term = int(coefficient)
        for variable in monomial:
            term *= values[variable]
        total += term
    return total


def concrete(held: Held, values: dict[int, int], entry: dict[str, int]) -> int | None:
    """A register's number; None for what is compared where it is restored.

    That is saved flags, and signed addresses: an emulator may have no keys. Of words of which it
    is asked only whether all are 0, nothing is compared but the flags.
    """
    if isinstance(held, Flags | Signed | AnyOf):
        return None
    if isinstance(held, Pointer):
        return (PLACES[held.base] + held.offset) % RADIX
    if isinstance(held, OnEntry):
        return entry[held.register]
    return number(held, values)


CORNERS = (0, 1, 2, 1 << 32, (1 << 32) - 1, 1 << 63, (1 << 63) - 1, RADIX - 2, RADIX - 1)


def samples(counts: dict[str, int], many: int) -> Iterator[dict[str, list[int]]]:
    """Operands of zeros, of ones, of corner limbs and of random limbs."""
    chance = random.Random(3)
    for fill in (0, RADIX - 1):
        yield {name: [fill] * count for name, count in counts.items()}
    for turn in range(many):
        yield {
            name: [
                chance.choice(CORNERS) if turn % 2 else chance.getrandbits(64) for _ in range(count)
            ]
            for name, count in counts.items()
        }
