"""RISC-V of 64 bits: enough to count; no processor's timings are known here."""

from __future__ import annotations

import re

from fieldc.binary.decode import MachineInstruction
from fieldc.binary.operands import DecodedMemory
from fieldc.counting import instructions as kinds
from fieldc.counting.instructions import Access, DecodedInstruction

PATTERNS = (
    (r"mul", kinds.MULTIPLICATION, "mul"),
    (r"add", kinds.ADDITION, "add"),
    (r"(sub|neg)", kinds.SUBTRACTION, "add"),
    (r"slt|seqz|snez|sltz|sgtz", kinds.COMPARISON, "add"),
    (r"(s[lr][la]|ror|rol)", kinds.SHIFT, "shift"),
    (r"(and|or|xor|not)", kinds.LOGIC, "add"),
    (r"czero", kinds.SELECTION, "add"),
    (r"(mv|li|lui)$", kinds.MOVE, "copy"),
    (r"(auipc|la)$", kinds.ADDRESS, "add"),
    (r"ret$", kinds.CONTROL, "ret"),
    (r"(jal|jalr|call)$", kinds.CONTROL, "call"),
    (r"(j|jr|tail)$", kinds.CONTROL, "jump"),
    (r"b", kinds.CONTROL, "branch"),
    (r"nop", kinds.NOTHING, "nop"),
)
WIDTHS = {"b": 8, "h": 16, "w": 32, "d": 64}
MEMORY = re.compile(r"(f?l|f?s)([bhwd])u?(sp)?$")


def understand_riscv64(insn: MachineInstruction) -> DecodedInstruction:
    """One instruction of RISC-V, compressed ones by their long names."""
    mnemonic = str(insn.mnemonic).removeprefix("c.")
    memory = MEMORY.match(mnemonic)
    if memory:
        return _access(insn, mnemonic, memory)
    kind, timing = kinds.OTHER, "other"
    for pattern, of_kind, of_timing in PATTERNS:
        if re.match(pattern, mnemonic):
            kind, timing = of_kind, of_timing
            break
    last = insn.operands[-1] if insn.operands else None
    if mnemonic in ("jr", "jalr") and insn.op_str in ("ra", "zero, 0(ra)", "zero, ra, 0"):
        timing = "ret"
    jumps = timing in ("jump", "branch", "call") and mnemonic != "jalr"
    target = last if jumps and isinstance(last, int) else None
    return DecodedInstruction(
        insn.address, insn.size, mnemonic, insn.op_str, kind, timing, target=target
    )


def _access(insn: MachineInstruction, mnemonic: str, found: re.Match[str]) -> DecodedInstruction:
    store = found[1].endswith("s")
    place = next((o for o in insn.operands if isinstance(o, DecodedMemory)), DecodedMemory(""))
    access = Access(store, WIDTHS[found[2]], place.base, offset=place.displacement)
    timing = "store" if store else "load"
    text = (insn.address, insn.size, mnemonic, insn.op_str, kinds.MOVE, timing)
    return DecodedInstruction(*text, accesses=(access,))
