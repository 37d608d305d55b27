"""An emulator of the instructions in kernels on arrays, which reads their bytes.

It runs a kernel where the processor lacks the instructions. An access outside the arrays, the
frame and the code is an error.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from fractions import Fraction

import capstone
import pytest
from capstone import x86_const as x86
from short_vectors import ShortVectors, is_short

from fieldc.machine.arrays import ArrayFunction, check_arrays, size
from fieldc.machine.code import code_of
from fieldc.proof.x86_64.decode import decode
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import ArrayKernel

WORD = (1 << 64) - 1
DIGIT, HALF = (1 << 52) - 1, (1 << 32) - 1
POINTERS = ("rsi", "rdx", "rcx", "r8", "r9")
STACK, STACK_BYTES = 1 << 40, 4096
Vector = tuple[int, ...]
VECTORS = tuple(f"zmm{i}" for i in range(32))
UNKNOWN: Vector = (0xA5A5_0F0F_3C3C_9696,) * 8
"""What registers hold on entry."""


TARGETS = [
    pytest.param(target, id=name if target.runs_here else f"{name}-emulated")
    for name, target in ARRAY_TARGETS.items()
]
"""Every target of kernels on arrays, with how its kernels run here."""


class EmulationError(AssertionError):
    """The kernel does what no kernel may do, or has an instruction that is not known here."""


def number_of(bits: int) -> Fraction:
    """The number that a finite double is."""
    exponent, fraction = bits >> 52 & 0x7FF, bits & DIGIT
    if exponent == 0x7FF:
        raise EmulationError("a double that is not finite")
    scale = max(exponent, 1) - 1075
    magnitude = Fraction(fraction + (exponent > 0) * 2**52) * Fraction(2) ** scale
    return -magnitude if bits >> 63 else magnitude


def rounded(number: Fraction, to_zero: bool) -> int:
    """The bits of the double nearest to a number, ties to even, or of the next one towards 0."""
    if not number:
        return 0
    magnitude = abs(number)
    scale = magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - 53
    while magnitude >= Fraction(2) ** (scale + 53):
        scale += 1
    scaled = magnitude / Fraction(2) ** scale
    fraction = int(scaled) if to_zero else round(scaled)
    bits = (scale + 1075 << 52) + fraction - 2**52
    return bits | (number < 0) << 63


def fused(a: int, b: int, c: int, to_zero: bool = False) -> int:
    """a*b + c of doubles."""
    return rounded(number_of(a) * number_of(b) + number_of(c), to_zero)


def signed(word: int) -> int:
    return word - (word >> 63 << 64)


def ternary(table: int, a: int, b: int, c: int) -> int:
    """vpternlogq: bit by bit, what the table has at 4*a + 2*b + c."""
    found = 0
    for place in range(8):
        if table >> place & 1:
            found |= (a if place & 4 else ~a) & (b if place & 2 else ~b) & (c if place & 1 else ~c)
    return found & WORD


LANEWISE: dict[str, Callable[..., int]] = {
    "vmovshdup": lambda a: (a >> 32) * 0x1_0000_0001,
    "vpaddq": lambda a, b: a + b & WORD,
    "vpsubq": lambda a, b: a - b & WORD,
    "vpandq": lambda a, b: a & b,
    "vpxorq": lambda a, b: a ^ b,
    "vpmuludq": lambda a, b: (a & HALF) * (b & HALF),
    "vpminuq": min,
    "vpcmpgtq": lambda a, b: WORD * (signed(a) > signed(b)),
    "vpsrlq": lambda a, k: a >> k,
    "vpsllq": lambda a, k: a << k & WORD,
    "vpsraq": lambda a, k: signed(a) >> k & WORD,
    "vpshrdq": lambda low, high, k: (high << 64 | low) >> k & WORD,
    "vsubpd": lambda a, b: fused(a, rounded(Fraction(1), True), b ^ 1 << 63),
    "vcvtuqq2pd": lambda a: rounded(Fraction(a), False),
}
"""From the reads after the target to a lane's result."""
MOVES = {"vmovdqu64": 8, "vmovdqa64": 8, "vmovdqu32": 4}
"""Loads and stores: the bytes that a bit of their masks stands for."""
IN_HALVES: dict[str, Callable[[int, int], int]] = {
    "vpaddd": lambda a, b: a + b & HALF,
    "vpsubd": lambda a, b: a - b & HALF,
    "vpminud": min,
}
"""The same of words of 32 bits."""
OVERWRITING: dict[str, Callable[..., int]] = {
    "vpmadd52luq": lambda c, a, b: c + ((a & DIGIT) * (b & DIGIT) & DIGIT) & WORD,
    "vpmadd52huq": lambda c, a, b: c + ((a & DIGIT) * (b & DIGIT) >> 52) & WORD,
    "vfmadd231pd": lambda c, a, b: fused(a, b, c),
    "vpternlogq": lambda a, b, c, table: ternary(table, a, b, c),
}
"""The target is the first read."""
BRANCHES = {
    "jb": lambda carry, zero: carry,
    "jae": lambda carry, zero: not carry,
    "je": lambda carry, zero: zero,
    "jne": lambda carry, zero: not zero,
}


def halves(vector: Vector) -> list[int]:
    """Its words of 32 bits."""
    return [word >> 32 * i & HALF for word in vector for i in range(2)]


def joined(words: Sequence[int]) -> Vector:
    """The vector of sixteen words of 32 bits."""
    return tuple(words[i] | words[i + 1] << 32 for i in range(0, 16, 2))


class Emulator:
    """The state of one thread while a function runs."""

    def __init__(self, code: bytes, areas: Sequence[tuple[int, int]] = ()) -> None:
        self.code, self.areas = code, areas
        """Addresses and sizes of what may be read; of the first `results` of it, written."""
        self.results = 1
        self.registers: dict[str, int] = {"rsp": STACK + STACK_BYTES, "rbp": 0}
        self.vectors: dict[str, Vector] = dict.fromkeys(VECTORS, UNKNOWN)
        self.masks: dict[str, int] = {}
        self.mxcsr = 0x1F80
        self._short = ShortVectors(self, LANEWISE, fused)
        self.stack = bytearray(STACK_BYTES)
        self.carry = self.zero = False
        self._decoded: dict[int, capstone.CsInsn] = {}

    def run(self, start: int) -> None:
        """Run from an offset to the return."""
        place = start
        while True:
            if place not in self._decoded:
                self._decoded[place] = decode(self.code, place)
            i = self._decoded[place]
            if i.mnemonic == "ret":
                return
            place += i.size
            if i.mnemonic in BRANCHES:
                if BRANCHES[i.mnemonic](self.carry, self.zero):
                    place = i.operands[0].imm
            elif i.mnemonic.startswith(("v", "k")):
                self.vector_step(i)
            else:
                self.scalar_step(i)

    def load(self, address: int, count: int) -> bytes:
        if 0 <= address <= len(self.code) - count:
            return self.code[address : address + count]
        if STACK <= address <= STACK + STACK_BYTES - count:
            return bytes(self.stack[address - STACK : address - STACK + count])
        if any(first <= address <= first + room - count for first, room in self.areas):
            return ctypes.string_at(address, count)
        raise EmulationError(f"reads {count} bytes at {address:#x}")

    def store(self, address: int, data: bytes) -> None:
        count = len(data)
        if STACK <= address <= STACK + STACK_BYTES - count:
            self.stack[address - STACK : address - STACK + count] = data
        elif any(
            first <= address <= first + room - count for first, room in self.areas[: self.results]
        ):
            ctypes.memmove(address, data, count)
        else:
            raise EmulationError(f"writes {count} bytes at {address:#x}")

    def address(self, i: capstone.CsInsn, memory: capstone.x86.X86OpMem) -> int:
        if memory.index or memory.segment:
            raise EmulationError("an address with an index or a segment")
        name = i.reg_name(memory.base)
        base = i.address + i.size if name == "rip" else self.registers[name]
        return int(base + memory.disp)

    def scalar_step(self, i: capstone.CsInsn) -> None:
        """An instruction of the loop."""
        names = [i.reg_name(o.reg) if o.type == x86.X86_OP_REG else "" for o in i.operands]
        reads = [
            self.registers.get("rax" if n == "eax" else n, 0) if n else o.imm
            for n, o in zip(names, i.operands, strict=True)
        ]
        target, m = "rax" if names and names[0] == "eax" else (names or [""])[0], i.mnemonic
        if m in ("nop", "endbr64"):
            return
        if m == "push":
            self.registers["rsp"] -= 8
            self.store(self.registers["rsp"], (reads[0] & WORD).to_bytes(8, "little"))
        elif m == "pop":
            self.registers[target] = int.from_bytes(self.load(self.registers["rsp"], 8), "little")
            self.registers["rsp"] += 8
        elif m == "lea":
            self.registers[target] = self.address(i, i.operands[1].mem)
        elif m == "mov":
            self.registers[target] = reads[1] & WORD
        elif m == "imul":
            self.registers[target] = reads[1] * reads[2] & WORD
        else:
            exact = {
                "add": lambda: reads[0] + reads[1],
                "sub": lambda: reads[0] - reads[1],
                "and": lambda: reads[0] & reads[1],
                "shr": lambda: reads[0] >> reads[1],
                "dec": lambda: reads[0] - 1,
            }
            if m not in exact:
                raise EmulationError(f"{m} {i.op_str} is not known")
            value = exact[m]()
            self.registers[target] = value & WORD
            self.carry = self.carry if m == "dec" else m != "and" and not 0 <= value <= WORD
            self.zero = value & WORD == 0

    def vector_step(self, i: capstone.CsInsn) -> None:
        """An instruction on vectors or masks."""
        m, operands = i.mnemonic, list(i.operands)
        names = [i.reg_name(o.reg) if o.type == x86.X86_OP_REG else "" for o in operands]
        if m == "vzeroupper":
            return
        if is_short(i):
            if not self._short.step(i):
                raise EmulationError(f"{m} {i.op_str} is not known")
            return
        if m in ("kmovb", "kmovw") or m == "vpcmpltuq":
            self.masks[names[0]] = self.made_mask(i, m, names)
            return
        mask = next((self.masks[n] for n in names if n.startswith("k")), 0xFFFF)
        masked = any(n.startswith("k") for n in names)
        reads = [o for o, n in zip(operands, names, strict=True) if not n.startswith("k")]
        if m in MOVES and any(o.type == x86.X86_OP_MEM for o in reads):
            self.move(i, names, reads, mask)
        elif masked:
            self.vectors[names[0]] = self.masked(i, m, reads, mask)
        else:
            self.vectors[names[0]] = self.computed(i, m, reads)

    def made_mask(self, i: capstone.CsInsn, m: str, names: list[str]) -> int:
        """A comparison of two vectors, or a mask from memory or eax."""
        if m == "vpcmpltuq":
            if len(names) != 3:
                raise EmulationError(f"{m} {i.op_str} is not known")
            pairs = zip(*(self.read(i, o) for o in i.operands[1:]), strict=True)
            return sum((a < b) << lane for lane, (a, b) in enumerate(pairs))
        size = 1 if m == "kmovb" else 2
        if names[1] == "eax":
            return self.registers["rax"] & (1 << 8 * size) - 1
        return int.from_bytes(self.load(self.address(i, i.operands[1].mem), size), "little")

    def move(
        self, i: capstone.CsInsn, names: list[str], reads: list[capstone.x86.X86Op], mask: int
    ) -> None:
        """A load or a store, of the words that have a bit in the mask."""
        size = MOVES[i.mnemonic]
        address = self.address(i, next(o for o in reads if o.type == x86.X86_OP_MEM).mem)
        places = [(at, address + size * at) for at in range(64 // size) if mask >> at & 1]
        if reads[0].type == x86.X86_OP_MEM:
            data = b"".join(word.to_bytes(8, "little") for word in self.vectors[names[-1]])
            for at, place in places:
                self.store(place, data[size * at : size * at + size])
            return
        held = bytearray(64)
        for at, place in places:
            held[size * at : size * at + size] = self.load(place, size)
        self.vectors[names[0]] = tuple(memoryview(bytes(held)).cast("Q"))

    def masked(
        self, i: capstone.CsInsn, m: str, reads: list[capstone.x86.X86Op], mask: int
    ) -> Vector:
        """The result of an instruction that keeps or blends the words without a mask bit."""
        zeroes = any(o.avx_zero_opmask for o in i.operands)
        if m not in ("vmovshdup", "vpblendmq", "vpaddq", "vpsubq") or zeroes:
            raise EmulationError(f"{m} {i.op_str} is not known")
        kept = self.read(i, reads[1 if m == "vpblendmq" else 0])
        if m == "vmovshdup":
            old, source = halves(kept), halves(self.read(i, reads[1]))
            return joined([source[e | 1] if mask >> e & 1 else old[e] for e in range(16)])
        new = self.read(i, reads[2]) if m == "vpblendmq" else self.computed(i, m, reads)
        return tuple((new if mask >> lane & 1 else kept)[lane] for lane in range(8))

    def computed(self, i: capstone.CsInsn, m: str, operands: list[capstone.x86.X86Op]) -> Vector:
        """The result of an instruction without masks."""
        if m in ("vpermi2q", "vpermq"):
            index, *sources = (self.read(i, o) for o in operands[m == "vpermq" :])
            words = [word for source in sources for word in source]
            return tuple(words[at % len(words)] for at in index)
        if m in ("vpbroadcastq", "vmovdqa64", "vmovdqu64"):
            return self.read(i, operands[1])
        if m in IN_HALVES:
            pairs = zip(*(halves(self.read(i, o)) for o in operands[1:]), strict=True)
            return joined([IN_HALVES[m](a, b) for a, b in pairs])
        reads = operands if m in OVERWRITING else operands[1:]
        compute = OVERWRITING[m] if m in OVERWRITING else LANEWISE.get(m)
        if compute is None:
            raise EmulationError(f"{m} {i.op_str} is not known")
        given = [self.read(i, o) for o in reads]
        if m == "vfmadd231pd" and i.avx_rm == x86.X86_AVX_RM_RZ:
            return tuple(fused(a, b, c, to_zero=True) for c, a, b in zip(*given, strict=True))
        return tuple(compute(*words) for words in zip(*given, strict=True))

    def word(self, address: int) -> int:
        return int.from_bytes(self.load(address, 8), "little")

    def read(self, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> Vector:
        if operand.type == x86.X86_OP_IMM:
            return (operand.imm & 0xFF,) * 8
        if operand.type == x86.X86_OP_REG:
            return self.vectors[i.reg_name(operand.reg)]
        address = self.address(i, operand.mem)
        if operand.size == 8:
            return (self.word(address),) * 8
        return tuple(self.word(address + 8 * lane) for lane in range(8))


class EmulatedFunction(ArrayFunction):
    """A kernel on arrays that the emulator runs, on the memory of this process."""

    def _load(self, code: bytes, symbol: str) -> None:
        self._code = code_of(code, symbol)
        self._emulator = Emulator(self._code.data)

    def at(self, count: int, *addresses: int) -> None:
        """Run it on arrays at addresses: results first."""
        machine = self._emulator
        given = len(self.expression.kernel.operands)
        machine.results = len(addresses) - given
        sizes = [size(self.result_field, count)] * machine.results
        sizes += [self.size_of(number, count) for number in range(given)]
        machine.areas = list(zip(addresses, sizes, strict=True))
        machine.registers |= dict(zip(POINTERS, addresses, strict=False))
        machine.registers["rdi"] = count
        machine.vectors, machine.masks = dict.fromkeys(VECTORS, UNKNOWN), {}
        machine.run(self._code.start)
        if machine.registers["rsp"] != STACK + STACK_BYTES:
            raise EmulationError("returns with another stack pointer")
        if machine.mxcsr != 0x1F80:
            raise EmulationError("returns with another MXCSR")


class EmulatedCall:
    """A kernel that the emulator runs on arrays of fixed sizes, or of so many bytes an element.

    A size of 0 stands for an array of elements. The first array is written.
    """

    def __init__(self, code: bytes, symbol: str, sizes: Sequence[int], element: int) -> None:
        self.sizes, self.element = sizes, element
        self._code = code_of(code, symbol)

    def __call__(self, count: int, *addresses: int) -> None:
        sizes = (each or self.element * count for each in self.sizes)
        machine = Emulator(self._code.data, list(zip(addresses, sizes, strict=True)))
        machine.registers |= dict(zip(POINTERS, addresses, strict=False)) | {"rdi": count}
        machine.run(self._code.start)
        if machine.registers["rsp"] != STACK + STACK_BYTES:
            raise EmulationError("returns with another stack pointer")


def loaded(made: ArrayKernel) -> ArrayFunction:
    """A kernel that this processor runs, or else the emulator."""
    way = ArrayFunction if made.target.runs_here else EmulatedFunction
    layout = made.result_field, made.in_digits, made.shared
    return way(made.object, made.symbol, made.expression, *layout)


def check_kernel(made: ArrayKernel, seed: int) -> int:
    """Call a kernel on many operands, or on fewer where it is emulated; how many calls."""
    lengths = () if made.target.runs_here else (1, 11)
    return check_arrays(loaded(made), seed, lengths)
