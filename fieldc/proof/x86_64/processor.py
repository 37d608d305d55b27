"""An x86-64 processor that runs straight-line code on symbolic words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import GOROUTINE, OnEntry, Pointer, Value
from fieldc.proof.x86_64.decode import decode, has_known_prefixes

CALLEE_SAVED = {
    "sysv": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "win64": ("rbx", "rbp", "rdi", "rsi", "r12", "r13", "r14", "r15"),
    "go-abi0": ("rbp",),
    "go-abiinternal": ("rbp", "r14"),
}
"""Go's: https://go.dev/s/regabi, where r14 is the goroutine and rbp the frame pointer."""
ARGUMENTS = {
    "sysv": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "win64": ("rcx", "rdx", "r8", "r9"),
    "go-abi0": (),
    "go-abiinternal": ("rax", "rbx", "rcx", "rdi", "rsi", "r8", "r9", "r10", "r11"),
}
ON_STACK = frozenset(("go-abi0",))
"""Where all arguments lie above the return address, the first one lowest."""
RED_ZONES = {"sysv": 128, "win64": 0, "go-abi0": 0, "go-abiinternal": 0}
HOMES = {"sysv": 0, "win64": 32, "go-abi0": 0, "go-abiinternal": 0}
"""Bytes above the return address where a function may keep its arguments."""
STACK_STEPS = {"sysv": 16, "win64": 16, "go-abi0": 8, "go-abiinternal": 8}
"""A call leaves the stack pointer at 8 modulo these: Go keeps it at multiples of 8 only."""
REGISTERS = (
    *("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp"),
    *(f"r{i}" for i in range(8, 16)),
)
LOW_HALVES = {
    **{f"e{r[1:]}": r for r in REGISTERS[:7]},
    **{f"r{i}d": f"r{i}" for i in range(8, 16)},
}
LOW_BYTES = {
    **{f"{r[1]}l": r for r in REGISTERS[:4]},
    **{f"{r[1:]}l": r for r in REGISTERS[4:7]},
    **{f"r{i}b": f"r{i}" for i in range(8, 16)},
}
GO = ("go-abi0", "go-abiinternal")
CERTIFIED = frozenset(
    (
        *("mov", "movabs", "lea", "push", "pop", "add", "adc", "adcx", "adox", "sub", "sbb"),
        *("mulx", "mul", "imul", "and", "or", "bzhi", "neg", "not", "xor", "test", "shld", "shrd"),
        *("shl", "shr", "setb", "setae", "cmovb", "cmovae", "ret", "repz ret", "call", "jmp"),
        *("endbr64", "nop"),
    )
)
"""What crates/check knows too. Others are for routines that fieldc did not make."""
CLEAR: Polynomial = {}

KEEPS_SIGNS = frozenset(
    (
        *("mov", "movabs", "movzx", "lea", "push", "pop", "xchg", "not", "adcx", "adox", "mulx"),
        *("shlx", "shrx", "rorx", "clc", "stc", "cmc", "nop", "endbr64", "call", "jmp", "ret"),
        "repz ret",
    )
)
"""What leaves the zero and sign flags alone, besides what reads them: cmov, set and jumps."""
READS_FLAGS = ("cmov", "set", "j")

PAGE = 4096
"""Bytes."""
LONGEST = 100_000
"""Instructions after which a kernel is taken for one that never returns."""


@dataclass
class SymbolicX86:
    """Registers and flags. A flag is a polynomial that is 0 or 1, or None where undefined."""

    memory: KernelMemory
    convention: str
    registers: dict[str, Value] = field(default_factory=dict)
    carry: Polynomial | None = None
    overflow: Polynomial | None = None
    signs: Signs | None = None
    """How to tell the zero and sign flags, which few kernels read."""
    where: str = ""
    place: int = 0
    """Offset of the next instruction in the code."""
    returned: bool = False

    def __post_init__(self) -> None:
        self.registers = {r: OnEntry(r) for r in REGISTERS}
        self.registers["rsp"] = Pointer("stack", 0)
        self.memory.red_zone = RED_ZONES[self.convention]
        self.memory.home = HOMES[self.convention]
        self.memory.stack_step = STACK_STEPS[self.convention]
        self.memory.in_registers = len(ARGUMENTS[self.convention])
        self.memory.arguments_at = 8 + self.memory.home
        for index, register in enumerate(ARGUMENTS[self.convention]):
            if (value := self.memory.argument(index)) is not None:
                self.registers[register] = value
        if self.convention in ON_STACK:
            self.memory.take_arguments()

    def run(self, code: bytes, meanings: Mapping[str, Meaning]) -> None:
        """Run to the return and check the convention. Raises ProofError.

        There is no branch that depends on data: what runs is one straight line.
        """
        for _ in range(LONGEST):
            instruction = decode(code, self.place)
            self.place += instruction.size
            self.step(instruction, meanings)
            if self.returned:
                return
        raise ProofError(f"the code does not return within {LONGEST} instructions")

    def step(self, instruction: capstone.CsInsn, meanings: Mapping[str, Meaning]) -> None:
        """Run one instruction. Raises ProofError."""
        self.where = f"+{instruction.address:#x} {instruction.mnemonic} {instruction.op_str}"
        self.memory.fetch(instruction.address, instruction.size, self.where)
        self.memory.executed.add(instruction.mnemonic)
        meaning = meanings.get(instruction.mnemonic)
        if meaning is None:
            raise ProofError(f"{self.where}: this instruction is not on the list")
        if instruction.mnemonic not in CERTIFIED:
            self.needs_no_certificate()
        if self._finds_goroutine(instruction):
            return
        if not has_known_prefixes(instruction):
            raise ProofError(f"{self.where}: a prefix that may change what it does")
        if not _keeps_signs(instruction.mnemonic):
            self.signs = None
        meaning(self, instruction)

    def _finds_goroutine(self, i: capstone.CsInsn) -> bool:
        """mov r, fs:[-8], by which Go's assembly finds the end of its stack."""
        if self.convention not in GO or i.mnemonic != "mov" or len(i.operands) != 2:
            return False
        place = i.operands[1].mem
        asks = i.operands[1].type == x86.X86_OP_MEM and place.segment == x86.X86_REG_FS
        if not asks or place.base or place.index or place.disp != -8:
            return False
        self.needs_no_certificate()
        self.memory.assumed.add(f"{GOROUTINE} is the address of the goroutine")
        self.write(i, 0, Pointer(GOROUTINE, 0))
        return True

    def needs_no_certificate(self) -> None:
        """Go on only where no certificate is written, which could not say this."""
        if not self.memory.is_foreign:
            raise ProofError(f"{self.where}: certificates do not know this form of instruction")

    def word(self, value: Value) -> Polynomial:
        """A value that may be computed with. Raises ProofError for an address or an unknown."""
        if isinstance(value, dict):
            return value
        raise ProofError(f"{self.where}: computes with {value}")

    def register(self, instruction: capstone.CsInsn, number: int) -> str:
        """The name of a 64-bit register."""
        name: str = instruction.reg_name(number)
        if name not in self.registers:
            raise ProofError(f"{self.where}: register {name} is not a 64-bit general one")
        return name

    def address(self, instruction: capstone.CsInsn, operand: capstone.x86.X86Op) -> Pointer:
        """The address of a memory operand. Raises ProofError unless base and offset are known."""
        memory = operand.mem
        if memory.segment:
            raise ProofError(f"{self.where}: an address with a segment")
        if memory.index:
            return self._indexed(instruction, operand)
        if memory.base == x86.X86_REG_RIP:
            return Pointer("code", instruction.address + instruction.size + memory.disp)
        base = self.registers[self.register(instruction, memory.base)]
        if not isinstance(base, Pointer):
            raise ProofError(f"{self.where}: the address depends on data")
        return Pointer(base.base, base.offset + memory.disp)

    def _indexed(self, instruction: capstone.CsInsn, operand: capstone.x86.X86Op) -> Pointer:
        """A pointer and a constant many words, either of which may be the base."""
        self.needs_no_certificate()
        memory = operand.mem
        base = self.registers[self.register(instruction, memory.base)] if memory.base else {}
        index = self.registers[self.register(instruction, memory.index)]
        if isinstance(index, Pointer) and memory.scale == 1:
            base, index = index, base
        if not isinstance(base, Pointer) or not isinstance(index, dict) or index.keys() - {()}:
            raise ProofError(f"{self.where}: the address depends on data")
        moved = signed(int(index.get((), 0)) * memory.scale, self.memory.system.radix)
        return Pointer(base.base, base.offset + moved + memory.disp)

    def read(self, instruction: capstone.CsInsn, index: int) -> Value:
        """A 64-bit operand's value."""
        operand = instruction.operands[index]
        if operand.type == x86.X86_OP_IMM:
            place = instruction.address + instruction.imm_offset
            return self.memory.immediate(place, operand.imm % self.memory.system.radix)
        if operand.size != 8:
            raise ProofError(f"{self.where}: an operand of {operand.size} bytes")
        if operand.type == x86.X86_OP_MEM:
            return self.memory.load(self.address(instruction, operand), self.where)
        return self.registers[self.register(instruction, operand.reg)]

    def read_part(self, instruction: capstone.CsInsn, index: int) -> Value:
        """A memory operand of 1 or 4 bytes, with zeros above it."""
        self.needs_no_certificate()
        operand = instruction.operands[index]
        address = self.address(instruction, operand)
        return self.memory.load_part(address, operand.size, self.where)

    def write(self, instruction: capstone.CsInsn, index: int, value: Value) -> None:
        """Assign a 64-bit operand."""
        operand = instruction.operands[index]
        if operand.size != 8:
            raise ProofError(f"{self.where}: an operand of {operand.size} bytes")
        if operand.type == x86.X86_OP_MEM:
            self.memory.store(self.address(instruction, operand), value, self.where)
            return
        name = self.register(instruction, operand.reg)
        if name == "rsp":
            raise ProofError(f"{self.where}: moves the stack pointer")
        self.registers[name] = value

    def flag(self, value: Polynomial | None) -> Polynomial:
        """A flag that is read. Raises ProofError where it is undefined."""
        if value is None:
            raise ProofError(f"{self.where}: reads a flag that is undefined here")
        if len(value) - (() in value) > 1:  # the lowest bit of a word, which few ask for
            return {(self.memory.system.define_word(value, self.where, 1),): 1}
        return value


def same_register(i: capstone.CsInsn) -> bool:
    """Whether the first two operands are the same register."""
    a, b = i.operands[:2]
    return bool(a.type == b.type == x86.X86_OP_REG and a.reg == b.reg)


def signed(number: int, radix: int) -> int:
    """A word as a signed number."""
    return (number + radix // 2) % radix - radix // 2


def _keeps_signs(mnemonic: str) -> bool:
    return mnemonic in KEEPS_SIGNS or mnemonic.startswith(READS_FLAGS)


Flag = Callable[[], Polynomial]
Signs = tuple[Flag, Flag]
"""How to find the zero flag and the sign flag."""
Meaning = Callable[[SymbolicX86, capstone.CsInsn], None]
"""What an instruction does."""
