"""An AArch64 processor that runs straight-line code on symbolic words."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import capstone
from capstone import arm64_const as arm

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import decoder
from fieldc.proof import bits
from fieldc.proof.aarch64.flags import CERTIFIED_CONDITIONS, Flags, condition, foreign_condition
from fieldc.proof.aarch64.words import Words, tabulate
from fieldc.proof.algebra.equations import ONE, Polynomial, constant
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import OnEntry, Pointer, Value

# Procedure Call Standard for the Arm 64-bit Architecture, 6.1.1; Apple's and Microsoft's keep x18.
REGISTERS = tuple(f"x{i}" for i in range(31))
CALLEE_SAVED = tuple(f"x{i}" for i in range(19, 31))
ARGUMENTS = tuple(f"x{i}" for i in range(8))
RED_ZONES = {"aapcs64": 0, "apple": 128, "windows": 0}
RESERVED: dict[str, tuple[str, ...]] = {"aapcs64": (), "apple": ("x18",), "windows": ("x18",)}
NAMES = {"fp": "x29", "lr": "x30"}
SIZE = 4
"""Bytes of an instruction."""
LONGEST = 100_000
"""Instructions after which a kernel is taken for one that never returns."""
MOST_REMEMBERED = 4096
"""Instructions: a kernel is run twice, and some of its code more often."""
CERTIFIED = frozenset(
    (
        *("mov", "movz", "movn", "movk", "adr", "ldr", "ldur", "ldp", "str", "stur", "stp"),
        *("add", "adds", "adc", "adcs", "cmn", "sub", "subs", "sbc", "sbcs", "cmp"),
        *("neg", "negs", "ngc", "ngcs", "mul", "umulh", "mneg", "madd", "msub", "umull", "umaddl"),
        *("csel", "csinc", "csinv", "csneg", "cinc", "cset", "csetm"),
        *("and", "ands", "tst", "bic", "orr", "eor", "mvn"),
        *("lsl", "lsr", "asr", "sbfx", "ubfx", "extr", "mrs", "msr", "ret", "nop", "bti", "bl"),
    )
)
"""What crates/check knows too. Others are for routines that fieldc did not make."""
CLEAR: Polynomial = {}
SET: Polynomial = {ONE: 1}


Held = Value | Flags
"""What a register holds."""


def decode(code: bytes, start: int) -> capstone.CsInsn:
    """The instruction at an offset. Raises ProofError where there is none."""
    if start < 0 or start % SIZE:
        raise ProofError(f"the code goes to {start:#x}, where no instruction can be")
    return _decoded(code[start : start + SIZE], start)


@lru_cache(MOST_REMEMBERED)
def _decoded(code: bytes, address: int) -> capstone.CsInsn:
    """The instruction that bytes are; it is shared, and never changed."""
    for instruction in decoder(Architecture.AARCH64).disasm(code, address, 1):
        return instruction
    raise ProofError(f"+{address:#x}: bytes that are no instruction")


@dataclass
class SymbolicArm64:
    """Registers and flags."""

    memory: KernelMemory
    convention: str = "aapcs64"
    registers: dict[str, Held] = field(default_factory=dict)
    flags: Flags = field(default_factory=Flags)
    where: str = ""
    place: int = 0
    """Offset of the next instruction in the code."""
    returned: bool = False

    def __post_init__(self) -> None:
        self.words = Words(self.memory.system)
        self.registers = {r: OnEntry(r) for r in REGISTERS}
        self.registers["sp"] = Pointer("stack", 0)
        self.memory.red_zone = RED_ZONES[self.convention]
        self.memory.in_registers, self.memory.arguments_at = len(ARGUMENTS), 0
        for index, register in enumerate(ARGUMENTS):
            if (value := self.memory.argument(index)) is not None:
                self.registers[register] = value

    def run(self, code: bytes, start: int, meanings: Mapping[str, Meaning]) -> None:
        """Run to the return and check the convention. Raises ProofError.

        A first run finds the constants that the code multiplies by. A caller of routines has none.
        """
        if self.memory.routines is not None:
            self._run(code, start, meanings)
            return
        scout = SymbolicArm64(copy.deepcopy(self.memory), self.convention)
        scout._run(code, start, meanings)
        self.words.expected = scout.words.seen
        self.memory.system.expected = frozenset(scout.words.seen)
        self._run(code, start, meanings)

    def _run(self, code: bytes, start: int, meanings: Mapping[str, Meaning]) -> None:
        """There is no branch that depends on data: what runs is one straight line."""
        self.place = start
        for _ in range(LONGEST):
            instruction = decode(code, self.place)
            self.place += SIZE
            self._step(instruction, meanings)
            if self.returned:
                return
        raise ProofError(f"the code does not return within {LONGEST} instructions")

    def _step(self, instruction: capstone.CsInsn, meanings: Mapping[str, Meaning]) -> None:
        self.where = f"+{instruction.address:#x} {instruction.mnemonic} {instruction.op_str}"
        self.memory.fetch(instruction.address, SIZE, self.where)
        self.memory.executed.add(instruction.mnemonic)
        meaning = meanings.get(instruction.mnemonic)
        if meaning is None:
            raise self.refuse("this instruction is not on the list")
        if instruction.mnemonic not in CERTIFIED:
            self.needs_no_certificate()
        meaning(self, instruction)

    def needs_no_certificate(self) -> None:
        """Go on only where no certificate is written, which could not say this."""
        if not self.memory.is_foreign:
            raise self.refuse("certificates do not know this form of instruction")

    def refuse(self, why: str) -> ProofError:
        """An error that names the instruction."""
        return ProofError(f"{self.where}: {why}")

    def name(self, instruction: capstone.CsInsn, number: int) -> tuple[str, int]:
        """A register's 64-bit name and the width at which it is used."""
        name: str = instruction.reg_name(number)
        name = NAMES.get(name, name)
        whole = f"x{name[1:]}" if name[0] == "w" else name
        if whole not in self.registers and whole != "xzr":
            raise self.refuse(f"register {name} is not a general one")
        if whole in RESERVED[self.convention]:
            raise self.refuse(f"{name} is not the kernel's to use")
        return whole, 32 if name[0] == "w" else 64

    def held(self, name: str) -> Held:
        """What a register holds."""
        return {} if name == "xzr" else self.registers[name]

    def value(self, instruction: capstone.CsInsn, index: int) -> Held:
        """A register's or a constant's value, whatever it is; 32 bits of a word where so named."""
        operand = instruction.operands[index]
        if operand.type == arm.ARM64_OP_IMM:
            return constant(
                (operand.imm << self._plain_shift(operand)) % (1 << self.width(instruction))
            )
        if operand.type != arm.ARM64_OP_REG:
            raise self.refuse("this operand is not on the list")
        name, width = self.name(instruction, operand.reg)
        value = self.held(name)
        if operand.ext:
            if operand.ext != arm.ARM64_EXT_UXTW or operand.shift.value:
                raise self.refuse("this extension is not on the list")
            width = 32
        elif operand.shift.type:
            if width != 64:
                raise self.refuse("shifts half a register")
            return self.shifted(self.as_word(value), operand.shift.type, operand.shift.value)
        return value if width == 64 else self.low_bits(self.as_word(value), 32)

    def word(self, instruction: capstone.CsInsn, index: int) -> Polynomial:
        """A value that may be computed with. Raises ProofError for an address or an unknown."""
        return self.as_word(self.value(instruction, index))

    def as_word(self, value: Held) -> Polynomial:
        """A value that may be computed with. Raises ProofError for an address or an unknown."""
        if isinstance(value, dict):
            return value
        raise self.refuse(f"computes with {value}")

    def _plain_shift(self, operand: capstone.arm64.Arm64Op) -> int:
        if operand.shift.type not in (arm.ARM64_SFT_INVALID, arm.ARM64_SFT_LSL):
            raise self.refuse("this shift is not on the list")
        return int(operand.shift.value)

    def width(self, instruction: capstone.CsInsn) -> int:
        """The width of the first operand's register."""
        return self.name(instruction, instruction.operands[0].reg)[1]

    def shifted(self, value: Polynomial, kind: int, count: int) -> Polynomial:
        """A word shifted left or right by a constant."""
        if kind == arm.ARM64_SFT_LSL:
            return self.left(value, count)
        if kind == arm.ARM64_SFT_LSR:
            return self.right(value, count)
        raise self.refuse("this shift is not on the list")

    def left(self, value: Polynomial, count: int) -> Polynomial:
        """value << count mod 2^w."""
        radix = self.memory.system.radix
        if self.words.are_bits(value):
            return tabulate(lambda v: (v << count) % radix, value)
        if not count:
            return value
        if self.memory.is_foreign:
            return bits.shifted(self, self.words.word(value, self.where), {}, count)
        return self.words.low(value, constant(1 << count), self.where)

    def right(self, value: Polynomial, count: int) -> Polynomial:
        """value >> count: the high half of a product; in foreign code a variable of its own."""
        if self.words.are_bits(value):
            return tabulate(lambda v: v >> count, value)
        if not count:
            return value
        width = self.memory.system.word_bits
        if self.memory.is_foreign:
            return self._top_bits(self.words.word(value, self.where), count)
        return self.words.high(value, constant(1 << width - count), self.where)

    def _top_bits(self, word: Polynomial, count: int) -> Polynomial:
        system = self.memory.system
        exact = bits.halved(system, word, count)
        if exact is None:
            return bits.top_bits(self, word, system.word_bits - count)
        return {(system.define_word(exact, self.where, (system.radix - 1) >> count),): 1}

    def low_bits(self, value: Polynomial, count: int) -> Polynomial:
        """value mod 2^count."""
        if self.words.are_bits(value):
            return tabulate(lambda v: v % (1 << count), value)
        if self.words.largest(value) < 1 << count:
            return value
        if self.memory.is_foreign:
            return bits.low_bits(self, self.words.word(value, self.where), count)
        rest = dict(value)
        for monomial, c in self.right(value, count).items():
            rest[monomial] = -c * (1 << count)
        return {(self.memory.system.define_word(rest, self.where, (1 << count) - 1),): 1}

    def write(self, instruction: capstone.CsInsn, index: int, value: Held) -> None:
        """Assign a register. A 32-bit one clears its upper half, which must be 0 already."""
        name, width = self.name(instruction, instruction.operands[index].reg)
        if width == 32 and (not isinstance(value, dict) or self.words.largest(value) >> 32):
            raise self.refuse("writes half a register with what may be a whole word")
        if name == "sp":
            self.move_stack(value)
        elif name != "xzr":
            self.registers[name] = value

    def move_stack(self, value: Held) -> None:
        """Assign sp; what is below it is no longer the kernel's."""
        memory = self.memory
        if not isinstance(value, Pointer) or value.base != "stack" or value.offset % 16:
            raise self.refuse("moves the stack pointer by what is not known")
        if value.offset > 0:
            raise self.refuse("frees stack that is not its own")
        memory.take_stack(value.offset, self.where)
        memory.stack_pointer = value.offset
        for offset in [o for o in memory.stack if o < value.offset]:
            del memory.stack[offset]
        self.registers["sp"] = value

    def flag(self, value: Polynomial | None) -> Polynomial:
        """A flag that is read. Raises ProofError where it is undefined."""
        if value is None:
            raise self.refuse("reads a flag of which nothing is known here")
        return value

    def condition(self, instruction: capstone.CsInsn) -> Polynomial:
        """Whether an instruction's condition holds."""
        if instruction.cc not in CERTIFIED_CONDITIONS:
            self.needs_no_certificate()
        ask = foreign_condition if self.memory.is_foreign else condition
        value = ask(self.flags, instruction.cc, self.words, self.where)
        if value is None:
            raise self.refuse("reads a flag of which nothing is known here")
        return value


Meaning = Callable[[SymbolicArm64, capstone.CsInsn], None]
"""What an instruction does."""
