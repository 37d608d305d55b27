"""What a call of a proved routine does to registers and flags: System V."""

from __future__ import annotations

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.calls import use
from fieldc.proof.routines import Lemma, Routines
from fieldc.proof.values import LowByte
from fieldc.proof.x86_64.processor import ARGUMENTS, CALLEE_SAVED, SymbolicX86

CONVENTION = "sysv"
"""That of every routine that is called by its statement."""


def call_proved(cpu: SymbolicX86, routines: Routines, lemma: Lemma) -> None:
    """Use a lemma: results in memory; all that the convention does not keep is unknown after."""
    count = 1 + len(lemma.contract.operands)
    names = ARGUMENTS[CONVENTION][:count]
    if len(names) < count:
        raise ProofError(f"{cpu.where}: a routine with more operands than registers")
    arguments = [cpu.registers[name] for name in names]
    use(routines, lemma, cpu.memory, arguments, cpu.where, link=8)
    for name in cpu.registers:
        if name != "rsp" and name not in CALLEE_SAVED[CONVENTION]:
            cpu.registers[name] = LowByte(None)
    cpu.carry = cpu.overflow = cpu.signs = None
