"""The instruction sets that the scan for constant time reads; a new one is one line here."""

from __future__ import annotations

import capstone

from fieldc.binary.functions import ScannedCode
from fieldc.proof.constant_time.aarch64 import AARCH64
from fieldc.proof.constant_time.arm import ARM
from fieldc.proof.constant_time.effects import Effect
from fieldc.proof.constant_time.mips import MIPS64, MIPS64EL, MIPSEL
from fieldc.proof.constant_time.riscv64 import RISCV64
from fieldc.proof.constant_time.x86_64 import X86_64

INSTRUCTION_SETS = {
    one.architecture: one for one in (X86_64, AARCH64, RISCV64, MIPS64, MIPS64EL, MIPSEL, ARM)
}


def effects_of(code: ScannedCode) -> dict[int, Effect]:
    """Return a function's instructions by place, up to the first bytes that are none."""
    one = INSTRUCTION_SETS[code.architecture]
    engine = capstone.Cs(one.kind, one.mode)
    engine.detail = True
    found: dict[int, Effect] = {}
    place, end = code.start, code.start + len(code.code)
    while place < end:
        for instruction in engine.disasm(code.code[place - code.start :], place):
            found[place] = one.decode(instruction)
            place += instruction.size
        other = one.beyond_capstone(code.code[place - code.start :], place)
        if other is None:
            break
        found[place] = other
        place += other.size
    return found
