"""Runs the toy's objects: the interpreter is its emulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.machine.check import check
from fieldc.machine.frames import GuardedKernel
from fieldc.targets.target import Artifact
from fieldc.words.operations import LOAD
from toy.instructions import NUMBERS, OPCODES, STORE, Instruction, decode

WORD = 64


class ToyKernel(GuardedKernel):
    """An object of the toy, called on a frame of memory."""

    def __init__(self, artifact: Artifact) -> None:
        super().__init__(artifact.symbol, artifact.operand_limbs, artifact.result_limbs, WORD)
        self.code = decode(artifact.code or b"")

    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """The frame after a call."""
        memory, cells = bytearray(frame), dict[int, int]()
        for instruction in self.code:
            self._step(instruction, memory, cells, places)
        return bytes(memory)

    def _step(
        self, line: Instruction, memory: bytearray, cells: dict[int, int], places: Sequence[int]
    ) -> None:
        reads = tuple(value if number else cells[value] for number, value in line.reads)
        z, *operands = places
        if line.opcode == STORE:
            at = z + 8 * line.attribute
            memory[at : at + 8] = reads[0].to_bytes(8, "little")
            return
        if line.opcode == NUMBERS[LOAD.name]:
            at = operands[reads[0]] + 8 * line.attribute
            found: tuple[int, ...] = (int.from_bytes(memory[at : at + 8], "little"),)
        else:
            found = OPCODES[line.opcode].compute(WORD, reads, line.attribute)
        cells.update(zip(line.writes, found, strict=True))


@dataclass(frozen=True)
class Interpreter:
    """The toy's runner."""

    name: str = "the toy's interpreter"
    on_this_processor: bool = False

    def why_not(self) -> str:
        """Nothing is missing."""
        return ""

    def run(self, kernels: Sequence[Artifact]) -> None:
        """Call kernels on their vectors. Raises CheckError or FrameError."""
        for artifact in kernels:
            check(ToyKernel(artifact), artifact.expression)
