"""What a call of a proved routine does to registers and flags on AArch64."""

from __future__ import annotations

from fieldc.proof.aarch64.flags import Flags
from fieldc.proof.aarch64.processor import ARGUMENTS, CALLEE_SAVED, SymbolicArm64
from fieldc.proof.calls import use
from fieldc.proof.routines import Lemma, Routines
from fieldc.proof.values import LowByte


def call_proved(cpu: SymbolicArm64, routines: Routines, lemma: Lemma) -> None:
    """Use a lemma: results in memory; all that the convention does not keep is unknown after.

    x30 has the return address: a routine keeps it, as it does all registers from x19 on.
    """
    count = 1 + len(lemma.contract.operands)
    if count > len(ARGUMENTS):
        raise cpu.refuse("a routine with more operands than registers")
    arguments = [cpu.registers[name] for name in ARGUMENTS[:count]]
    if any(isinstance(value, Flags) for value in arguments):
        raise cpu.refuse("the flags are an argument")
    addresses = [value for value in arguments if not isinstance(value, Flags)]
    use(routines, lemma, cpu.memory, addresses, cpu.where, link=0)
    for name in cpu.registers:
        if name != "sp" and name not in CALLEE_SAVED:
            cpu.registers[name] = LowByte(None)
    cpu.flags = Flags()
