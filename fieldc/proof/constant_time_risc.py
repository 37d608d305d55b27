"""What the instructions of AArch64 and RISC-V do, as far as constant time goes."""

from __future__ import annotations

import re
from typing import Any

import capstone

from fieldc.proof.constant_time_step import (
    Flow,
    Memory,
    Move,
    Operands,
    Step,
    added_by,
    jump,
    names,
    places_of,
    step,
    unknown,
)

_ARM_PLAIN = names(
    "add sub mul umulh smulh madd msub mneg umull smull umaddl smaddl and orr eor bic orn eon",
    "lsl lsr asr ror extr ubfx sbfx ubfiz sbfiz clz rev rev16 rev32 rbit neg mvn sxtw uxtw uxtb",
    "uxth sxtb sxth mov movz movn adr adrp",
)
_ARM_SETS_FLAGS = names("adds subs ands bics negs")
_ARM_READS_FLAGS = names("adc sbc ngc csel csinc csinv csneg cset csetm cinc cinv cneg")
_ARM_COMPARES = names("cmp cmn tst ccmp ccmn")
_ARM_CHANGES = names("movk bfi bfxil")
_ARM_VECTOR = names(
    "fmov movi mvni dup ins umov ext zip1 zip2 uzp1 uzp2 trn1 trn2 rev64 tbl bsl bit bif cmeq cmhi",
    "shl sli sri ushl ushr usra ushll ushll2 sshl sshr shrn xtn xtn2 umull2 addp addv cmtst umaxv",
)
_ARM_LOADS = names("ldr ldp ldur ldrb ldrh ldurb ldurh ldrsw ldrsb ldrsh ldnp ldarb ldar ld1r")
_ARM_STORES = names("str stp stur strb strh sturb sturh stnp stlrb stlr")
_ARM_NOTHING = names("nop bti paciasp autiasp hint")
_ARM_BRANCHES = names("cbz cbnz tbz tbnz")
_ARM_SIZES = {"x": 8, "w": 4, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_ARM_NAMES = {"fp": "x29", "lr": "x30", "wsp": "sp"}


def _arm_register(name: str) -> str:
    if name in _ARM_NAMES:
        return _ARM_NAMES[name]
    if re.fullmatch(r"w(\d+|zr)", name):
        return "x" + name[1:]
    return "v" + name[1:] if re.fullmatch(r"[qdshb]\d+", name) else name


def _arm_operands(instruction: Any) -> tuple[Operands, list[int]]:
    """The operands, and how many bytes the registers among them have."""
    arm = capstone.arm64
    operands: Operands = []
    sizes: list[int] = []
    for operand in instruction.operands:
        if operand.type == arm.ARM64_OP_MEM:
            m = operand.mem
            used = [instruction.reg_name(r) for r in (m.base, m.index) if r]
            bases = tuple(map(_arm_register, used))
            operands.append(Memory(bases, m.disp, 0))
        elif operand.type == arm.ARM64_OP_REG:
            name = instruction.reg_name(operand.reg)
            operands.append(_arm_register(name))
            sizes.append(8 if name in _ARM_NAMES else _ARM_SIZES.get(name[0], 16))
        else:
            operands.append(operand.imm if operand.type == arm.ARM64_OP_IMM else 0)
    return operands, sizes


def aarch64(instruction: Any) -> Step:
    operands, sizes = _arm_operands(instruction)
    name = instruction.mnemonic
    if instruction.op_str.endswith("nzcv") or instruction.op_str.startswith("nzcv"):
        # LLVM keeps flags so. Arm's list has neither, but both only copy four bits.
        kept = str(operands[0 if name == "mrs" else -1])
        copied = Move((kept,), ("flags",)) if name == "mrs" else Move(("flags",), (kept,))
        return step(instruction, [copied])
    if name in _ARM_LOADS | _ARM_STORES and any(isinstance(o, Memory) for o in operands):
        return step(instruction, _arm_memory(instruction, operands, max(sizes)))
    flow = _arm_flow(instruction, operands, name)
    if flow is not None:
        return flow
    moves = _arm_moves(name, operands, instruction)
    return unknown(instruction, operands) if moves is None else step(instruction, moves)


def _arm_memory(instruction: Any, operands: Operands, size: int) -> list[Move]:
    """Loads, stores and pairs of them, and what they add to the base before or after."""
    name = instruction.mnemonic
    at = next(i for i, operand in enumerate(operands) if isinstance(operand, Memory))
    memory, after = operands[at], operands[at + 1 :]
    size = 1 if name.endswith("b") else 2 if name.endswith("h") else size
    moves = []
    for i, register in enumerate(operands[:at]):
        place = Memory(memory.bases, memory.displacement + i * size, size)
        exact = 0 if size == 8 else None
        if name in _ARM_LOADS:
            moves.append(Move((register,), (place,), exact))
        else:
            moves.append(Move((place,), (register,), exact))
    if instruction.writeback:
        added = after[0] if after else memory.displacement
        moves.append(Move(memory.bases[:1], memory.bases[:1], added))
    return moves


def _arm_flow(instruction: Any, operands: Operands, name: str) -> Step | None:
    known = {"b": Flow.JUMP, "br": Flow.JUMP, "bl": Flow.CALL, "blr": Flow.CALL}
    if name == "ret":
        return jump(instruction, Flow.RETURN, operands)
    if name in known:
        return jump(instruction, known[name], operands)
    if name in _ARM_BRANCHES:
        return jump(instruction, Flow.BRANCH, operands)
    if name.startswith("b."):
        return jump(instruction, Flow.BRANCH, operands, ("flags",))
    return step(instruction, [], flow=Flow.STOP) if name in ("brk", "udf") else None


def _arm_moves(name: str, operands: Operands, instruction: Any) -> list[Move] | None:
    places = places_of(operands)
    if name in _ARM_NOTHING:
        return []
    target, rest = places[:1], places[1:]
    vector = str(target[0]).startswith("v") if target else False
    if vector and name in _ARM_PLAIN | _ARM_VECTOR:
        return [Move(target, places)]
    if name in _ARM_PLAIN | _ARM_VECTOR:
        added = added_by(name, operands)
        shifted = instruction.operands[-1].shift.type if instruction.operands else 0
        exact = 0 if name == "mov" else added
        return [Move(target, rest, None if shifted else exact)]
    if name in _ARM_COMPARES:
        more = ("flags",) if name.startswith("cc") else ()
        return [Move(("flags",), (*places, *more))]
    if name in _ARM_SETS_FLAGS:
        return [Move((*target, "flags"), rest)]
    if name in _ARM_READS_FLAGS:
        return [Move(target, (*rest, "flags"))]
    if name in ("adcs", "sbcs", "ngcs"):
        return [Move((*target, "flags"), (*rest, "flags"))]
    return [Move(target, places)] if name in _ARM_CHANGES else None


_RISCV_PLAIN = names(
    "lui auipc add addi addw addiw sub subw and andi or ori xor xori sll slli sllw slliw srl srli",
    "srlw srliw sra srai sraw sraiw slt slti sltu sltiu seqz snez sltz sgtz neg negw not mv li",
    "mul mulw mulhu mulh mulhsu sext.w addi16sp addi4spn",
)
_RISCV_LOADS = {"ld": 8, "lw": 4, "lwu": 4, "lh": 2, "lhu": 2, "lb": 1, "lbu": 1, "ldsp": 8}
_RISCV_LOADS |= {"lwsp": 4}
_RISCV_STORES = {"sd": 8, "sw": 4, "sh": 2, "sb": 1, "sdsp": 8, "swsp": 4}
_RISCV_FLOW = {"j": Flow.JUMP, "jr": Flow.JUMP, "jal": Flow.CALL, "jalr": Flow.CALL}

_RISCV_REGISTERS = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{i}" for i in range(8)),
    *(f"s{i}" for i in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
"""By number."""


def _riscv_operands(instruction: Any) -> Operands:
    riscv = capstone.riscv
    operands: Operands = []
    for operand in instruction.operands:
        if operand.type == riscv.RISCV_OP_MEM:
            base = instruction.reg_name(operand.mem.base)
            operands.append(Memory((base,), operand.mem.disp, 0))
        elif operand.type == riscv.RISCV_OP_REG:
            operands.append(instruction.reg_name(operand.reg))
        else:
            operands.append(operand.imm)
    return operands


def riscv64(instruction: Any) -> Step:
    operands = _riscv_operands(instruction)
    name = instruction.mnemonic.removeprefix("c.")
    if name in _RISCV_LOADS or name in _RISCV_STORES:
        return step(instruction, [_riscv_memory(name, operands)])
    if name in _RISCV_FLOW or name == "ret" or re.fullmatch(r"b(eq|ne|lt|ge|gt|le)u?z?", name):
        return _riscv_flow(instruction, name, operands)
    if name in ("nop", "ebreak", "unimp"):
        return step(instruction, [], flow=Flow.NEXT if name == "nop" else Flow.STOP)
    if name not in _RISCV_PLAIN:
        return unknown(instruction, operands)
    places, number = places_of(operands), operands[-1]
    # Of two operands of a compressed instruction the first is read as well.
    changes = (
        name != instruction.mnemonic and len(operands) == 2 and name not in ("mv", "li", "lui")
    )
    rest = places if changes else places[1:]
    added = (
        number if isinstance(number, int) and name.startswith("addi") and name != "addiw" else None
    )
    return step(instruction, [Move(places[:1], rest, 0 if name == "mv" else added)])


def _riscv_memory(name: str, operands: Operands) -> Move:
    """A load or a store; compressed ones give offset and base as two operands."""
    size = _RISCV_LOADS.get(name) or _RISCV_STORES[name]
    given = operands[1]
    if isinstance(given, Memory):
        memory = Memory(given.bases, given.displacement, size)
    else:
        memory = Memory((operands[2],), given, size)
    exact = 0 if size == 8 else None
    if name in _RISCV_LOADS:
        return Move((operands[0],), (memory,), exact)
    return Move((memory,), (operands[0],), exact)


def _riscv_flow(instruction: Any, name: str, operands: Operands) -> Step:
    if name == "ret" or (name == "jr" and operands == ["ra"]):
        return jump(instruction, Flow.RETURN, [])
    flow = _RISCV_FLOW.get(name, Flow.BRANCH)
    if name == "jal" and operands[0] == "zero":
        flow = Flow.JUMP
    if operands and isinstance(operands[-1], int):
        operands[-1] += instruction.address  # capstone gives the distance
    asked = [o for o in operands if o not in ("ra", "zero")] if name == "jal" else operands
    return jump(instruction, flow, asked)


def conditional_zero(code: bytes, address: int) -> Step | None:
    """An instruction of Zicond, which capstone 5 does not know; None for other bytes."""
    word = int.from_bytes(code[:4], "little")
    name = {5: "czero.eqz", 7: "czero.nez"}.get(word >> 12 & 7)
    if word & 0x7F != 0x33 or word >> 25 != 7 or name is None:
        return None
    target, *sources = (_RISCV_REGISTERS[word >> at & 31] for at in (7, 15, 20))
    text = f"{name} {target}, {', '.join(sources)}"
    return Step(address, 4, text, (Move((target,), tuple(sources)),))
