"""The instruction sets that can be proved; a new one is a folder and one line here."""

from __future__ import annotations

from fieldc.proof.aarch64 import AARCH64
from fieldc.proof.x86_64 import X86_64

INSTRUCTION_SETS = {one.name: one for one in (X86_64, AARCH64)}
