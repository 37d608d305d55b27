"""The state a straight-line program runs in: registers, flags, stack and operands, all symbolic.

Nothing here depends on data: an address is a known base and a known offset, or the proof ends.
Every read and write is checked against what a kernel may touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Polynomial, System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.routines import Routines
from fieldc.proof.values import GOROUTINE, LowByte, OnEntry, Pointer, Value, word

STACK_END = (GOROUTINE, 16)
"""Where Go keeps the address below which it would grow the stack."""
MOST_STACK = 4096
"""Bytes of stack that a kernel may take: a page, so that none steps over a guard page."""


@dataclass
class KernelMemory:
    """Operands, constants in the object's code, the kernel's own stack, and its output.

    `result` is what has been stored to z. After the first store no operand may be read any more: so
    the kernel is right for every aliasing of z with its operands.
    """

    system: System
    operands: dict[str, tuple[int, ...]]
    """The variables of each operand's limbs."""
    code: bytes
    result_limbs: int
    stack: dict[int, Value] = field(default_factory=dict)
    result: dict[int, Polynomial] = field(default_factory=dict)
    stack_pointer: int = 0
    tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Constants that the caller passes by address, as words."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Constants that the caller passes by value."""
    arguments: tuple[str, ...] = ()
    """Names of the arguments in call order; z and the operands where nothing else is said."""
    routines: Routines | None = None
    """What calls may use; None where a call is run as if its code stood in its place."""
    red_zone: int = 0
    """Bytes below the stack pointer that the convention lets a leaf use."""
    home: int = 0
    """Bytes above the return address that the caller keeps free for the kernel."""
    in_registers: int = 0
    """How many arguments the convention has in registers; the others lie on the stack."""
    arguments_at: int = 8
    """Where these lie, from the stack pointer on entry."""
    constants: Mapping[int, bytes] | None = None
    """What may be read as constants, by offsets in the code; None for all of the code."""
    unfit: frozenset[int] = frozenset()
    """Bytes of the code that are not known before it runs."""
    overlaps: bool = True
    """Whether z may be one of the operands."""
    case: Case | None = None
    """What is known of the operands, of a foreign routine."""
    before: Mapping[str, int] = field(default_factory=dict)
    """How many words of a table lie below its address."""
    in_place: str = ""
    """The operand that lies in z, if one does."""
    stack_step: int = 16
    """The convention's alignment: a call leaves the stack pointer at 8 modulo it."""
    stack_place: int = 8
    """The stack pointer on entry, modulo a page; a convention says only its last bits."""
    aligned_to: int = 1
    """The power of 2 modulo which `stack_place` was asked for."""
    deepest: int = 0
    """How far down the stack was used, in bytes from its pointer on entry."""
    executed: set[str] = field(default_factory=set)
    """The names of the instructions that were run."""
    assumed: set[str] = field(default_factory=set)
    """What the code made use of that only its caller can know, a sentence each."""

    @property
    def is_foreign(self) -> bool:
        """Whether a routine is read that fieldc did not make: there are no certificates then."""
        return self.system.is_foreign

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, in call order."""
        return self.arguments or ("z", *self.operands)

    def argument(self, index: int) -> Value | None:
        """What an argument's register holds on entry."""
        if index >= len(self.names):
            return None
        name = self.names[index]
        if name == "-":  # nothing is known of it
            return None
        return word(self.numbers[name]) if name in self.numbers else Pointer(name, 0)

    def take_arguments(self) -> None:
        """Put all arguments above the return address, a word each."""
        for index in range(len(self.names)):
            if (value := self.argument(index)) is not None:
                self.stack[self.arguments_at + 8 * index] = value

    def load(self, address: Value, where: str) -> Value:
        """A 64-bit word. Raises ProofError for anything a kernel may not read."""
        if not isinstance(address, Pointer):
            raise ProofError(f"{where}: the address depends on data")
        base, offset = address.base, address.offset
        if base == "code":
            return word(self._constant(offset, 8, where))
        if offset % 8:
            raise ProofError(f"{where}: a read between two words of {base}")
        if base == "stack":
            return self._from_stack(offset, where)
        if base == "z" and offset // 8 in self.result:
            return self.result[offset // 8]
        if base == "z" and self.in_place and 0 <= offset < 8 * len(self.operands[self.in_place]):
            return {(self.operands[self.in_place][offset // 8],): 1}
        if (base, offset) == STACK_END:
            return OnEntry("end of stack")
        if base in self.tables:
            index = offset // 8 + self.before.get(base, 0)
            if 0 <= index < len(self.tables[base]):
                return word(self.tables[base][index])
        return self._operand(base, offset, where)

    def _from_stack(self, offset: int, where: str) -> Value:
        """A word of the stack; one of its own that it never wrote is unknown."""
        own = offset >= self.stack_pointer - self.red_zone
        if own and offset not in self.stack and offset < 0 and self.is_foreign:
            return OnEntry(f"stack{offset}")
        if not own or offset not in self.stack:
            raise ProofError(f"{where}: {self._unwritten(offset)}")
        return self.stack[offset]

    def _unwritten(self, offset: int) -> str:
        """What a word of the stack is of which nothing is known, in words."""
        index = self.in_registers + (offset - self.arguments_at) // 8
        if offset < self.arguments_at or index >= len(self.names):
            return "reads stack that it never wrote"
        reads = f"reads argument {index + 1}, {self.names[index]}"
        if self.in_registers:
            return f"{reads}, on the stack; only the first {self.in_registers} are known here"
        return f"{reads}, of which the contract says nothing"

    def aligned(self, offset: int, alignment: int) -> int:
        """The offset of the next address down the stack that is a multiple of a power of 2."""
        self.aligned_to = max(self.aligned_to, alignment)
        return offset - (self.stack_place + offset) % alignment

    def _constant(self, offset: int, size: int, where: str) -> int:
        """A number in the code, or beside it where nobody may write."""
        known = {0: self.code} if self.constants is None else self.constants
        for start, data in known.items():
            if start <= offset and offset + size <= start + len(data):
                return int.from_bytes(data[offset - start : offset - start + size], "little")
        if self.constants is None:
            raise ProofError(f"{where}: reads outside the object")
        raise ProofError(f"{where}: reads memory that is not read-only, or that nobody knows")

    def fetch(self, place: int, size: int, where: str) -> None:
        """Check that an instruction's bytes are known. Raises ProofError."""
        if self.unfit and not self.unfit.isdisjoint(range(place, place + size)):
            raise ProofError(f"{where}: a linker writes an address into this instruction")

    def immediate(self, place: int, value: int) -> Polynomial:
        """A constant in an instruction, at an offset in the code."""
        return word(value)

    def load_part(self, address: Pointer, size: int, where: str) -> Value:
        """Some bytes of a constant. Raises ProofError where they are of anything else."""
        if address.base == "code":
            return word(self._constant(address.offset, size, where))
        place = address.offset % 8
        if address.base == "stack" and size == 1 and not place:
            byte = self.load(address, where)
            if isinstance(byte, LowByte) and byte.value is not None:
                return byte.value
        value = self.load(Pointer(address.base, address.offset - place), where)
        if place + size > 8 or not isinstance(value, dict) or value.keys() - {()}:
            raise ProofError(f"{where}: reads a part of a word that is no constant")
        return word(int(value.get((), 0)) >> 8 * place & (1 << 8 * size) - 1)

    def _operand(self, base: str, offset: int, where: str) -> Polynomial:
        if base not in self.operands:
            raise ProofError(f"{where}: reads {base} at {offset}")
        same = self.is_foreign and offset // 8 not in self.result  # z is x or lies apart from it
        if self.result and self.overlaps and not same:
            raise ProofError(f"{where}: reads {base} after it wrote z; wrong where z is {base}")
        limbs = self.operands[base]
        if not 0 <= offset < 8 * len(limbs):
            raise ProofError(f"{where}: reads outside {base}")
        return {(limbs[offset // 8],): 1}

    def store(self, address: Value, value: Value, where: str) -> None:
        """Write a 64-bit word to z or to the kernel's own stack. Raises ProofError elsewhere."""
        if not isinstance(address, Pointer):
            raise ProofError(f"{where}: the address depends on data")
        base, offset = address.base, address.offset
        if base == "stack":
            own = self.stack_pointer - self.red_zone <= offset < 0
            if not (own or 8 <= offset < 8 + self.home) or offset % 8:
                raise ProofError(f"{where}: writes stack that is not its own")
            self.take_stack(offset, where)
            self.stack[offset] = value
        elif base == "z":
            if offset % 8 or not 0 <= offset < 8 * self.result_limbs:
                raise ProofError(f"{where}: writes outside z")
            if not isinstance(value, dict):
                raise ProofError(f"{where}: stores an address or an unknown value in z")
            self.result[offset // 8] = value
        else:
            raise ProofError(f"{where}: writes {base}")

    def take_stack(self, offset: int, where: str) -> None:
        """Note that the stack is used down to an offset. Raises ProofError beyond a page."""
        self.deepest = max(self.deepest, -offset)
        if self.deepest > MOST_STACK:
            raise ProofError(
                f"{where}: takes more than {MOST_STACK} bytes of stack without a probe"
            )

    def push(self, value: Value, where: str) -> None:
        """Push a word. Raises ProofError beyond a page."""
        self.stack_pointer -= 8
        self.take_stack(self.stack_pointer, where)
        self.stack[self.stack_pointer] = value

    def pop(self, where: str) -> Value:
        """Pop a word that the kernel pushed."""
        if self.stack_pointer >= 0 or self.stack_pointer not in self.stack:
            raise ProofError(f"{where}: pops what it never pushed")
        value = self.stack.pop(self.stack_pointer)
        self.stack_pointer += 8
        for old in [o for o in self.stack if o < self.stack_pointer - self.red_zone]:
            del self.stack[old]
        return value
