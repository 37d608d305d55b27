"""What instructions do as far as constant time goes: what flows where, and where they jump.

The lists name what is known to take the same time for all values. Anything else is unknown.
Sources: Intel, Data Operand Independent Timing Instructions; Arm, FEAT_DIT in the Architecture
Reference Manual; RISC-V, Zkt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from fieldc.binary.decode import MachineInstruction
from fieldc.binary.operands import DecodedMemory, DecodedOperand, DecodedRegister


@dataclass(frozen=True)
class MemoryOperand:
    """Bytes at the sum of registers and a displacement."""

    bases: tuple[str, ...]
    displacement: int
    size: int


Location = str | MemoryOperand
"""A register by the name of all of it, or memory. `flags` is a register."""


@dataclass(frozen=True)
class Transfer:
    """What was in the sources reaches the targets; a number `added` if nothing else happens."""

    targets: tuple[Location, ...]
    sources: tuple[Location, ...]
    added: int | None = None


class Flow(Enum):
    """What comes after an instruction."""

    NEXT = "next"
    JUMP = "jump"
    BRANCH = "branch"
    CALL = "call"
    RETURN = "return"
    STOP = "stop"


@dataclass(frozen=True)
class Effect:
    """An instruction.

    `asks` decides a branch, whether a conditional access of memory happens, or where an indirect
    jump or call goes. `returns` is for a branch that returns.
    """

    address: int
    size: int
    text: str
    transfers: tuple[Transfer, ...] = ()
    flow: Flow = Flow.NEXT
    target: int | None = None
    asks: tuple[Location, ...] = ()
    known: bool = True
    returns: bool = False


DecodedOperands = list[Any]
"""A register's name, a number, or MemoryOperand."""


def operands_of(code: MachineInstruction) -> DecodedOperands:
    """The operands as places and numbers."""
    return [_place(operand) for operand in code.operands]


def _place(operand: DecodedOperand) -> Location | int:
    if isinstance(operand, DecodedRegister):
        return operand.name
    if isinstance(operand, DecodedMemory):
        bases = [name for name in (operand.segment, operand.base, operand.index) if name]
        bases += bases[-1:] if operand.scale > 1 else []  # more than one is no known offset
        return MemoryOperand(tuple(bases), operand.displacement, operand.size)
    return operand


def effect(instruction: MachineInstruction, transfers: list[Transfer], **more: Any) -> Effect:
    place = instruction.address, instruction.size, instruction.text
    return Effect(*place, tuple(transfers), **more)


def places_of(operands: DecodedOperands) -> tuple[Location, ...]:
    return tuple(o for o in operands if not isinstance(o, int))


def jump(
    instruction: MachineInstruction,
    flow: Flow,
    operands: DecodedOperands,
    asks: tuple[str, ...] = (),
) -> Effect:
    """A jump to the last operand; the others are asked, as is a place that is no number."""
    target = operands[-1] if operands and isinstance(operands[-1], int) else None
    return effect(instruction, [], flow=flow, target=target, asks=(*places_of(operands), *asks))


def unknown(instruction: MachineInstruction, operands: DecodedOperands) -> Effect:
    """Taken to write all its operands; the scan reports it, whatever else it does."""
    places = places_of(operands)
    return effect(instruction, [Transfer((*places, "flags"), (*places, "flags"))], known=False)


def added_by(name: str, operands: DecodedOperands) -> int | None:
    """The number that an addition or a subtraction of one adds."""
    number, sign = operands[-1], {"add": 1, "sub": -1}.get(name)
    return number * sign if isinstance(number, int) and sign is not None else None


def names(*words: str) -> frozenset[str]:
    return frozenset(" ".join(words).split())
