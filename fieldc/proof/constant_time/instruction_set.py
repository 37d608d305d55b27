"""What the scan for constant time asks of an instruction set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import MachineInstruction
from fieldc.binary.functions import ScannedCode
from fieldc.proof.constant_time.effects import Effect


@dataclass(frozen=True)
class CallConvention:
    """Registers by what a call does with them.

    `public` ones never depend on an operand; those of `entry` do not when a function is entered.
    """

    arguments: tuple[str, ...]
    kept: frozenset[str]
    stack_pointer: str
    public: tuple[str, ...]
    entry: tuple[str, ...] = ()


def numbered(letter: str, *numbers: int) -> tuple[str, ...]:
    """Return the registers of a letter, by the numbers that `range` takes."""
    return tuple(f"{letter}{i}" for i in range(*numbers))


def _in_the_instruction(effect: Effect, before: Effect | None) -> tuple[int, ...]:
    return (effect.address,)


@dataclass(frozen=True)
class ScannedInstructionSet:
    """What the instructions of an architecture do, and how calls work."""

    architecture: Architecture
    effect: Callable[[MachineInstruction], Effect]
    convention: CallConvention
    windows: CallConvention | None = None
    """Only if Windows has a convention of its own."""
    word: int = 8
    """Bytes of a register."""
    delayed: bool = False
    """Whether branches have a delay slot."""
    relocated: Callable[[Effect, Effect | None], tuple[int, ...]] = _in_the_instruction
    """Where a relocation of a jump or a call may be, by it and the instruction before it."""

    def convention_of(self, code: ScannedCode) -> CallConvention:
        """Return the convention of the system that a function was compiled for."""
        return self.windows if code.windows and self.windows else self.convention
