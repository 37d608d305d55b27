"""What the instructions of x86-64 do, as far as constant time goes."""

from __future__ import annotations

import re
from typing import Any

import capstone

from fieldc.proof.constant_time_step import (
    Flow,
    Memory,
    Move,
    Operands,
    Place,
    Step,
    added_by,
    jump,
    names,
    places_of,
    step,
    unknown,
)

_X86_NAMES = {
    **{f"{a}{b}": f"r{b}" for b in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp") for a in "re"},
    **{b: f"r{b}" for b in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"{b}l": f"r{b}" for b in ("si", "di", "bp", "sp")},
    **{f"{b}{half}": f"r{b}x" for b in "abcd" for half in "lh"},
    **{f"r{i}{part}": f"r{i}" for i in range(8, 16) for part in ("d", "w", "b", "")},
    **{f"{wide}mm{i}": f"xmm{i}" for wide in "xyz" for i in range(32)},
}
_X86_MOVES = names(
    "mov movabs movzx movsx movsxd movaps movups movdqa movdqu movq movd movapd movupd",
    "vmovaps vmovups vmovdqa vmovdqu vmovq vmovd rorx",
)
_X86_SETS_FLAGS = names("add sub and or xor")
_X86_CARRIES = names("adc sbb adcx adox rcl rcr")
_X86_MIXES = names(
    "inc dec neg not bswap shl sal shr sar shld shrd rol ror andn shlx shrx sarx",
)
_X86_COMPARES = names("cmp test bt")
_X86_VECTOR = re.compile(
    r"v?p(x?or|andn?|add[bwdq]|sub[bwdq]|s[lr]l(w|d|q|dq)|sra[wd]|muludq|shuf(b|d|hw|lw)"
    r"|unpck[lh]\w+|insr[bwdq]|extr[bwdq]|cmpeq[bwdq]|movmskb|movzx\w+|blendw|alignr|ackuswb)"
    r"|v?(xor|andn?|or|shuf|unpck[lh])p[sd]|mov(h|l|hl|lh)p[sd]"
)
_X86_NOTHING = names("nop endbr64 vzeroupper pause")


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


def x86_64(instruction: Any) -> Step:
    operands, name = _x86_operands(instruction), instruction.mnemonic
    if name in ("push", "pop"):
        return step(instruction, _x86_stack(name, operands[0]))
    if name == "lea":
        bases, added = operands[1].bases, operands[1].displacement
        return step(instruction, [Move((operands[0],), bases, added if len(bases) < 2 else None)])
    if name == "cpuid":
        written = ("rax", "rbx", "rcx", "rdx")
        return step(instruction, [Move(written, ("rax", "rcx"))])
    if name == "xchg" and instruction.operands[0].size >= 4:
        a, b = operands
        return step(instruction, [Move((a,), (b,), 0), Move((b,), (a,), 0)])
    flow = _x86_flow(instruction, operands, name)
    if flow is not None:
        return flow
    moves = _x86_moves(name, operands, instruction)
    return unknown(instruction, operands) if moves is None else step(instruction, moves)


def _x86_stack(name: str, operand: Any) -> list[Move]:
    if name == "push":
        return [
            Move((Memory(("rsp",), -8, 8),), places_of([operand]), 0),
            Move(("rsp",), ("rsp",), -8),
        ]
    return [Move((operand,), (Memory(("rsp",), 0, 8),), 0), Move(("rsp",), ("rsp",), 8)]


def _x86_flow(instruction: Any, operands: Operands, name: str) -> Step | None:
    if name in ("ret", "jmp", "call"):
        flow = {"ret": Flow.RETURN, "jmp": Flow.JUMP, "call": Flow.CALL}[name]
        return jump(instruction, flow, operands)
    if name in ("jrcxz", "jecxz", "loop", "loope", "loopne"):
        return jump(instruction, Flow.BRANCH, operands, ("rcx", "flags"))
    if name.startswith("j"):
        return jump(instruction, Flow.BRANCH, operands, ("flags",))
    return step(instruction, [], flow=Flow.STOP) if name in ("ud2", "int3") else None


def _x86_moves(name: str, operands: Operands, instruction: Any) -> list[Move] | None:
    places = places_of(operands)
    if name in _X86_NOTHING:
        return []
    if name in _X86_MOVES:
        return [_x86_move(name, places, instruction)]
    if name in _X86_COMPARES:
        return [Move(("flags",), places)]
    if name in ("mul", "imul") and len(operands) == 1 and instruction.operands[0].size >= 4:
        return [Move(("rax", "rdx", "flags"), (*places, "rax"))]
    if name == "mulx":
        return [Move(places[:2], (*places[2:], "rdx"))]
    return _x86_changes(name, places, operands, instruction)


def _x86_move(name: str, places: tuple[Place, ...], instruction: Any) -> Move:
    """A part of a register that is written keeps what the rest held."""
    target, rest = places[:1], places[1:]
    whole = instruction.operands[0].size >= 4 and not str(target[0]).startswith("xmm")
    kept = isinstance(target[0], Memory) or whole
    exact = 0 if instruction.operands[0].size == 8 and name in ("mov", "movabs") else None
    return Move(target, rest, exact) if kept else Move(target, places)


def _x86_changes(
    name: str, places: tuple[Place, ...], operands: Operands, instruction: Any
) -> list[Move] | None:
    """Instructions that read what they write."""
    target, rest = places[:1], places[1:]
    if name in _X86_SETS_FLAGS:
        if name in ("xor", "sub") and rest == target and instruction.operands[0].size >= 4:
            return [Move((*target, "flags"), ())]
        return [Move(("flags",), places), Move(target, places, added_by(name, operands))]
    if name.startswith(("cmov", "set")):
        return [Move(target, (*places, "flags"))]
    if _X86_VECTOR.fullmatch(name):
        return [Move(target, places)]
    if name in _X86_CARRIES:
        return [Move((*target, "flags"), (*places, "flags"))]
    if name in _X86_MIXES or (name == "imul" and len(operands) > 1):
        return [Move(("flags",), (*places, "flags")), Move(target, places)]
    return None
