"""What the instructions of AArch64 do, as far as constant time goes."""

from __future__ import annotations

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import MachineInstruction
from fieldc.binary.operands import DecodedRegister
from fieldc.proof.constant_time.effects import (
    DecodedOperands,
    Effect,
    Flow,
    MemoryOperand,
    Transfer,
    added_by,
    effect,
    jump,
    names,
    operands_of,
    places_of,
    unknown,
)
from fieldc.proof.constant_time.instruction_set import (
    CallConvention,
    ScannedInstructionSet,
    numbered,
)

_PLAIN = names(
    "add sub mul umulh smulh madd msub mneg umull smull umaddl smaddl and orr eor bic orn eon",
    "lsl lsr asr ror extr ubfx sbfx ubfiz sbfiz clz rev rev16 rev32 rbit neg mvn sxtw uxtw uxtb",
    "uxth sxtb sxth mov movz movn adr adrp",
)
_SETS_FLAGS = names("adds subs ands bics negs")
_READS_FLAGS = names("adc sbc ngc csel csinc csinv csneg cset csetm cinc cinv cneg")
_COMPARES = names("cmp cmn tst ccmp ccmn")
_CHANGES = names("movk bfi bfxil")
_VECTOR = names(
    "fmov movi mvni dup ins umov ext zip1 zip2 uzp1 uzp2 trn1 trn2 rev64 tbl bsl bit bif cmeq cmhi",
    "shl sli sri ushl ushr usra ushll ushll2 sshl sshr shrn xtn xtn2 umull2 addp addv cmtst umaxv",
)
_LOADS = names("ldr ldp ldur ldrb ldrh ldurb ldurh ldrsw ldrsb ldrsh ldnp ldarb ldar ld1r")
_STORES = names("str stp stur strb strh sturb sturh stnp stlrb stlr")
_NOTHING = names("nop bti paciasp autiasp hint")
_BRANCHES = names("cbz cbnz tbz tbnz")


def _effect(instruction: MachineInstruction) -> Effect:
    operands, name = operands_of(instruction), instruction.mnemonic
    if instruction.op_str.endswith("nzcv") or instruction.op_str.startswith("nzcv"):
        # LLVM keeps flags so. Arm's list has neither, but both only copy four bits.
        kept = str(operands[0 if name == "mrs" else -1])
        copied = Transfer((kept,), ("flags",)) if name == "mrs" else Transfer(("flags",), (kept,))
        return effect(instruction, [copied])
    if name in _LOADS | _STORES and any(isinstance(o, MemoryOperand) for o in operands):
        return effect(instruction, _memory(instruction, operands))
    flow = _flow(instruction, operands, name)
    if flow is not None:
        return flow
    transfers = _transfers(name, operands, instruction)
    return unknown(instruction, operands) if transfers is None else effect(instruction, transfers)


def _memory(instruction: MachineInstruction, operands: DecodedOperands) -> list[Transfer]:
    """Loads, stores and pairs of them, and what they add to the base before or after."""
    name = instruction.mnemonic
    at = next(i for i, operand in enumerate(operands) if isinstance(operand, MemoryOperand))
    memory, after = operands[at], operands[at + 1 :]
    whole = max(o.size for o in instruction.operands if isinstance(o, DecodedRegister))
    size = 1 if name.endswith("b") else 2 if name.endswith("h") else whole
    transfers = []
    for i, register in enumerate(operands[:at]):
        place = MemoryOperand(memory.bases, memory.displacement + i * size, size)
        exact = 0 if size == 8 else None
        if name in _LOADS:
            transfers.append(Transfer((register,), (place,), exact))
        else:
            transfers.append(Transfer((place,), (register,), exact))
    if instruction.raw.writeback:
        added = after[0] if after else memory.displacement
        transfers.append(Transfer(memory.bases[:1], memory.bases[:1], added))
    return transfers


def _flow(instruction: MachineInstruction, operands: DecodedOperands, name: str) -> Effect | None:
    known = {"b": Flow.JUMP, "br": Flow.JUMP, "bl": Flow.CALL, "blr": Flow.CALL}
    if name == "ret":
        return jump(instruction, Flow.RETURN, operands)
    if name in known:
        return jump(instruction, known[name], operands)
    if name in _BRANCHES:
        return jump(instruction, Flow.BRANCH, operands)
    if name.startswith("b."):
        return jump(instruction, Flow.BRANCH, operands, ("flags",))
    return effect(instruction, [], flow=Flow.STOP) if name in ("brk", "udf") else None


def _transfers(
    name: str, operands: DecodedOperands, instruction: MachineInstruction
) -> list[Transfer] | None:
    places = places_of(operands)
    if name in _NOTHING:
        return []
    target, rest = places[:1], places[1:]
    vector = str(target[0]).startswith("v") if target else False
    if vector and name in _PLAIN | _VECTOR:
        return [Transfer(target, places)]
    if name in _PLAIN | _VECTOR:
        added = added_by(name, operands)
        shifted = instruction.raw.operands[-1].shift.type if operands else 0
        exact = 0 if name == "mov" else added
        return [Transfer(target, rest, None if shifted else exact)]
    if name in _COMPARES:
        more = ("flags",) if name.startswith("cc") else ()
        return [Transfer(("flags",), (*places, *more))]
    if name in _SETS_FLAGS:
        return [Transfer((*target, "flags"), rest)]
    if name in _READS_FLAGS:
        return [Transfer(target, (*rest, "flags"))]
    if name in ("adcs", "sbcs", "ngcs"):
        return [Transfer((*target, "flags"), (*rest, "flags"))]
    return [Transfer(target, places)] if name in _CHANGES else None


AARCH64 = ScannedInstructionSet(
    Architecture.AARCH64,
    _effect,
    # x8 points to a result that is returned in memory.
    CallConvention(numbered("x", 9), frozenset({*numbered("x", 19, 30), "sp"}), "sp", ("xzr",)),
)
