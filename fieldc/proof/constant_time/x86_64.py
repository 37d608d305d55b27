"""What the instructions of x86-64 do, as far as constant time goes."""

from __future__ import annotations

import re
from typing import Any

from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import MachineInstruction
from fieldc.proof.constant_time.effects import (
    DecodedOperands,
    Effect,
    Flow,
    Location,
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
)

_MOVES = names(
    "mov movabs movzx movsx movsxd movaps movups movdqa movdqu movq movd movapd movupd",
    "vmovaps vmovups vmovdqa vmovdqu vmovq vmovd rorx",
)
_SETS_FLAGS = names("add sub and or xor")
_CARRIES = names("adc sbb adcx adox rcl rcr")
_MIXES = names(
    "inc dec neg not bswap shl sal shr sar shld shrd rol ror andn shlx shrx sarx bzhi",
)
_COMPARES = names("cmp test bt")
_VECTOR = re.compile(
    r"v?p(x?or|andn?|add[bwdq]|sub[bwdq]|s[lr]l(w|d|q|dq)|sra[wd]|muludq|shuf(b|d|hw|lw)"
    r"|unpck[lh]\w+|insr[bwdq]|extr[bwdq]|cmpeq[bwdq]|movmskb|movzx\w+|blendw|alignr|ackuswb)"
    r"|v?(xor|andn?|or|shuf|unpck[lh])p[sd]|mov(h|l|hl|lh)p[sd]"
)
_NOTHING = names("nop endbr64 vzeroupper pause")


def _effect(instruction: MachineInstruction) -> Effect:
    operands, name = operands_of(instruction), instruction.mnemonic
    if name in ("push", "pop"):
        return effect(instruction, _stack(name, operands[0]))
    if name == "lea":
        bases, added = operands[1].bases, operands[1].displacement
        return effect(
            instruction, [Transfer((operands[0],), bases, added if len(bases) < 2 else None)]
        )
    if name == "cpuid":
        written = ("rax", "rbx", "rcx", "rdx")
        return effect(instruction, [Transfer(written, ("rax", "rcx"))])
    if name == "xchg" and instruction.size_of(0) >= 4:
        a, b = operands
        return effect(instruction, [Transfer((a,), (b,), 0), Transfer((b,), (a,), 0)])
    flow = _flow(instruction, operands, name)
    if flow is not None:
        return flow
    transfers = _transfers(name, operands, instruction)
    return unknown(instruction, operands) if transfers is None else effect(instruction, transfers)


def _stack(name: str, operand: Any) -> list[Transfer]:
    if name == "push":
        return [
            Transfer((MemoryOperand(("rsp",), -8, 8),), places_of([operand]), 0),
            Transfer(("rsp",), ("rsp",), -8),
        ]
    return [
        Transfer((operand,), (MemoryOperand(("rsp",), 0, 8),), 0),
        Transfer(("rsp",), ("rsp",), 8),
    ]


def _flow(instruction: MachineInstruction, operands: DecodedOperands, name: str) -> Effect | None:
    if name in ("ret", "jmp", "call"):
        flow = {"ret": Flow.RETURN, "jmp": Flow.JUMP, "call": Flow.CALL}[name]
        return jump(instruction, flow, operands)
    if name in ("jrcxz", "jecxz", "loop", "loope", "loopne"):
        return jump(instruction, Flow.BRANCH, operands, ("rcx", "flags"))
    if name.startswith("j"):
        return jump(instruction, Flow.BRANCH, operands, ("flags",))
    return effect(instruction, [], flow=Flow.STOP) if name in ("ud2", "int3") else None


def _transfers(
    name: str, operands: DecodedOperands, instruction: MachineInstruction
) -> list[Transfer] | None:
    places = places_of(operands)
    if name in _NOTHING:
        return []
    if name in _MOVES:
        return [_move(name, places, instruction)]
    if name in _COMPARES:
        return [Transfer(("flags",), places)]
    if name in ("mul", "imul") and len(operands) == 1 and instruction.size_of(0) >= 4:
        return [Transfer(("rax", "rdx", "flags"), (*places, "rax"))]
    if name == "mulx":
        return [Transfer(places[:2], (*places[2:], "rdx"))]
    return _changes(name, places, operands, instruction)


def _move(name: str, places: tuple[Location, ...], instruction: MachineInstruction) -> Transfer:
    """A part of a register that is written keeps what the rest held."""
    target, rest = places[:1], places[1:]
    whole = instruction.size_of(0) >= 4 and not str(target[0]).startswith("zmm")
    kept = isinstance(target[0], MemoryOperand) or whole
    exact = 0 if instruction.size_of(0) == 8 and name in ("mov", "movabs") else None
    return Transfer(target, rest, exact) if kept else Transfer(target, places)


def _changes(
    name: str,
    places: tuple[Location, ...],
    operands: DecodedOperands,
    instruction: MachineInstruction,
) -> list[Transfer] | None:
    """Instructions that read what they write."""
    target, rest = places[:1], places[1:]
    if name in _SETS_FLAGS:
        if name in ("xor", "sub") and rest == target and instruction.size_of(0) >= 4:
            return [Transfer((*target, "flags"), ())]
        return [Transfer(("flags",), places), Transfer(target, places, added_by(name, operands))]
    if name.startswith(("cmov", "set")):
        return [Transfer(target, (*places, "flags"))]
    if _VECTOR.fullmatch(name):
        return [Transfer(target, places)]
    if name in _CARRIES:
        return [Transfer((*target, "flags"), (*places, "flags"))]
    if name in _MIXES or (name == "imul" and len(operands) > 1):
        return [Transfer(("flags",), (*places, "flags")), Transfer(target, places)]
    return None


def _relocated(effect: Effect, before: Effect | None) -> tuple[int, ...]:
    """The last four bytes of a near jump or call, the last one of a short jump."""
    return (effect.address + effect.size - (4 if effect.size > 4 else 1),)


_KEPT = frozenset(("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"))

X86_64 = ScannedInstructionSet(
    Architecture.X86_64,
    _effect,
    CallConvention(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), _KEPT, "rsp", ("rip",)),
    windows=CallConvention(("rcx", "rdx", "r8", "r9"), _KEPT | {"rdi", "rsi"}, "rsp", ("rip",)),
    relocated=_relocated,
)
