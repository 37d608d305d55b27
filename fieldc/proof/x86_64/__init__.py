"""x86-64 as the prover sees it."""

from __future__ import annotations

from fieldc.proof.instruction_set import ProvedInstructionSet
from fieldc.proof.memory import KernelMemory
from fieldc.proof.x86_64.calls import CONVENTION
from fieldc.proof.x86_64.meanings import MEANINGS
from fieldc.proof.x86_64.processor import SymbolicX86


def _run(memory: KernelMemory, convention: str, code: bytes, start: int) -> None:
    SymbolicX86(memory, convention, place=start).run(code, MEANINGS)


X86_64 = ProvedInstructionSet(
    "x86_64",
    _run,
    {"elf": "sysv", "mach-o": "sysv", "coff": "win64"},
    foreign_conventions=("go-abi0", "go-abiinternal"),
    follows_calls=True,
    called_convention=CONVENTION,
    certifies_formulas=True,
    array_convention="sysv",
)
