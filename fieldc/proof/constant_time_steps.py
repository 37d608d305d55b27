"""What instructions do as far as constant time goes: what flows where, and where they jump.

The lists name what is known to take the same time for all values. Anything else is unknown.
Sources: Intel, Data Operand Independent Timing Instructions; Arm, FEAT_DIT in the Architecture
Reference Manual; RISC-V, Zkt.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import capstone

from fieldc.proof.constant_time_code import Architecture, Function


@dataclass(frozen=True)
class Memory:
    """Bytes at the sum of registers and a displacement."""

    bases: tuple[str, ...]
    displacement: int
    size: int


Place = str | Memory
"""A register by the name of all of it, or memory. `flags` is a register."""


@dataclass(frozen=True)
class Move:
    """What was in the sources reaches the targets; a number `added` if nothing else happens."""

    targets: tuple[Place, ...]
    sources: tuple[Place, ...]
    added: int | None = None


class Flow(Enum):
    """What comes after an instruction."""

    NEXT = "next"
    JUMP = "jump"
    BRANCH = "branch"
    CALL = "call"
    RETURN = "return"
    STOP = "stop"


@dataclass(frozen=True)
class Step:
    """An instruction. `asks` decides a branch, or where an indirect jump or call goes."""

    address: int
    size: int
    text: str
    moves: tuple[Move, ...] = ()
    flow: Flow = Flow.NEXT
    target: int | None = None
    asks: tuple[Place, ...] = ()
    known: bool = True


Operands = list[Any]
"""A register's name, a number, or Memory; the numbers of capstone's instruction."""


def steps(function: Function) -> dict[int, Step]:
    """The instructions of a function by place, up to the first bytes that are none."""
    kind, mode, decode = DECODERS[function.architecture]
    engine = capstone.Cs(kind, mode)
    engine.detail = True
    found = engine.disasm(function.code, function.start)
    return {instruction.address: decode(instruction) for instruction in found}


def _step(instruction: Any, moves: list[Move], **more: Any) -> Step:
    text = f"{instruction.mnemonic} {instruction.op_str}".strip()
    return Step(instruction.address, instruction.size, text, tuple(moves), **more)


def _places(operands: Operands) -> tuple[Place, ...]:
    return tuple(o for o in operands if not isinstance(o, int))


def _jump(instruction: Any, flow: Flow, operands: Operands, asks: tuple[str, ...] = ()) -> Step:
    """A jump to the last operand; the others are asked, as is a place that is no number."""
    target = operands[-1] if operands and isinstance(operands[-1], int) else None
    return _step(instruction, [], flow=flow, target=target, asks=(*_places(operands), *asks))


def _unknown(instruction: Any, operands: Operands) -> Step:
    """Taken to write all its operands; the scan reports it, whatever else it does."""
    places = _places(operands)
    return _step(instruction, [Move((*places, "flags"), (*places, "flags"))], known=False)


def _names(*words: str) -> frozenset[str]:
    return frozenset(" ".join(words).split())


_X86_NAMES = {
    **{f"{a}{b}": f"r{b}" for b in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp") for a in "re"},
    **{b: f"r{b}" for b in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"{b}l": f"r{b}" for b in ("si", "di", "bp", "sp")},
    **{f"{b}{half}": f"r{b}x" for b in "abcd" for half in "lh"},
    **{f"r{i}{part}": f"r{i}" for i in range(8, 16) for part in ("d", "w", "b", "")},
    **{f"{wide}mm{i}": f"xmm{i}" for wide in "xyz" for i in range(32)},
}
_X86_MOVES = _names(
    "mov movabs movzx movsx movsxd cdqe movaps movups movdqa movdqu movq movd movapd movupd",
    "vmovaps vmovups vmovdqa vmovdqu vmovq vmovd rorx",
)
_X86_SETS_FLAGS = _names("add sub and or xor")
_X86_MIXES = _names(
    "adc sbb adcx adox inc dec neg not bswap shl sal shr sar shld shrd rol ror",
    "andn shlx shrx sarx",
)
_X86_COMPARES = _names("cmp test bt")
_X86_VECTOR = re.compile(
    r"v?p(x?or|andn?|add[bwdq]|sub[bwdq]|s[lr]l(w|d|q|dq)|sra[wd]|muludq|shuf(b|d|hw|lw)"
    r"|unpck[lh]\w+|insr[bwdq]|extr[bwdq]|cmpeq[bwdq]|movmskb|blendw|alignr|ackuswb)"
    r"|v?(xor|andn?|or|shuf|unpck[lh])p[sd]|mov(h|l|hl|lh)p[sd]"
)
_X86_NOTHING = _names("nop endbr64 vzeroupper pause")


def _x86_operands(instruction: Any) -> Operands:
    found: Operands = []
    for operand in instruction.operands:
        if operand.type == capstone.x86.X86_OP_IMM:
            found.append(operand.imm)
        elif operand.type == capstone.x86.X86_OP_REG:
            name = instruction.reg_name(operand.reg)
            found.append(_X86_NAMES.get(name, name))
        else:
            m = operand.mem
            used = [instruction.reg_name(r) for r in (m.segment, m.base, m.index) if r]
            bases = tuple(_X86_NAMES.get(name, name) for name in used)
            bases += bases[-1:] if m.index and m.scale > 1 else ()
            found.append(Memory(bases, m.disp, operand.size))
    return found


def _x86(instruction: Any) -> Step:
    operands, name = _x86_operands(instruction), instruction.mnemonic
    if name in ("push", "pop"):
        return _step(instruction, _x86_stack(name, operands[0]))
    if name == "lea":
        bases, added = operands[1].bases, operands[1].displacement
        return _step(instruction, [Move((operands[0],), bases, added if len(bases) < 2 else None)])
    if name == "cpuid":
        written = ("rax", "rbx", "rcx", "rdx")
        return _step(instruction, [Move(written, ("rax", "rcx"))])
    if name == "xchg":
        a, b = operands
        return _step(instruction, [Move((a,), (b,), 0), Move((b,), (a,), 0)])
    flow = _x86_flow(instruction, operands, name)
    if flow is not None:
        return flow
    moves = _x86_moves(name, operands, instruction)
    return _unknown(instruction, operands) if moves is None else _step(instruction, moves)


def _x86_stack(name: str, operand: Any) -> list[Move]:
    if name == "push":
        return [
            Move((Memory(("rsp",), -8, 8),), _places([operand]), 0),
            Move(("rsp",), ("rsp",), -8),
        ]
    return [Move((operand,), (Memory(("rsp",), 0, 8),), 0), Move(("rsp",), ("rsp",), 8)]


def _x86_flow(instruction: Any, operands: Operands, name: str) -> Step | None:
    if name in ("ret", "jmp", "call"):
        flow = {"ret": Flow.RETURN, "jmp": Flow.JUMP, "call": Flow.CALL}[name]
        return _jump(instruction, flow, operands)
    if name in ("jrcxz", "jecxz", "loop", "loope", "loopne"):
        return _jump(instruction, Flow.BRANCH, operands, ("rcx", "flags"))
    if name.startswith("j"):
        return _jump(instruction, Flow.BRANCH, operands, ("flags",))
    return _step(instruction, [], flow=Flow.STOP) if name in ("ud2", "int3") else None


def _x86_moves(name: str, operands: Operands, instruction: Any) -> list[Move] | None:
    places = _places(operands)
    if name in _X86_NOTHING:
        return []
    target, rest = places[:1], places[1:]
    if name in _X86_MOVES:
        whole = instruction.operands[0].size >= 4 and not str(target[0]).startswith("xmm")
        kept = isinstance(target[0], Memory) or whole
        exact = 0 if instruction.operands[0].size == 8 and name in ("mov", "movabs") else None
        return [Move(target, rest, exact) if kept else Move(target, places)]
    if name in _X86_COMPARES:
        return [Move(("flags",), places)]
    if name in _X86_SETS_FLAGS:
        if name in ("xor", "sub") and rest == target:
            return [Move((*target, "flags"), ())]
        number = operands[1] if isinstance(operands[1], int) else None
        sign = {"add": 1, "sub": -1}.get(name)
        added = number * sign if number is not None and sign is not None else None
        return [Move(("flags",), places), Move(target, places, added)]
    if name.startswith(("cmov", "set")):
        return [Move(target, (*places, "flags"))]
    if name in ("mul", "imul") and len(operands) == 1:
        return [Move(("rax", "rdx", "flags"), (*places, "rax"))]
    if name == "mulx":
        return [Move(places[:2], (*places[2:], "rdx"))]
    if _X86_VECTOR.fullmatch(name):
        return [Move(target, places)]
    if name in _X86_MIXES or name == "imul":
        return [Move((*target, "flags"), (*places, "flags"))]
    return None


_ARM_PLAIN = _names(
    "add sub mul umulh smulh madd msub mneg umull smull umaddl smaddl and orr eor bic orn eon",
    "lsl lsr asr ror extr ubfx sbfx ubfiz sbfiz clz rev rev16 rev32 rbit neg mvn sxtw uxtw uxtb",
    "uxth sxtb sxth mov movz movn adr adrp",
)
_ARM_SETS_FLAGS = _names("adds subs ands bics negs")
_ARM_READS_FLAGS = _names("adc sbc ngc csel csinc csinv csneg cset csetm cinc cinv cneg")
_ARM_COMPARES = _names("cmp cmn tst ccmp ccmn")
_ARM_CHANGES = _names("movk bfi bfxil")
_ARM_VECTOR = _names("fmov movi dup ins umov ext zip1 zip2 uzp1 uzp2 rev64 bsl xtn shl ushr umull2")
_ARM_LOADS = _names("ldr ldp ldur ldrb ldrh ldurb ldurh ldrsw ldrsb ldrsh ldnp ldarb ldar")
_ARM_STORES = _names("str stp stur strb strh sturb sturh stnp stlrb stlr")
_ARM_NOTHING = _names("nop bti paciasp autiasp hint")
_ARM_BRANCHES = _names("cbz cbnz tbz tbnz")
_ARM_SIZES = {"x": 8, "w": 4, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_ARM_NAMES = {"fp": "x29", "lr": "x30", "wsp": "sp"}


def _arm_register(name: str) -> str:
    if name in _ARM_NAMES:
        return _ARM_NAMES[name]
    if re.fullmatch(r"w(\d+|zr)", name):
        return "x" + name[1:]
    return "v" + name[1:] if re.fullmatch(r"[qdshb]\d+", name) else name


def _arm(instruction: Any) -> Step:
    arm, operands, sizes = capstone.arm64, [], []
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
    name = instruction.mnemonic
    if name in _ARM_LOADS | _ARM_STORES:
        return _step(instruction, _arm_memory(instruction, operands, max(sizes)))
    flow = _arm_flow(instruction, operands, name)
    if flow is not None:
        return flow
    moves = _arm_moves(name, operands, instruction)
    return _unknown(instruction, operands) if moves is None else _step(instruction, moves)


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
        return _jump(instruction, Flow.RETURN, operands)
    if name in known:
        return _jump(instruction, known[name], operands)
    if name in _ARM_BRANCHES:
        return _jump(instruction, Flow.BRANCH, operands)
    if name.startswith("b."):
        return _jump(instruction, Flow.BRANCH, operands, ("flags",))
    return _step(instruction, [], flow=Flow.STOP) if name in ("brk", "udf") else None


def _arm_moves(name: str, operands: Operands, instruction: Any) -> list[Move] | None:
    places = _places(operands)
    if name in _ARM_NOTHING:
        return []
    target, rest = places[:1], places[1:]
    vector = str(target[0]).startswith("v") if target else False
    if vector and name in _ARM_PLAIN | _ARM_VECTOR:
        return [Move(target, places)]
    if name in _ARM_PLAIN | _ARM_VECTOR:
        number = operands[-1] if isinstance(operands[-1], int) else None
        sign = {"add": 1, "sub": -1}.get(name)
        added = number * sign if number is not None and sign is not None else None
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


_RISCV_PLAIN = _names(
    "lui auipc add addi addw addiw sub subw and andi or ori xor xori sll slli sllw slliw srl srli",
    "srlw srliw sra srai sraw sraiw slt slti sltu sltiu seqz snez sltz sgtz neg negw not mv li",
    "mul mulw mulhu mulh mulhsu sext.w addi16sp addi4spn",
)
_RISCV_LOADS = {"ld": 8, "lw": 4, "lwu": 4, "lh": 2, "lhu": 2, "lb": 1, "lbu": 1, "ldsp": 8}
_RISCV_LOADS |= {"lwsp": 4}
_RISCV_STORES = {"sd": 8, "sw": 4, "sh": 2, "sb": 1, "sdsp": 8, "swsp": 4}
_RISCV_FLOW = {"j": Flow.JUMP, "jr": Flow.JUMP, "jal": Flow.CALL, "jalr": Flow.CALL}


def _riscv(instruction: Any) -> Step:
    riscv, operands = capstone.riscv, []
    for operand in instruction.operands:
        if operand.type == riscv.RISCV_OP_MEM:
            base = instruction.reg_name(operand.mem.base)
            operands.append(Memory((base,), operand.mem.disp, 0))
        elif operand.type == riscv.RISCV_OP_REG:
            operands.append(instruction.reg_name(operand.reg))
        else:
            operands.append(operand.imm)
    name = instruction.mnemonic.removeprefix("c.")
    if name in _RISCV_LOADS or name in _RISCV_STORES:
        return _step(instruction, [_riscv_memory(name, operands)])
    if name in _RISCV_FLOW or name == "ret" or re.fullmatch(r"b(eq|ne|lt|ge|gt|le)u?z?", name):
        return _riscv_flow(instruction, name, operands)
    if name in ("nop", "ebreak", "unimp"):
        return _step(instruction, [], flow=Flow.NEXT if name == "nop" else Flow.STOP)
    if name not in _RISCV_PLAIN:
        return _unknown(instruction, operands)
    places, number = _places(operands), operands[-1]
    # Of two operands of a compressed instruction the first is read as well.
    changes = (
        name != instruction.mnemonic and len(operands) == 2 and name not in ("mv", "li", "lui")
    )
    rest = places if changes else places[1:]
    added = (
        number if isinstance(number, int) and name.startswith("addi") and name != "addiw" else None
    )
    return _step(instruction, [Move(places[:1], rest, 0 if name == "mv" else added)])


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
        return _jump(instruction, Flow.RETURN, [])
    flow = _RISCV_FLOW.get(name, Flow.BRANCH)
    if name == "jal" and operands[0] == "zero":
        flow = Flow.JUMP
    asked = [o for o in operands if o not in ("ra", "zero")] if name == "jal" else operands
    return _jump(instruction, flow, asked)


DECODERS: dict[Architecture, tuple[int, int, Callable[[Any], Step]]] = {
    Architecture.X86_64: (capstone.CS_ARCH_X86, capstone.CS_MODE_64, _x86),
    Architecture.AARCH64: (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM, _arm),
    Architecture.RISCV64: (
        capstone.CS_ARCH_RISCV,
        capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC,
        _riscv,
    ),
}
