"""Code whose constants of the modulus are symbols, and the memory that it runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.proof.algebra.equations import Polynomial
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import Pointer, Value


@dataclass(frozen=True)
class ClassCode:
    """A function, and where it has constants of its modulus: `p[0]` or `n0`, 8 bytes each."""

    code: bytes
    start: int
    symbols: Mapping[int, str]
    architecture: str = "x86_64"


@dataclass
class SymbolMemory(KernelMemory):
    """Memory in which some constants of the code are variables."""

    symbols: Mapping[int, Polynomial] = field(default_factory=dict)
    """The constants at offsets in the code."""

    def load(self, address: Value, where: str) -> Value:
        """A 64-bit word. Raises ProofError."""
        if isinstance(address, Pointer) and address.base == "code":
            if address.offset in self.symbols:
                return dict(self.symbols[address.offset])
            if any(abs(address.offset - place) < 8 for place in self.symbols):
                raise ProofError(f"{where}: reads parts of constants of the modulus")
        return super().load(address, where)

    def immediate(self, place: int, value: int) -> Polynomial:
        """A constant in an instruction."""
        if place in self.symbols:
            return dict(self.symbols[place])
        return super().immediate(place, value)

    def fetch(self, place: int, size: int, where: str) -> None:
        """Check that an instruction has no constant of the modulus but as `mov r64, imm64`."""
        super().fetch(place, size, where)
        held = [symbol for symbol in self.symbols if place - 8 < symbol < place + size]
        opcode = [byte & 0xF8 for byte in self.code[place : place + 2]]
        if held and (held, size, opcode) != ([place + 2], 10, [0x48, 0xB8]):
            raise ProofError(f"{where}: a constant of the modulus is a part of the instruction")
