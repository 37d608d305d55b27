"""The instruction sets that the scan for constant time reads; a new one is one line here."""

from __future__ import annotations

from fieldc.binary.decode import instructions
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
    effect = INSTRUCTION_SETS[code.architecture].effect
    found = instructions(code.code, code.architecture, code.start)
    return {one.address: effect(one) for one in found}
