"""What x86-64 instructions work on: virtual registers, registers, words of memory, numbers."""

from __future__ import annotations

from dataclasses import dataclass

CONSTANTS, STACK = "constants", "rsp"


@dataclass(frozen=True)
class Virtual:
    """A virtual register, assigned once. `fixed` names the register it must live in, if any."""

    number: int
    name: str
    fixed: str = ""

    def __hash__(self) -> int:
        return self.number


@dataclass(frozen=True)
class Register:
    """A register of the processor."""

    name: str


@dataclass(frozen=True)
class Memory:
    """A 64-bit word at base + offset; the base is a register, the constants or the stack."""

    base: Virtual | str
    offset: int
    name: str = ""


@dataclass(frozen=True)
class Immediate:
    """A number in the instruction."""

    value: int


Operand = Virtual | Memory | Immediate
"""Before registers are given."""
Placed = Register | Memory | Immediate
"""After it."""
