"""AArch64 as the prover sees it."""

from __future__ import annotations

from fieldc.proof.aarch64.meanings import MEANINGS
from fieldc.proof.aarch64.processor import SymbolicArm64
from fieldc.proof.instruction_set import ProvedInstructionSet
from fieldc.proof.memory import KernelMemory


def _run(memory: KernelMemory, convention: str, code: bytes, start: int) -> None:
    SymbolicArm64(memory, convention).run(code, start, MEANINGS)


AARCH64 = ProvedInstructionSet(
    "aarch64",
    _run,
    {"elf": "aapcs64", "mach-o": "apple", "coff": "windows"},
    follows_calls=True,
    certifies_formulas=True,
)
