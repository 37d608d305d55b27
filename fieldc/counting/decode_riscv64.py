"""RISC-V of 64 bits: enough to count; no processor's timings are known here."""

from __future__ import annotations

import re

from capstone import CsInsn

from fieldc.counting import instructions as kinds
from fieldc.counting.instructions import Access, DecodedInstruction
from fieldc.proof.constant_time.riscv64 import conditional_zero

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

DISTANCE = re.compile(r"-?(0x)?[0-9a-f]+$")
PLACE = re.compile(r"(-?(?:0x)?[0-9a-f]+)\((\w+)\)")


def understand_riscv64(insn: CsInsn) -> DecodedInstruction:
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
    if mnemonic in ("jr", "jalr") and str(insn.op_str) in ("ra", "zero, 0(ra)", "zero, ra, 0"):
        timing = "ret"
    if timing == "ret" or mnemonic == "jr" or str(insn.op_str).endswith(")"):
        return DecodedInstruction(insn.address, insn.size, mnemonic, insn.op_str, kind, timing)
    jumps = timing in ("jump", "branch", "call") and mnemonic != "jalr"
    distance = DISTANCE.search(str(insn.op_str)) if jumps else None
    target = insn.address + int(distance[0], 0) if distance else None
    return DecodedInstruction(
        insn.address, insn.size, mnemonic, insn.op_str, kind, timing, target=target
    )


def understand_zicond(code: bytes, address: int) -> DecodedInstruction | None:
    """An instruction of Zicond, which capstone 5 does not know; None for other bytes."""
    step = conditional_zero(code, address)
    if step is None:
        return None
    mnemonic, _, operands = step.text.partition(" ")
    return DecodedInstruction(address, step.size, mnemonic, operands, kinds.SELECTION, "add")


def _access(insn: CsInsn, mnemonic: str, found: re.Match[str]) -> DecodedInstruction:
    store = found[1].endswith("s")
    place = PLACE.search(str(insn.op_str))
    base, offset = (place[2], int(place[1], 0)) if place else ("", 0)
    access = Access(store, WIDTHS[found[2]], base, offset=offset)
    timing = "store" if store else "load"
    text = (insn.address, insn.size, mnemonic, insn.op_str, kinds.MOVE, timing)
    return DecodedInstruction(*text, accesses=(access,))
